// Which brokers failed a short while ago: the producer prefers the others for some seconds. Loop thread only.
#pragma once

#include <algorithm>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace mq::client {

class BrokerHealth {
 public:
  // A broker that failed is avoided this long; twice as long after each further failure, up to the limit.
  static constexpr int64_t kAvoidMs = 2'000;
  static constexpr int64_t kMaxAvoidMs = 30'000;

  void Failed(std::string_view broker, int64_t now_ms) {
    State& state = states_[std::string(broker)];
    if (now_ms < state.avoid_until_ms) return;  // one outage, told by many requests
    state.avoid_ms = state.avoid_ms == 0 ? kAvoidMs : std::min(state.avoid_ms * 2, kMaxAvoidMs);
    state.avoid_until_ms = now_ms + state.avoid_ms;
  }
  void Worked(std::string_view broker) {
    const auto found = states_.find(broker);
    if (found != states_.end()) states_.erase(found);
  }
  bool Avoid(std::string_view broker, int64_t now_ms) const {
    const auto found = states_.find(broker);
    return found != states_.end() && now_ms < found->second.avoid_until_ms;
  }

 private:
  struct State {
    int64_t avoid_until_ms = 0;
    int64_t avoid_ms = 0;
  };
  std::map<std::string, State, std::less<>> states_;
};

}  // namespace mq::client
