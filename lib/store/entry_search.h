// Finds in the log what a damaged stretch of a consume queue no longer says: the records of some queue offsets, between
// the nearest entries in front of and behind them that agree with their records. Nothing is guessed and nothing is
// written: mq-reputd alone writes queue files, and mq-storedump --rebuild makes them anew.
//
// Reads as much of the log as lies between the two neighbours, so it is no work for a loop: any other thread, with
// readers of its own. Used by the broker's EntryFinder.
#pragma once

#include <atomic>
#include <map>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/positions.h"
#include "store/queue_entry.h"
#include "store/store_options.h"

namespace mq::store {

struct FoundEntries {
  // Offsets that were looked for: [from, to). One that is not in `entries` has no whole record in the log. None at all
  // when their records may be among those that mq-reputd has still to dispatch.
  QueueOffset from;
  QueueOffset to;
  std::map<QueueOffset, QueueEntry> entries;
};

// Looks for `from` and all that follow it up to the next sound entry: `end` at most, and 10,000. kClosed once
// `called_off`.
Result<FoundEntries> SearchEntries(const StoreOptions& options, const Positions& positions, const QueueName& name,
                                   QueueOffset from, QueueOffset end, const std::atomic<bool>& called_off);

// Whether the record that the entry speaks of lies in the log and is the one of that queue and offset. `kUnknown`:
// there is no record at all, so either of the two may be damaged.
enum class EntryAgrees { kYes, kNo, kUnknown };
EntryAgrees CompareEntry(LogReader& log, const QueueName& name, QueueOffset offset, const QueueEntry& entry);

}  // namespace mq::store
