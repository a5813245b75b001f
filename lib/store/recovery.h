// Recovery: what the broker does with the log at boot, alone, under the lock.
//
// Finds the end of the log, zeroes whatever is not zero behind it, and makes it durable, so that
// flushed = committed = wrote when it returns. Then builds the queue-offset table. Never deletes or
// shrinks a file; may be killed at any line and started again. Spec: mq-store(5), "Recovery".
//
// Rules that differ from RocketMQ's on purpose: damage below the last durable flush (the checkpoint, or
// everything after a clean stop) never cuts the log: the bad stretch is skipped, kept and reported, also when nothing
// whole is left behind it: then the log goes on where it is known to have been durable to. Damage above it is the end
// of the log; where no checkpoint says how far it was flushed, only what no whole record follows is. Of a store whose
// last writer was RocketMQ no position is known, only a time: it says which damage lies below the flush, and damage at
// the end is cut off.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/dispatched_marker.h"
#include "store/queue_table.h"
#include "store/store_options.h"
#include "store/tombstones.h"

namespace mq::store {

struct DamagedStretch {
  PhysicalOffset from;
  PhysicalOffset to;
  std::string reason;
  bool served = false;  // one record, whole but for its body: consumers get it as it is, with its checksum
};

struct RecoverResult {
  PhysicalOffset min;  // first log file
  PhysicalOffset end;  // wrote = committed = flushed
  int64_t last_store_timestamp = 0;
  bool clean = true;  // there was no abort file
  bool checkpoint_distrusted = false;
  PhysicalOffset scanned_from;
  int64_t records = 0;            // walked
  PhysicalOffset short_file_end;  // where a last file that was too short ended; 0: none
  int64_t bytes_dropped = 0;      // not zero, behind the end, overwritten with zeros (a plan measures them itself)
  int64_t records_dropped = 0;    // whole records among them
  std::vector<DamagedStretch> kept_damage;  // in order
  PhysicalOffset lost_log_end;              // no log file was left, and records up to here had been durable; 0: not so
  PhysicalOffset lost_log_begin{-1};  // the log began here, and expiry has not taken what lay up to min; -1: not so
  std::optional<DispatchedMarker> marker;  // believed; one that is not is taken away by kRepair
  std::string marker_doubt;                // why there is none
};

// Called now and then: what is being done, how far it is (0..100).
using RecoverProgress = std::function<void(std::string_view what, int percent)>;

enum class RecoverMode {
  kRepair,    // the broker: zero the tail, make it durable
  kLookOnly,  // --once: find the end, change nothing; a last file that is too short is an error
  kPlan,      // say what kRepair would do, change nothing
};

// `clean`: whether the abort file was absent, noted before it was created for this run. `progress` may be
// empty. An error means the store must not be opened: files of a wrong size or missing between others,
// records of a format this version does not know.
// What lies below `durable` (0: not known) counts as durable besides what the store itself says: a left pool's records.
Result<RecoverResult> RecoverCommitLog(const StoreOptions& options, bool clean, const RecoverProgress& progress,
                                       RecoverMode mode = RecoverMode::kRepair,
                                       PhysicalOffset durable = PhysicalOffset(0));

// The next offset of every queue: the larger of what the marker (or, without one, the expired part of the
// queues) says and what a walk over the records from there to `recovered.end` finds. Reads queues, writes
// nothing.
struct NumberedQueues {
  int64_t records = 0;                     // walked
  std::optional<DispatchedMarker> marker;  // believed, and begun with
  bool log_damaged = false;                // recovery or this walk went over damage: records with numbers are lost
};
Result<NumberedQueues> BuildQueueTable(const StoreOptions& options, const RecoverResult& recovered,
                                       const Tombstones& tombstones, QueueTable& table,
                                       const RecoverProgress& progress);

}  // namespace mq::store
