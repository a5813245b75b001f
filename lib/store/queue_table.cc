#include "store/queue_table.h"

namespace mq::store {

QueueState* QueueTable::Find(std::string_view topic, int32_t queue_id) {
  auto it = states_.find(Key{topic, queue_id});
  return it == states_.end() ? nullptr : it->second.get();
}

const QueueState* QueueTable::Find(std::string_view topic, int32_t queue_id) const {
  auto it = states_.find(Key{topic, queue_id});
  return it == states_.end() ? nullptr : it->second.get();
}

QueueState& QueueTable::GetOrCreate(std::string_view topic, int32_t queue_id) {
  if (QueueState* state = Find(topic, queue_id)) return *state;
  auto state = std::make_unique<QueueState>();
  state->topic = topic;
  state->queue_id = queue_id;
  QueueState& made = *state;
  states_.emplace(Key{made.topic, queue_id}, std::move(state));
  return made;
}

void QueueTable::Raise(std::string_view topic, int32_t queue_id, QueueOffset next) {
  QueueState& state = GetOrCreate(topic, queue_id);
  if (state.next < next) state.next = next;
}

void QueueTable::ResetTopic(std::string_view topic) {
  for (auto& [key, state] : states_) {
    if (state->topic != topic) continue;
    state->next = QueueOffset(0);
    state->last_record_end = PhysicalOffset(0);
  }
}

}  // namespace mq::store
