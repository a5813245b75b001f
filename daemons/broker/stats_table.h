// StatsTable: what the broker counts by name and key, such as the messages put to one topic (TOPIC_PUT_NUMS, "T") or
// handed to one group (GROUP_GET_NUMS, "T@G"), with the sums and rates of the last minute, hour and day (315).
//
// Counting is an addition; a sampler on the broker's tick notes every counter each 10 s, 10 min and hour. A window
// reaches from its oldest sample to now, so a question right after the first message is answered with what there is.
// Memory only, about 1 KiB a key; keys go with their topic or group. Loop thread only. Spec: store 12.10.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/strings.h"
#include "protocol/broker_views.h"

namespace mq::broker {

// Do not rename: the names travel in requests.
enum class StatsName {
  kTopicPutNums,
  kTopicPutSize,
  kGroupGetNums,
  kGroupGetSize,
  kBrokerPutNums,
  kBrokerGetNums,
  kQueuePutNums,
  kQueuePutSize,
  kQueueGetNums,
  kQueueGetSize,
  kCount
};

class StatsItem {
 public:
  explicit StatsItem(int64_t now_ms);
  // `times` counts how often something was added: their quotient is the average.
  void Add(int64_t value, int64_t times = 1) {
    now_.value += value;
    now_.times += times;
  }
  enum Window { kMinute, kHour, kDay };
  void Sample(Window window, int64_t now_ms);
  protocol::BrokerStatsItem Of(Window window, int64_t now_ms) const;

 private:
  struct Point {
    int64_t time_ms = 0;
    int64_t value = 0;
    int64_t times = 0;
  };
  template <size_t kPoints>
  struct Ring {
    std::array<Point, kPoints> points{};
    size_t count = 0;
    void Push(const Point& point) { points[count++ % kPoints] = point; }
    const Point& oldest() const { return points[count > kPoints ? count % kPoints : 0]; }
  };
  Point now_;
  // As many samples as RocketMQ keeps: one more than the window has steps.
  Ring<7> minute_;
  Ring<7> hour_;
  Ring<25> day_;
};

class StatsTable {
 public:
  static constexpr int64_t kMinuteStepMs = 10 * 1000;
  static constexpr int64_t kHourStepMs = 10 * 60 * 1000;
  static constexpr int64_t kDayStepMs = 60 * 60 * 1000;

  // Made when it is missing. The pointer is valid until its topic or group is removed.
  StatsItem& Get(StatsName name, std::string_view key);
  // Null when nothing was counted under that name (as RocketMQ spells it) and key.
  const StatsItem* Find(std::string_view name, std::string_view key) const;
  static protocol::BrokerStatsData Data(const StatsItem& item, int64_t now_ms);

  // Called at least every 10 s.
  void Tick(int64_t now_ms);
  void RemoveTopic(std::string_view topic);
  void RemoveGroup(std::string_view group);

 private:
  using Items = std::unordered_map<std::string, std::unique_ptr<StatsItem>, StringHash, std::equal_to<>>;
  std::array<Items, static_cast<size_t>(StatsName::kCount)> tables_;
  std::array<int64_t, 3> sampled_ms_{};
};

}  // namespace mq::broker
