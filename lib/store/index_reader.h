// IndexReader: answers which records have a key, for the broker's query processor. Reads index files and log; writes
// nothing. One thread at a time: it may wait for the disk, so not the broker's loop.
//
// The index says only where a key of that hash may be. Every candidate is looked up in the log and kept when its topic,
// its key and its store time are what was asked for, so equal hashes, a stale or half-written entry and a clock that
// stepped back never give a wrong answer. A record is given once, however often it was indexed.
//
// "There is no such message" is only said of files that mq-reputd has looked into. What it has not, or is making anew,
// and a chain that cannot be, make the answer unsure: whoever asked is told to come again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/index_file.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/store_options.h"

namespace mq::store {

struct IndexQuery {
  std::string topic;
  std::string key;
  int32_t max_messages = 0;
  int64_t begin_timestamp = 0;
  int64_t end_timestamp = INT64_MAX;
  PhysicalOffset not_below;  // records before it count as gone (the topic was deleted there)
};

// A place in the index that cannot be: the chain does not lead on as chains do, or no record is where the log has one.
struct IndexOddity {
  std::string file;
  int32_t entry = 0;
  PhysicalOffset position{-1};  // of the record that is not there; -1: it is the chain
};

struct IndexAnswer {
  std::vector<Slice> records;  // by position; the newest ones when there are more than wanted
  int64_t bytes = 0;
  // Files that may lack keys, at the beginning or the end of the search; nothing found there means nothing.
  uint32_t unsure_files = 0;
  std::optional<IndexOddity> oddity;  // the first one met
  // Of the newest file; 0 without one.
  int64_t last_timestamp = 0;
  PhysicalOffset last_position;
};

class IndexReader {
 public:
  // One answer never grows beyond this many bytes of records: it has to fit a frame.
  static constexpr int64_t kMaxAnswerBytes = int64_t{12} << 20;
  // Links followed in one file: a chain that never ends (a key that is in every message and a time long ago) does.
  static constexpr int32_t kMaxLinks = 1 << 20;

  // `positions` may be null for a store without a broker; then `end` bounds the log.
  IndexReader(const StoreOptions& options, const Positions* positions, PhysicalOffset end = PhysicalOffset(0));

  Result<IndexAnswer> Query(const IndexQuery& query);

 private:
  enum class Match { kYes, kNo, kNoRecord };
  Result<std::vector<std::string>> OpenFiles();
  Status Search(const std::string& name, const IndexQuery& query, int32_t hash, std::map<PhysicalOffset, Slice>& found,
                IndexAnswer& answer);
  Result<Match> Look(PhysicalOffset position, const IndexQuery& query, Slice* slice);
  uint32_t UnsureFiles() const;
  uint32_t DamagedFiles() const;

  StoreOptions options_;
  const Positions* positions_;
  StoreLayout layout_;
  LogReader log_;
  std::map<std::string, FilePin> files_;
};

}  // namespace mq::store
