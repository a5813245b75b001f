#include "broker/stats_table.h"

#include <iterator>

#include "base/clock.h"

namespace mq::broker {
namespace {

// In the order of StatsName.
constexpr std::string_view kNames[] = {
    "TOPIC_PUT_NUMS",  "TOPIC_PUT_SIZE", "GROUP_GET_NUMS", "GROUP_GET_SIZE", "BROKER_PUT_NUMS",
    "BROKER_GET_NUMS", "QUEUE_PUT_NUMS", "QUEUE_PUT_SIZE", "QUEUE_GET_NUMS", "QUEUE_GET_SIZE",
};
static_assert(std::size(kNames) == static_cast<size_t>(StatsName::kCount));

}  // namespace

StatsItem::StatsItem(int64_t now_ms) {
  for (const Window window : {kMinute, kHour, kDay}) Sample(window, now_ms);
}

void StatsItem::Sample(Window window, int64_t now_ms) {
  const Point point{now_ms, now_.value, now_.times};
  switch (window) {
    case kMinute:
      return minute_.Push(point);
    case kHour:
      return hour_.Push(point);
    case kDay:
      return day_.Push(point);
  }
}

protocol::BrokerStatsItem StatsItem::Of(Window window, int64_t now_ms) const {
  const Point& from = window == kMinute ? minute_.oldest() : window == kHour ? hour_.oldest() : day_.oldest();
  protocol::BrokerStatsItem out;
  out.sum = now_.value - from.value;
  const int64_t ms = now_ms - from.time_ms;
  if (ms > 0) out.tps = static_cast<double>(out.sum) * 1000.0 / static_cast<double>(ms);
  const int64_t times = now_.times - from.times;
  if (times > 0) out.average = static_cast<double>(out.sum) / static_cast<double>(times);
  return out;
}

StatsItem& StatsTable::Get(StatsName name, std::string_view key) {
  Items& items = tables_[static_cast<size_t>(name)];
  if (const auto it = items.find(key); it != items.end()) return *it->second;
  return *items.emplace(key, std::make_unique<StatsItem>(MonotonicMs())).first->second;
}

const StatsItem* StatsTable::Find(std::string_view name, std::string_view key) const {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] != name) continue;
    const auto it = tables_[i].find(key);
    return it == tables_[i].end() ? nullptr : it->second.get();
  }
  return nullptr;
}

protocol::BrokerStatsData StatsTable::Data(const StatsItem& item, int64_t now_ms) {
  return {item.Of(StatsItem::kMinute, now_ms), item.Of(StatsItem::kHour, now_ms), item.Of(StatsItem::kDay, now_ms)};
}

void StatsTable::Tick(int64_t now_ms) {
  constexpr int64_t kSteps[] = {kMinuteStepMs, kHourStepMs, kDayStepMs};
  for (size_t window = 0; window < std::size(kSteps); ++window) {
    if (sampled_ms_[window] == 0) sampled_ms_[window] = now_ms;
    if (now_ms - sampled_ms_[window] < kSteps[window]) continue;
    sampled_ms_[window] = now_ms;
    for (Items& items : tables_) {
      for (auto& [key, item] : items) item->Sample(static_cast<StatsItem::Window>(window), now_ms);
    }
  }
}

void StatsTable::RemoveTopic(std::string_view topic) {
  const auto is_of = [&](const auto& entry) {
    const std::string_view key = entry.first;
    return key == topic || (key.starts_with(topic) && key.size() > topic.size() && key[topic.size()] == '@');
  };
  for (const StatsName name :
       {StatsName::kTopicPutNums, StatsName::kTopicPutSize, StatsName::kGroupGetNums, StatsName::kGroupGetSize,
        StatsName::kQueuePutNums, StatsName::kQueuePutSize, StatsName::kQueueGetNums, StatsName::kQueueGetSize}) {
    std::erase_if(tables_[static_cast<size_t>(name)], is_of);
  }
}

void StatsTable::RemoveGroup(std::string_view group) {
  const auto is_of = [&](const auto& entry) {
    const std::string_view key = entry.first;
    return key.ends_with(group) && key.size() > group.size() && key[key.size() - group.size() - 1] == '@';
  };
  for (const StatsName name :
       {StatsName::kGroupGetNums, StatsName::kGroupGetSize, StatsName::kQueueGetNums, StatsName::kQueueGetSize}) {
    std::erase_if(tables_[static_cast<size_t>(name)], is_of);
  }
}

}  // namespace mq::broker
