// Reput: the steps of mq-reputd. Follows the log and derives consume queues and index from it.
//
// The timer and the wake-up call the same Step. For one message the order is: queue entry, then index,
// then `dispatched`; the broker answers held pulls after that. With SYNC_FLUSH it stops at `flushed`, so that
// nobody consumes what a crash may still take away. Replay is idempotent: it starts from its durable
// marker, believed only as far as log and queue files agree; a lost or stale queue file is noticed at
// Open and derived again, byte for byte. One process, one thread.
// Fed by positions and the log; read by the broker's pull processor. Spec: mq-store(5), "Reput".
//
// Expiry: mq-flushd publishes a new minimum of the log and removes the file; here the queue and index files below it
// follow. What the log no longer holds is passed over by a dispatch that was still there.
//
// Marker order: sample `dispatched` -> sync dirty queues and index -> hand the times to mq-flushd through the page
// -> wait until `flushed` has passed the sample -> marker.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/dispatched_marker.h"
#include "store/index_follower.h"
#include "store/layout.h"
#include "store/log_walk.h"
#include "store/positions.h"
#include "store/queue_numbers.h"
#include "store/queue_writers.h"
#include "store/store_options.h"
#include "store/tombstones.h"

namespace mq::store {

struct ReputOutcome {
  bool advanced = false;            // `dispatched` or `indexed` has grown: ring the broker if it waits
  bool tombstones_applied = false;  // deletions are done: ring the broker
  bool trimmed = false;             // expired queue and index files are gone: ring the broker
  bool more = false;                // there is more to do at once
  bool auditing = false;            // index files are being looked into: more to do, but nobody waits for it
  int64_t next_step_ms = 1000;      // otherwise at the latest then (flush of the queues)
};

class Reput {
 public:
  // The broker's state must be serving (its recovery is done). In a new life of the positions the queue
  // files are checked against marker and log and cut; `rebuild`: believe nothing. Publishes nothing yet.
  static Result<std::unique_ptr<Reput>> Open(const StoreOptions& options, Positions& positions, bool rebuild = false);

  // Dispatches at most `max_records`, applies tombstones, flushes the queues when it is time. After an
  // error (a queue cannot be written) everything stands at the last whole record: come again.
  Result<ReputOutcome> Step(int64_t now_ms, int64_t max_records);
  // The same without making anything durable: never waits for a disk that is busy.
  Result<ReputOutcome> DispatchStep(int64_t now_ms, int64_t max_records);

  // Dispatches all that may be dispatched, syncs the queues, writes the marker as soon as `flushed` covers
  // it (the caller has flushed the log). For drain and --once.
  Status Finish();

  // Looks into all index files that have not been yet. For --once, which leaves nothing to be done beside the work.
  Status FinishAudit();

  // Nothing while the index is off.
  const IndexFollower* index() const { return index_ ? &*index_ : nullptr; }
  PhysicalOffset dispatched() const { return walk_.position(); }
  // What may be dispatched now: with SYNC_FLUSH what is flushed, else what is written.
  PhysicalOffset limit() const;
  bool behind() const { return dispatched() < limit(); }
  PhysicalOffset started_from() const { return started_from_; }
  int64_t records() const { return records_; }
  const QueueAnomalies& anomalies() { return queues_.anomalies(); }
  // The marker last written says this.
  PhysicalOffset durable() const { return marked_; }

 private:
  Reput(const StoreOptions& options, Positions& positions, PhysicalOffset start, Tombstones tombstones);
  Status LoadNewTombstones();
  Result<bool> ApplyTombstones();
  // Of what is readable below `to`, the records in front of `stop`.
  Status Dispatch(PhysicalOffset to, PhysicalOffset stop, int64_t max_records);
  void TellSkipped(const SkippedStretch& stretch);
  Status DispatchRecord(const protocol::MessageView& message);
  Status KeepNumbers();
  Status FlushStep(int64_t now_ms);
  void FollowLogMin();
  void TrimStep(ReputOutcome& outcome);
  Status FlushThoroughly();
  Status WriteMarkerIfCovered();
  bool MarkerIsWanted() const;
  bool Publish();
  bool PublishIndexed();
  void FollowIndexChecks();
  bool PublishIndexState();

  StoreOptions options_;
  StoreLayout layout_;
  Positions& positions_;
  ReputdPage& page_;
  LogReader log_;
  LogWalk walk_;
  QueueWriters queues_;
  std::optional<IndexFollower> index_;
  uint32_t index_checks_ = 0;  // requests that are being served
  size_t index_damaged_ = 0;   // published
  Tombstones tombstones_;
  uint32_t tombstones_loaded_ = 0;
  // Deleted topics whose queues still have to go, once everything before the deletion is dispatched.
  std::map<std::string, PhysicalOffset, std::less<>> pending_removals_;
  // Numbers that the records of the log no longer show, kept once everything below that position is dispatched.
  KnownNumbers numbers_;
  PhysicalOffset numbers_until_;
  bool numbers_stored_ = false;  // mq/numbers is there
  // A record whose entry could not be written: tried again before anything else.
  std::optional<PhysicalOffset> undone_;
  PhysicalOffset started_from_;
  int64_t records_ = 0;
  PhysicalOffset last_record_{-1};
  int64_t last_store_timestamp_ = 0;
  uint32_t last_body_crc_ = 0;
  int64_t last_flush_ms_ = 0;
  int64_t last_thorough_ms_ = 0;
  PhysicalOffset log_min_;  // as last looked at
  // Queue files are trimmed for this minimum, and the requests up to this number are served.
  PhysicalOffset trimmed_;
  uint32_t trim_requests_ = 0;
  std::optional<PhysicalOffset> trimming_;  // under way
  PhysicalOffset marked_;
  PhysicalOffset marked_log_min_;
  PhysicalOffset marked_index_;
  // The marker that was there at the start names this: one that names less would call queues lost that were kept.
  PhysicalOffset believed_;
  std::optional<DispatchedMarker> waiting_marker_;  // its queues are durable; `flushed` is not there yet
  bool waiting_keeps_numbers_ = false;              // it names the entries of all numbers_ there were
};

}  // namespace mq::store
