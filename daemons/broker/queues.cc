#include "broker/queues.h"

#include <algorithm>

#include "broker/pull_hold.h"

namespace mq::broker {

Queue::Queue() = default;
Queue::~Queue() = default;

Queues::Queues(store::QueueTable& table, bool reveal, std::function<void(Queue&)> on_advanced)
    : table_(table), reveal_(reveal), on_advanced_(std::move(on_advanced)) {}

Queue* Queues::Find(std::string_view topic, int32_t queue_id) {
  const auto it = queues_.find(Key{topic, queue_id});
  return it == queues_.end() ? nullptr : it->second.get();
}

Queue& Queues::GetOrCreate(std::string_view topic, int32_t queue_id) {
  if (Queue* found = Find(topic, queue_id)) return *found;
  auto queue = std::make_unique<Queue>();
  queue->state = &table_.GetOrCreate(topic, queue_id);
  Queue& out = *queue;
  queues_.emplace(Key{out.state->topic, queue_id}, std::move(queue));
  return out;
}

void Queues::Show(Queue& queue, store::QueueOffset max) {
  queue.visible_max = max;
  if (queue.held.empty() || queue.advanced) return;
  queue.advanced = true;
  on_advanced_(queue);
}

void Queues::Appended(Queue& queue, store::PhysicalOffset end) {
  if (reveal_) {
    unrevealed_.push_back({end, &queue, queue.state->next});
  } else {
    Show(queue, queue.state->next);
  }
}

void Queues::Reveal(store::PhysicalOffset visible_end) {
  while (!unrevealed_.empty() && unrevealed_.front().end <= visible_end) {
    const Unrevealed& next = unrevealed_.front();
    Show(*next.queue, next.max);
    unrevealed_.pop_front();
  }
}

void Queues::RevealAll() {
  table_.ForEach([this](const store::QueueState& state) {
    Queue& queue = GetOrCreate(state.topic, state.queue_id);
    queue.visible_max = state.next;
  });
}

void Queues::ResetTopic(std::string_view topic, uint32_t tombstones) {
  table_.ResetTopic(topic);
  std::erase_if(unrevealed_, [&](const Unrevealed& u) { return u.queue->topic() == topic; });
  for (auto& [key, queue] : queues_) {
    if (key.topic != topic) continue;
    queue->ring.Clear(budget_);
    queue->visible_max = store::QueueOffset(0);
    queue->boot_min.reset();
    queue->needs_tombstones = tombstones;
    queue->put_nums = queue->put_size = nullptr;
    Show(*queue, store::QueueOffset(0));
  }
}

int32_t Queues::RecoveredQueues(std::string_view topic) const {
  int32_t queues = 0;
  table_.ForEach([&](const store::QueueState& state) {
    if (state.recovered && state.next.value() > 0 && state.topic == topic)
      queues = std::max(queues, state.queue_id + 1);
  });
  return queues;
}

void Queues::ForEach(const std::function<void(Queue&)>& visit) {
  for (auto& [key, queue] : queues_) visit(*queue);
}

}  // namespace mq::broker
