// The numbers that are known to have been given in each queue. They outlive the records they were given to: where the
// log has lost some (expired, or damaged below the last flush), new messages must not get them again.
//
// Queue files know them, and so does the marker (dispatched_marker.h). Before mq-reputd cuts files that say more than
// the log can, it writes them to mq/numbers; once everything below the start's end of the log is dispatched it keeps
// them in the queues, as entries without a record, and takes the file away behind the next marker. So a kill at any
// line loses none. The broker asks here for its queue-offset table, so that both agree. Spec: mq-store(5),
// "mq/numbers".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/dispatched_marker.h"
#include "store/layout.h"
#include "store/store_options.h"
#include "store/tombstones.h"
#include "store/types.h"

namespace mq::store {

struct KnownNumber {
  QueueOffset end;  // all below are given
  // By records below this position. Who deleted the topic or began it again at or behind it has begun at 0.
  PhysicalOffset known_at;
};

// More than one of a queue: a larger one may be of a former life.
using KnownNumbers = std::multimap<QueueName, KnownNumber>;

// False when another of that queue says as much; those that say no more than this one go.
bool AddNumber(KnownNumbers& numbers, const QueueName& name, KnownNumber number);
// Those of the marker's queues.
void AddMarked(KnownNumbers& numbers, const DispatchedMarker& marker);
// Takes away those of topics that were deleted since.
void DropDeleted(KnownNumbers& numbers, const Tombstones& tombstones);

// Of each queue one more than the largest offset of an entry whose record ends at or below `log_end`; queues that only
// a topic's former life has left are passed over. Where no entry has a record the marker says when they were known.
// Reads a few pages of each queue, changes nothing.
Result<KnownNumbers> NumbersOfEntries(const StoreOptions& options, PhysicalOffset log_end, const Tombstones& tombstones,
                                      const std::optional<DispatchedMarker>& marker);

// Where the last record ends that an entry of any queue speaks of, at `limit` at most; 0: there is none. Reads a few
// pages of each queue, changes nothing.
Result<PhysicalOffset> EndOfEntries(const StoreOptions& options, PhysicalOffset limit);

// mq/numbers. A missing file is empty, and so is a damaged one, which is told: the queue files may still know them.
Result<KnownNumbers> LoadNumbers(const StoreLayout& layout, const Tombstones& tombstones);
// Atomic and durable.
Status SaveNumbers(const StoreLayout& layout, const KnownNumbers& numbers);
std::string EncodeNumbers(const KnownNumbers& numbers);
// An error for anything but exactly what EncodeNumbers writes.
Result<KnownNumbers> DecodeNumbers(std::string_view text);

}  // namespace mq::store
