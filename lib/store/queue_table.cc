#include "store/queue_table.h"

#include <utility>

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

void QueueTable::Note(std::string_view topic, int32_t queue_id, QueueOffset offset) {
  QueueState& state = GetOrCreate(topic, queue_id);
  state.recovered = true;
  if (offset > kMaxQueueOffset) return;
  const bool first = state.next.value() == 0;
  // A second record from 0 on: the topic was deleted and made again.
  const bool lives_again =
      std::exchange(state.again, !first && !state.alone && offset.value() == 0) && offset.value() == 1;
  if (!first && offset - state.next > kMaxGapEntries) return;
  // The first one claimed too high an offset when the second one lies below its file.
  if (first || offset >= state.next || state.alone || lives_again) {
    state.next = offset + 1;
    if (state.first_walked.value() < 0 || offset < state.first_walked) {
      state.first_walked = lives_again ? QueueOffset(0) : offset;
    }
  }
  state.alone = first;
}

void QueueTable::Raise(std::string_view topic, int32_t queue_id, QueueOffset next) {
  QueueState& state = GetOrCreate(topic, queue_id);
  if (state.next < next) state.next = next;
  state.recovered = true;
}

void QueueTable::ResetTopic(std::string_view topic) {
  for (auto& [key, state] : states_) {
    if (state->topic != topic) continue;
    state->next = QueueOffset(0);
    state->last_record_end = PhysicalOffset(0);
    state->recovered = false;
  }
}

}  // namespace mq::store
