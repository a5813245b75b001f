// IndexFileCheck: whether an index file is what was written, in steps.
//
// One pass over the entries proves that each leads to the one before it in its slot, that positions do not fall, and by
// the marker's sum that not a bit of them has changed; then that each slot leads to its newest entry. Where no sum is
// known (RocketMQ's file, a lost marker) the entries are compared with the keys of the records in the log instead.
// What follows from sound entries, slots and header, is put right here; entries that are not are put anew by
// IndexRemake. Used by IndexChecker and IndexAudit in mq-reputd, while nobody writes to the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/dispatched_marker.h"
#include "store/index_scan.h"
#include "store/log_walk.h"
#include "store/store_options.h"

namespace mq::store {

class IndexFileCheck {
 public:
  enum class Extent {
    kWhole,    // the file is exactly as `file` says
    kAtLeast,  // and goes on, with entries that a crash may have left there: they are taken away
    kLive,     // and goes on, with entries that count
  };

  static Result<IndexFileCheck> Open(const StoreOptions& options, LogReader& log, PhysicalOffset log_end,
                                     MarkedIndexFile file, Extent extent);

  const std::string& name() const { return file_.name; }
  // Looks at as much as the budget allows (entries, more or less), and takes that off it. True when it is over.
  Result<bool> Step(int64_t& budget);

  // Then: whether the entries are what they were; the rest can be put right.
  bool entries_sound() const { return sound_; }
  // Whether slots or header are not, as no crash leaves them.
  bool rest_damaged() const;
  // With sound entries: puts the rest right where need be. The file as it is now.
  Result<MarkedIndexFile> PutRight();

 private:
  enum class Phase { kEntries, kSlots, kLog, kDone };

  IndexFileCheck(LogReader& log, PhysicalOffset log_end, IndexScan scan, MarkedIndexFile file, Extent extent);
  void EndEntries();
  Result<bool> StepLog(int64_t& budget);
  int32_t FirstNotExpired() const;
  bool RecordAgrees(const protocol::MessageView& record);

  LogReader* log_;
  PhysicalOffset log_end_;
  IndexScan scan_;
  MarkedIndexFile file_;
  Extent extent_;
  int32_t count_ = 1;
  Phase phase_ = Phase::kEntries;
  bool sound_ = false;
  // While entries are compared with the log.
  std::unique_ptr<LogWalk> walk_;
  int32_t number_ = 1;
  PhysicalOffset behind_;        // the record before ended there
  std::vector<int32_t> hashes_;  // of the keys of the record at hand
};

}  // namespace mq::store
