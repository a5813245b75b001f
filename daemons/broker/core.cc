#include "broker/core.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "broker/bounds.h"

namespace mq::broker {

bool Core::QueueFileIsBelieved(Queue& queue) const {
  if (queue.needs_tombstones == 0) return true;
  if (positions->reputd().tombstones_applied.load(std::memory_order_acquire) < queue.needs_tombstones) return false;
  // The old files are gone; what is still mapped of them is not read any more.
  queue_reader->ForgetTopic(queue.topic());
  entry_finder->Forget();
  queue.needs_tombstones = 0;
  return true;
}

int64_t Core::in_memory_bytes() const {
  constexpr int64_t kMemoryPercent = 40;
  return bounds::MemoryBytes() / 100 * kMemoryPercent;
}

std::string Core::SlowestStep() const {
  constexpr const char* kNames[] = {"", "sync of the log", "new commit log file", "commit of the transient pool"};
  const store::FlushdPage& page = positions->flushd();
  const int64_t now = MonotonicMs();
  const uint32_t under_way = page.step.load(std::memory_order_acquire);
  const int64_t turned = page.turned_ms.load(std::memory_order_relaxed);
  constexpr int64_t kSilentMs = 1500;  // it looks once a second at least
  if (under_way == 0 && now - turned > kSilentMs) {
    return "mq-flushd has not looked for " + (turned == 0 ? "any work yet" : std::to_string(now - turned) + " ms");
  }
  size_t slowest = 1;
  int64_t took[4] = {};
  for (size_t i = 1; i < 4; ++i) {
    took[i] = page.last_step_ms[i].load(std::memory_order_relaxed);
    if (i == under_way) took[i] = std::max(took[i], now - page.step_since_ms.load(std::memory_order_relaxed));
    if (took[i] > took[slowest]) slowest = i;
  }
  return std::string(kNames[slowest]) + ": " + std::to_string(took[slowest]) + " ms";
}

std::optional<store::PhysicalOffset> Core::PositionOf(Queue& queue, store::QueueOffset offset) const {
  if (offset >= queue.visible_max) return std::nullopt;
  if (queue.ring.Covers(offset)) return queue.ring[offset].physical_offset;
  if (!QueueFileIsBelieved(queue)) return std::nullopt;
  const auto span = queue_reader->Read(queue.topic(), queue.id(), offset, 1);
  if (!span || span->count != 1 || !(*span)[0].IsRecord()) return std::nullopt;
  return (*span)[0].physical_offset;
}

std::optional<store::QueueOffset> Core::MinOffset(Queue& queue) const {
  if (!QueueFileIsBelieved(queue)) return store::QueueOffset(0);
  auto min = queue_reader->MinOffset(queue.topic(), queue.id());
  // No file says it: either mq-reputd has not looked at them yet, or has none of this queue. Or files say it that may
  // be under way: they begin with what is not there yet.
  const bool derived = dispatched().value() >= positions->broker().recovered_end.load(std::memory_order_acquire);
  if (min && (!*min || !derived)) {
    const store::QueueOffset of_files = min->value_or(store::QueueOffset(0));
    if (!queue.boot_min) min = boot_minimums->Of(*queue.state);
    if (min && *min && !queue.boot_min) queue.boot_min = *min;
    if (queue.boot_min) return std::min(std::max(*queue.boot_min, of_files), queue.visible_max);
  }
  if (min && *min) return std::min(**min, queue.visible_max);
  // Whatever became of the queue's files: nothing has expired yet.
  if (log_reader->min().value() == 0) return store::QueueOffset(0);
  static log::RateLimit limit(6);
  uint64_t suppressed = 0;
  if (limit.Allow(&suppressed)) {
    log::Warn("queue.min", "cannot tell the smallest offset")
        .Field("topic", queue.topic())
        .Field("queue", queue.id())
        .Field("why", min ? "its files were lost and are derived again" : min.error().what)
        .Field("suppressed", suppressed);
  }
  return std::nullopt;
}

std::string Core::LogUnreadable() const {
  if (!unreadable || *unreadable < log_reader->min()) return "";
  const auto file = log_reader->Read(*unreadable, 0);
  return file ? "" : file.error().what;
}

std::string Core::MinUnknown(const Queue& queue) {
  return "the smallest offset of queue " + std::to_string(queue.id()) + " of topic " + queue.topic() +
         " is not known yet: mq-reputd has to look at its files";
}

}  // namespace mq::broker
