#include "broker/unknown_topics.h"

#include <algorithm>

#include "base/log.h"

namespace mq::broker {

namespace {

constexpr int kNamed = 5;  // more are counted

}  // namespace

void UnknownTopics::Look(const store::QueueTable& table, Topics& topics) {
  table.ForEach([&](const store::QueueState& state) {
    if (!state.recovered || state.next.value() == 0) return;
    if (topics.Find(state.topic) != nullptr || topics.IsSystem(state.topic)) return;
    int32_t& queues = queues_[state.topic];
    queues = std::max(queues, state.queue_id + 1);
  });
  if (queues_.empty()) return;
  log::Warn("topics.load", "the log holds messages of topics that no table knows; they are kept, and cannot be read")
      .Field("count", static_cast<uint64_t>(queues_.size()))
      .Field("topics", Text(topics));
}

std::string UnknownTopics::Text(Topics& topics) const {
  std::string text;
  int unknown = 0;
  for (const auto& [topic, queues] : queues_) {
    if (topics.Find(topic) != nullptr || ++unknown > kNamed) continue;
    text.append(text.empty() ? "" : ", ").append(topic).append(" (").append(std::to_string(queues));
    text.append(queues == 1 ? " queue)" : " queues)");
  }
  if (unknown > kNamed) text.append(" and ").append(std::to_string(unknown - kNamed)).append(" more");
  return text;
}

}  // namespace mq::broker
