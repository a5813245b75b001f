// BootMinimums: the smallest offset of each queue as a start finds it, for as long as mq-reputd has not looked at the
// queue files, or has not derived a queue's first entry again. Without it a queue whose oldest messages have expired
// would seem to begin at 0.
//
// Made with the queue-offset table on the recovery's thread (BuildQueueTable), asked by the broker's loop. The marker
// names the files that were durable: what is whole of them is looked into, and no mapping is kept, because they may
// still be cut and removed. What the walk of the start met of a queue counts from there on. Changes nothing.
#pragma once

#include <optional>

#include "base/result.h"
#include "store/dispatched_marker.h"
#include "store/queue_table.h"
#include "store/store_options.h"

namespace mq::store {

class BootMinimums {
 public:
  // `marker`: the one the table was built from; nothing: the whole log was walked.
  BootMinimums(const StoreOptions& options, PhysicalOffset log_min, std::optional<DispatchedMarker> marker);

  // Nothing: files of the queue were lost, and only mq-reputd will tell. Of the log's minimum at the start, which does
  // not move before mq-reputd has dispatched. Costs a look into the queue's directory.
  Result<std::optional<QueueOffset>> Of(const QueueState& queue) const;

 private:
  Result<std::optional<QueueOffset>> OfMarked(const QueueState& queue, const MarkedQueue& marked) const;

  StoreOptions options_;
  PhysicalOffset log_min_;
  std::optional<DispatchedMarker> marker_;
};

}  // namespace mq::store
