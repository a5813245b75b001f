#include "remoting/call_table.h"

#include <algorithm>
#include <utility>

namespace mq::remoting {
namespace {

constexpr size_t kFirstSlots = 16;
// Room for stragglers beside a full set of waiting calls.
constexpr size_t kMaxSlots = 2 * (kMaxPendingCalls + 1);

}  // namespace

std::optional<int32_t> CallTable::Add(const CallDeadline& deadline, CallCallback callback) {
  if (count_ >= kMaxPendingCalls) return std::nullopt;
  if (ring_.empty()) ring_.resize(kFirstSlots);
  const int32_t opaque = next_;
  next_ = next_ == INT32_MAX ? 1 : next_ + 1;
  while (ring_[static_cast<size_t>(opaque) & (ring_.size() - 1)].callback) {
    if (!Grow()) return std::nullopt;
  }
  ring_[static_cast<size_t>(opaque) & (ring_.size() - 1)] = {opaque, deadline, std::move(callback)};
  ++count_;
  return opaque;
}

bool CallTable::Grow() {
  if (ring_.size() * 2 > kMaxSlots) return false;
  std::vector<Entry> bigger(ring_.size() * 2);
  for (Entry& entry : ring_) {
    // Two that shared no slot of the smaller ring share none of the bigger one.
    if (entry.callback) bigger[static_cast<size_t>(entry.opaque) & (bigger.size() - 1)] = std::move(entry);
  }
  ring_ = std::move(bigger);
  return true;
}

CallCallback CallTable::Take(int32_t opaque) {
  if (ring_.empty()) return {};
  Entry& entry = ring_[static_cast<size_t>(opaque) & (ring_.size() - 1)];
  if (!entry.callback || entry.opaque != opaque) return {};
  --count_;
  return std::exchange(entry.callback, nullptr);
}

CallCallback CallTable::TakeExpired(int64_t now_ms, int64_t heard_ms) {
  for (Entry& entry : ring_) {
    if (!entry.callback || entry.deadline.At(heard_ms) > now_ms) continue;
    --count_;
    return std::exchange(entry.callback, nullptr);
  }
  return {};
}

CallCallback CallTable::TakeAny() {
  for (Entry& entry : ring_) {
    if (!entry.callback) continue;
    --count_;
    return std::exchange(entry.callback, nullptr);
  }
  return {};
}

int64_t CallTable::EarliestDeadline(int64_t heard_ms) const {
  int64_t earliest = -1;
  for (const Entry& entry : ring_) {
    if (!entry.callback) continue;
    const int64_t at = entry.deadline.At(heard_ms);
    if (earliest < 0 || at < earliest) earliest = at;
  }
  return earliest;
}

}  // namespace mq::remoting
