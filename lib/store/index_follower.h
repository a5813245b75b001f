// IndexFollower: keeps the index up with the log, beside the queues and never in their way. Owned by Reput.
//
// Normally it is handed each record right after its queue entry. When the index is behind (files lost, index switched
// on later, a file that could not be made) records are passed over, and CatchUp walks the log on its own until it meets
// the queues again: consumers do not wait for an index. An index that cannot be written is said once in a while and
// tried again every second; sends and queues go on.
//
// Files are checked before they are believed: those that say where the index goes on before anything is put, the others
// beside the work (index_audit.h), each time in steps of about a millisecond.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "store/commit_log.h"
#include "store/dispatched_marker.h"
#include "store/index_audit.h"
#include "store/index_check.h"
#include "store/index_writer.h"
#include "store/log_walk.h"
#include "store/store_options.h"

namespace mq::store {

class IndexFollower {
 public:
  // `log` is shared with Reput (one thread). The files are checked from the first CatchUp on. `checked`: files behind
  // the newest one were, in this life of the store.
  IndexFollower(const StoreOptions& options, LogReader& log, std::optional<MarkedIndex> marked, IndexCheckMode mode,
                PhysicalOffset log_min, PhysicalOffset log_end, bool checked);

  // A record that Reput has just dispatched; `end`: where the log goes on behind it.
  void Dispatch(const protocol::MessageView& record, PhysicalOffset end);
  // While behind: puts the keys of at most `max_records` records below `to`. Never an error: what fails is tried again.
  void CatchUp(PhysicalOffset to, int64_t max_records, int64_t now_ms);

  // A step of the look into files that nobody has looked into yet; never an error either.
  void Audit(int64_t now_ms);
  bool auditing(int64_t now_ms) const {
    return writer_ && audit_ && audit_->left() > 0 && now_ms >= audit_retry_at_ms_;
  }
  // All files are to be looked into again, also the one that is being written. False: not now, come again.
  bool CheckAgain();
  // How many files may lack keys below position(), or below what it was before CheckAgain: they are not checked yet, or
  // are being made anew.
  uint32_t unsure() const;
  // Names of files that were found damaged.
  const std::vector<std::string>& damaged() const { return damaged_; }
  // What the marker says of the files is no longer all that is known.
  bool marker_is_stale() const { return marker_is_stale_; }

  // Records below it are in the index; 0 as long as the files have not been checked.
  PhysicalOffset position() const { return position_; }
  bool caught_up() const { return caught_up_; }
  // There is work for CatchUp right now.
  bool more(int64_t now_ms) const { return !caught_up_ && now_ms >= retry_at_ms_; }
  // Cannot be written at the moment.
  bool failing() const { return failing_; }

  // Everything below position() is durable when it returns; then what a marker says of it. Nothing when unchecked.
  Result<std::optional<MarkedIndex>> Sync();
  int64_t last_timestamp() const { return writer_ ? writer_->last_timestamp() : 0; }
  void Trim(PhysicalOffset log_min);

 private:
  Result<bool> Open();
  void AddDamagedBefore(std::vector<std::string>& damaged);
  Status Walk(PhysicalOffset to, int64_t max_records);
  void Failed(const Error& error, int64_t now_ms);

  const StoreOptions options_;
  LogReader& log_;
  std::optional<MarkedIndex> marked_;
  IndexCheckMode mode_;
  PhysicalOffset log_min_;
  PhysicalOffset log_end_;
  bool checked_;
  std::optional<IndexChecker> opening_;
  std::unique_ptr<IndexWriter> writer_;
  std::optional<IndexAudit> audit_;  // as long as writer_
  std::vector<std::string> damaged_;
  std::vector<std::string> damaged_before_;  // found by a look at the files that failed before it was over
  bool marker_is_stale_ = false;
  bool reopened_ = true;                  // and not caught up since
  std::optional<LogWalk> walk_;           // while behind
  std::optional<PhysicalOffset> undone_;  // walked over, but its keys are not all put
  PhysicalOffset position_;
  bool caught_up_ = false;
  bool failing_ = false;
  int64_t retry_at_ms_ = 0;
  int64_t audit_retry_at_ms_ = 0;
  log::RateLimit failure_log_{2};
};

}  // namespace mq::store
