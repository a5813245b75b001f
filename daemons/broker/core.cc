#include "broker/core.h"

#include <unistd.h>

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

int64_t Core::in_memory_bytes() const {
  constexpr int64_t kMemoryPercent = 40;
  static const int64_t memory =
      static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(::sysconf(_SC_PAGESIZE));
  return memory / 100 * kMemoryPercent;
}

std::optional<store::PhysicalOffset> Core::PositionOf(Queue& queue, store::QueueOffset offset) const {
  if (offset >= queue.visible_max) return std::nullopt;
  if (queue.ring.Covers(offset)) return queue.ring[offset].physical_offset;
  if (!QueueFileIsBelieved(queue)) return std::nullopt;
  const auto span = queue_reader->Read(queue.topic(), queue.id(), offset, 1);
  if (!span || span->count != 1 || !(*span)[0].IsRecord()) return std::nullopt;
  return (*span)[0].physical_offset;
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
