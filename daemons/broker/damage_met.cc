#include "broker/damage_met.h"

namespace mq::broker {

namespace {

// Counted one by one; a store that is damaged all over is told as having more than that.
constexpr size_t kMaxPlaces = 100000;

}  // namespace

void DamageMet::Note(Kind kind, const std::string& topic, int32_t queue_id, store::QueueOffset offset) {
  Places& places = met_[static_cast<size_t>(kind)];
  if (places.all.size() >= kMaxPlaces) return;
  const auto [place, is_new] = places.all.emplace(topic, queue_id, offset.value());
  if (is_new && !places.first) places.first = *place;
}

void DamageMet::ForgetTopic(const std::string& topic) {
  const auto is_of_topic = [&](const Place& place) { return std::get<0>(place) == topic; };
  for (Places& places : met_) {
    std::erase_if(places.all, is_of_topic);
    if (!places.first || !is_of_topic(*places.first)) continue;
    // Which of the others came first is not kept.
    places.first = places.all.empty() ? std::nullopt : std::optional(*places.all.begin());
  }
}

std::string DamageMet::Text(Kind kind) const {
  const Places& places = met_[static_cast<size_t>(kind)];
  if (!places.first) return "";
  const auto& [topic, queue_id, offset] = *places.first;
  const size_t count = places.all.size();
  return (count >= kMaxPlaces ? "more than " : "") + std::to_string(count) + ", the first met at offset " +
         std::to_string(offset) + " of queue " + std::to_string(queue_id) + " of topic " + topic;
}

}  // namespace mq::broker
