#include "store/boot_minimums.h"

#include "store/consume_queue.h"
#include "store/queue_check.h"

namespace mq::store {

namespace {

// A queue without a record that is left begins where it goes on.
QueueOffset AsWalked(const QueueState& queue) {
  return queue.first_walked.value() >= 0 ? queue.first_walked : queue.next;
}

}  // namespace

BootMinimums::BootMinimums(const StoreOptions& options, PhysicalOffset log_min, std::optional<DispatchedMarker> marker)
    : options_(options), log_min_(log_min), marker_(std::move(marker)) {}

Result<std::optional<QueueOffset>> BootMinimums::Of(const QueueState& queue) const {
  if (!queue.recovered || log_min_.value() == 0) return std::optional(QueueOffset(0));
  if (!marker_) return std::optional(AsWalked(queue));
  const auto marked = marker_->queues.find(QueueName{queue.topic, queue.queue_id});
  if (marked == marker_->queues.end()) return std::optional(AsWalked(queue));
  return OfMarked(queue, marked->second);
}

Result<std::optional<QueueOffset>> BootMinimums::OfMarked(const QueueState& queue, const MarkedQueue& marked) const {
  MQ_ASSIGN(const auto kept, LookAtMarked(options_, log_min_, *marker_, {queue.topic, queue.queue_id}, marked));
  if (!kept) return std::optional<QueueOffset>();
  ConsumeQueueReader reader(options_, nullptr, marker_->offset);
  MQ_ASSIGN(const auto first, reader.FirstFrom(queue.topic, queue.queue_id, log_min_));
  if (first && *first < kept->end) return first;
  // All of it has expired. What was lost behind it may hold the first record that has not.
  if (kept->end < marked.end) return std::optional<QueueOffset>();
  return std::optional(AsWalked(queue));
}

}  // namespace mq::store
