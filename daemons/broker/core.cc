#include "broker/core.h"

#include "base/log.h"

namespace mq::broker {

bool Core::QueueFileIsBelieved(Queue& queue) const {
  if (queue.needs_tombstones == 0) return true;
  if (positions->reputd().tombstones_applied.load(std::memory_order_acquire) < queue.needs_tombstones) return false;
  // The old files are gone; what is still mapped of them is not read any more.
  queue_reader->ForgetTopic(queue.topic());
  queue.needs_tombstones = 0;
  return true;
}

store::QueueOffset Core::MinOffset(Queue& queue) const {
  if (!QueueFileIsBelieved(queue)) return store::QueueOffset(0);
  const auto min = queue_reader->MinOffset(queue.topic(), queue.id());
  if (!min) {
    static log::RateLimit limit(6);
    uint64_t suppressed = 0;
    if (limit.Allow(&suppressed)) {
      log::Warn("queue.min", "cannot tell the smallest offset")
          .Field("topic", queue.topic())
          .Field("error", min.error())
          .Field("suppressed", suppressed);
    }
    return store::QueueOffset(0);
  }
  return std::min(*min, queue.visible_max);
}

}  // namespace mq::broker
