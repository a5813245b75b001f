// Index part of dump_verify: each file by itself first, then fed every record in log order.
//
// Entries lie in the order in which records were filed, so that one pass over them beside the log finds every key
// without walking chains; a pass over each file before it (dump_verify_index_file) proves that the chains lead to every
// entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/dump_index.h"
#include "store/dump_log.h"
#include "store/dump_verify.h"

namespace mq::store {

class IndexVerifier {
 public:
  IndexVerifier(const VerifyOptions& options, bool unclean, const FaultSink& sink)
      : options_(options), live_(options.positions != nullptr), unclean_(unclean), sink_(sink), layout_(options.root) {}

  // Sizes, headers, chains and the order of the files.
  Status Open();
  Status OnRecord(const LogItem& item, PhysicalOffset log_min);
  // Entries behind the last record, and records that no file holds. `durable_until`: the checkpoint's index time.
  Status Finish(DumpLog& log, PhysicalOffset log_end, int64_t durable_until);

 private:
  Status OpenFile(const std::string& path, int64_t bytes, int64_t usual_bytes, class IndexFileVerifier& files);
  // The entry under the cursor; nothing behind the last file.
  Result<std::optional<IndexEntry>> Current();
  void CheckTime(const IndexEntry& entry, int64_t store_timestamp);
  void Stray(const IndexEntry& entry, std::string_view why);
  Status CheckRest(DumpLog& log, PhysicalOffset log_end);
  void SayUnfiled(PhysicalOffset log_min, int64_t durable_until);
  void SayMore(uint64_t count, std::string_view what);

  const VerifyOptions& options_;
  bool live_;
  bool unclean_;
  const FaultSink& sink_;
  StoreLayout layout_;
  std::vector<std::string> paths_;  // of the files that can be read
  uint64_t broken_files_ = 0;
  int64_t first_offset_ = -1;  // of the oldest entry: records below were filed in files that are gone

  // The cursor.
  std::optional<DumpIndex> file_;
  size_t next_path_ = 0;
  int64_t number_ = 1;
  int64_t before_end_time_ = 0;     // end time of the file before; 0: there is none
  std::vector<int32_t> at_record_;  // hashes filed for the record at hand
  uint64_t in_front_ = 0;           // records with keys in front of the first entry
  PhysicalOffset in_front_from_;
  uint64_t unfiled_ = 0;  // records with keys behind the last entry
  PhysicalOffset unfiled_from_;
  uint64_t lost_keys_ = 0;
  uint64_t strays_ = 0;
  uint64_t wrong_times_ = 0;
};

}  // namespace mq::store
