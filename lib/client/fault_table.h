// Which brokers are slow: RocketMQ's latency fault table (sendLatencyFaultEnable), for --fault-delay of mq-send.
//
// Each answer says how long its broker took. A slow one is not sent to for a while, by the two tables of RocketMQ; one
// that failed counts as one that took 30 s. When every broker is to be avoided, the least bad half of them is used in
// turn. Pure bookkeeping; loop thread only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace mq::client {

class FaultTable {
 public:
  // latencyMax and notAvailableDuration, in milliseconds.
  static constexpr int64_t kLatencyMaxMs[] = {50, 100, 550, 1'000, 2'000, 3'000, 15'000};
  static constexpr int64_t kNotAvailableMs[] = {0, 0, 30'000, 60'000, 120'000, 180'000, 600'000};
  static constexpr int64_t kIsolationMs = 30'000;

  static int64_t NotAvailableFor(int64_t latency_ms) {
    for (size_t i = std::size(kLatencyMaxMs); i-- > 0;) {
      if (latency_ms >= kLatencyMaxMs[i]) return kNotAvailableMs[i];
    }
    return 0;
  }

  // An answer, or with `isolate` a failure. Returns for how long the broker is avoided now.
  int64_t Update(std::string_view broker, int64_t latency_ms, bool isolate, int64_t now_ms) {
    const int64_t avoid_ms = NotAvailableFor(isolate ? kIsolationMs : latency_ms);
    items_[std::string(broker)] = {latency_ms, now_ms + avoid_ms};
    return avoid_ms;
  }

  bool Available(std::string_view broker, int64_t now_ms) const {
    const auto found = items_.find(broker);
    return found == items_.end() || now_ms >= found->second.available_from_ms;
  }

  // One of the least bad half of the brokers named, another one each time: available ones first, then by latency, then
  // by when they are available again. Empty for none.
  std::string LeastBad(std::span<const std::string> brokers, int64_t now_ms) {
    std::vector<std::string> sorted(brokers.begin(), brokers.end());
    if (sorted.empty()) return {};
    const auto rank = [&](const std::string& broker) {
      const auto found = items_.find(broker);
      const Item item = found == items_.end() ? Item{} : found->second;
      return std::tuple(now_ms < item.available_from_ms, item.latency_ms, item.available_from_ms);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return sorted[next_++ % std::max<size_t>(sorted.size() / 2, 1)];
  }

 private:
  struct Item {
    int64_t latency_ms = 0;
    int64_t available_from_ms = 0;
  };
  std::map<std::string, Item, std::less<>> items_;
  size_t next_ = 0;
};

}  // namespace mq::client
