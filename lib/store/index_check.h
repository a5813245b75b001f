// Before reputd puts into the index: which index files can be kept, up to which entry, and from which record of the log
// on keys are still missing.
//
// What the believed marker names was durable, so in a new life of the store everything behind it is taken back and put
// again with the same bytes. That holds for what a crash may do; whoever damages a file while nobody runs is found by
// its check (index_file_check.h): here that of the files that decide where the index goes on, of the others later and
// beside the work (index_audit.h). Without a marker (RocketMQ's own store, or the marker is lost) every entry is looked
// at and samples are compared with the log: files that belong to another log are set aside, a damaged one is cut at its
// last good entry. Slots are never believed: they follow from the entries. Used by IndexFollower alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/dispatched_marker.h"
#include "store/index_file_check.h"
#include "store/store_options.h"

namespace mq::store {

struct IndexCheck {
  std::vector<MarkedIndexFile> files;  // kept, in order, each with its header
  PhysicalOffset position;             // records below it are in the files
  // The record last put, and how many of its keys were: it may have been the last thing before a kill.
  PhysicalOffset resume_record{-1};
  int32_t resume_keys = 0;
  std::vector<std::string> unchecked;  // names of those of the files that nobody has looked into yet
  std::vector<std::string> damaged;    // names of files that were, or are gone
};

enum class IndexCheckMode {
  kRollBack,  // a new life of the store: back to the marker
  kGoOn,      // reputd came back in the same life: the files go on where they are, readers notice nothing
  kRebuild,   // believe nothing
};

class IndexChecker {
 public:
  // `log` reads up to `log_end`. With `checked` the files that the marker names, but for the last one, were looked into
  // in this life of the store.
  IndexChecker(const StoreOptions& options, PhysicalOffset log_min, PhysicalOffset log_end, LogReader& log,
               bool checked = false)
      : options_(options), layout_(options.root), log_min_(log_min), log_end_(log_end), log_(log), checked_(checked) {}

  // Changes only index files. An error is an operating error: nothing is decided, a new object may try again.
  Status Start(const std::optional<MarkedIndex>& marked, IndexCheckMode mode);
  // Looks at as much as the budget allows (entries, more or less), and takes that off it. True when it is over.
  Result<bool> Step(int64_t& budget);
  IndexCheck Take() { return std::move(check_); }

 private:
  std::string PathOf(size_t i) const { return layout_.IndexFile(files_[i].name); }
  Status RemoveFrom(size_t first);
  Status SetAsideFrom(size_t first, const char* why);
  void Lost(const std::string& name, const char* what);
  bool IsSaidDurable(const IndexHeader& header) const;
  Status FollowMarker(const MarkedIndex& marked);
  Result<bool> Opens(const std::string& name) const;
  Status GoOnWith(size_t at);
  Status VerifyAll();
  Result<bool> FollowsOn(PhysicalOffset first);
  Result<bool> SamplesAgree(const IndexScan& scan, int32_t count);
  size_t DecisiveFile() const;
  Status DropDamaged();
  Status Conclude();
  Status FindResumePoint();

  const StoreOptions options_;
  StoreLayout layout_;
  PhysicalOffset log_min_;
  PhysicalOffset log_end_;
  LogReader& log_;
  bool checked_;
  IndexCheckMode mode_ = IndexCheckMode::kRollBack;
  std::vector<IndexFileEntry> files_;
  int64_t durable_time_ = 0;  // the checkpoint's, of the index
  size_t marked_files_ = 0;   // of check_.files
  size_t next_ = 0;           // of check_.files: looked into next
  size_t unchecked_ = 0;      // those in front of it are not looked into here
  std::optional<IndexFileCheck> file_;
  IndexCheck check_;
};

}  // namespace mq::store
