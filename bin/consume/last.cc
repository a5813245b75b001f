#include "consume/last.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace mq::consume {
namespace {

// The least a stretch further back is long: with a rare tag single messages are not worth a question each.
constexpr std::int64_t kLeastStretch = 1024;

}  // namespace

std::unique_ptr<KeptMessage> KeptMessage::Of(const client::PulledMessage& message) {
  auto kept = std::make_unique<KeptMessage>();
  kept->record = message.record;
  kept->topic = message.record.topic;
  kept->body = message.body;
  kept->properties = message.record.properties;
  kept->broker = message.broker_name;
  kept->record.topic = kept->topic;
  kept->record.body = kept->body;
  kept->record.properties = kept->properties;
  return kept;
}

std::optional<LastMessages::Stretch> LastMessages::Begin(const client::MessageQueue& queue, std::int64_t min,
                                                         std::int64_t max) {
  if (min >= max) return std::nullopt;
  Queue& state = queues_[queue];
  state.min = min;
  state.stretch = {std::max(min, max - wanted_), max};
  return state.stretch;
}

void LastMessages::Add(const client::MessageQueue& queue, const client::PulledMessage& message) {
  std::vector<std::unique_ptr<KeptMessage>>& reading = queues_[queue].reading;
  reading.push_back(KeptMessage::Of(message));
  // Only the newest of a long stretch can be among the chosen; cut now and then to keep this cheap.
  if (static_cast<std::int64_t>(reading.size()) > 2 * wanted_) {
    reading.erase(reading.begin(), reading.end() - static_cast<std::ptrdiff_t>(wanted_));
  }
}

std::optional<LastMessages::Stretch> LastMessages::Next(const client::MessageQueue& queue) {
  Queue& state = queues_[queue];
  // What was just read is older than what was found before.
  std::move(state.found.begin(), state.found.end(), std::back_inserter(state.reading));
  state.found = std::exchange(state.reading, {});
  if (static_cast<std::int64_t>(state.found.size()) >= wanted_ || state.stretch.begin <= state.min) return std::nullopt;
  const std::int64_t length = std::max(2 * (state.stretch.end - state.stretch.begin), kLeastStretch);
  state.stretch = {std::max(state.min, state.stretch.begin - length), state.stretch.begin};
  return state.stretch;
}

std::vector<std::unique_ptr<KeptMessage>> LastMessages::Take() {
  std::vector<std::unique_ptr<KeptMessage>> chosen;
  for (auto& [queue, state] : queues_) {
    const std::size_t skip = state.found.size() - std::min(state.found.size(), static_cast<std::size_t>(wanted_));
    std::move(state.found.begin() + static_cast<std::ptrdiff_t>(skip), state.found.end(), std::back_inserter(chosen));
  }
  queues_.clear();
  // Equal times: in the order of broker and queue, and within a queue as stored.
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto& a, const auto& b) { return a->record.store_timestamp < b->record.store_timestamp; });
  if (!per_queue_ && static_cast<std::int64_t>(chosen.size()) > wanted_) {
    chosen.erase(chosen.begin(), chosen.end() - static_cast<std::ptrdiff_t>(wanted_));
  }
  return chosen;
}

}  // namespace mq::consume
