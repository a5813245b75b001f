// Reput: the steps of mq-reputd. Follows the log and derives the consume queues from it.
//
// The timer and the wake-up call the same Step. For one message the order is: queue entry -> (index) ->
// `dispatched`; the broker answers held pulls after that. With SYNC_FLUSH it stops at `flushed`, so that
// nobody consumes what a crash may still take away. Replay is idempotent: it starts from its durable
// marker, believed only as far as log and queue files agree; a lost or stale queue file is noticed at
// Open and derived again, byte for byte. One process, one thread.
// Fed by positions and the log; read by the broker's pull processor. Spec: mq-store(5), "Reput".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/dispatched_marker.h"
#include "store/layout.h"
#include "store/positions.h"
#include "store/queue_writer.h"
#include "store/record.h"
#include "store/store_options.h"
#include "store/tombstones.h"

namespace mq::store {

struct ReputOutcome {
  bool advanced = false;            // `dispatched` has grown: ring the broker if it waits
  bool more = false;                // there is more to do at once
  bool tombstones_applied = false;  // deletions are done: ring the broker
  int64_t next_step_ms = 1000;      // otherwise at the latest then (flush of the queues)
};

class Reput {
 public:
  // The broker's state must be serving (its recovery is done). Checks the queue files against marker and
  // log, cuts tails beyond the recovered end, and finds where to start. `rebuild`: believe nothing.
  static Result<std::unique_ptr<Reput>> Open(const StoreOptions& options, Positions& positions, bool rebuild = false);

  // Dispatches at most `max_records`, applies tombstones, flushes the queues when it is time.
  // An operating error (a queue cannot be written) leaves everything at the last whole record: try again.
  Result<ReputOutcome> Step(int64_t now_ms, int64_t max_records);

  // Dispatches all that may be dispatched, syncs the queues, writes the marker (waits for nothing: the
  // caller has flushed the log). For drain and --once.
  Status Finish();

  PhysicalOffset dispatched() const { return dispatched_; }
  // What may be dispatched now.
  PhysicalOffset limit() const;
  bool behind() const { return dispatched_ < limit(); }
  PhysicalOffset started_from() const { return started_from_; }

 private:
  Reput(const StoreOptions& options, Positions& positions);
  Status Prepare(bool rebuild);
  Result<int64_t> DispatchRegion(PhysicalOffset limit, int64_t max_records);
  Status DispatchRecord(const protocol::MessageView& message);
  int64_t TagsCodeOf(const protocol::MessageView& message) const;
  PhysicalOffset SkipDamage(std::string_view region, const RecordCheck& check);
  Status ApplyTombstones(bool* applied);
  Status FlushStep(int64_t now_ms);
  Status WriteMarkerIfCovered();
  void Publish();

  StoreOptions options_;
  StoreLayout layout_;
  Positions& positions_;
  ReputdPage& page_;
  LogReader log_;
  QueueWriters queues_;
  Tombstones tombstones_;
  uint32_t tombstones_loaded_ = 0;
  bool tombstones_pending_ = false;
  PhysicalOffset dispatched_;
  PhysicalOffset started_from_;
  PhysicalOffset last_record_{-1};
  int64_t last_store_timestamp_ = 0;
  uint32_t last_body_crc_ = 0;
  int64_t last_flush_ms_ = 0;
  int64_t last_thorough_ms_ = 0;
  PhysicalOffset marked_;
  std::optional<DispatchedMarker> waiting_marker_;  // queues are durable; `flushed` is not there yet
};

}  // namespace mq::store
