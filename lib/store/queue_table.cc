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

void QueueTable::Note(std::string_view topic, int32_t queue_id, QueueOffset offset, PhysicalOffset at) {
  QueueState& state = GetOrCreate(topic, queue_id);
  state.recovered = true;
  if (offset > kMaxQueueOffset) return;
  const bool first = state.next.value() == 0;
  const QueueOffset pending = std::exchange(state.pending, QueueOffset(-1));
  const bool confirmed = pending.value() >= 0 && offset == pending + 1;
  // A second record from 0 on: the topic was deleted and made again.
  const bool lives_again = confirmed && pending.value() == 0;
  if (!first && !confirmed) {
    const int64_t gap = offset - state.next;
    if (gap > kMaxGapEntries) {
      if (gap <= kMaxBelievedGap) state.pending = offset;
      return;
    }
    if (offset.value() == 0 && !state.alone) state.pending = offset;
  }
  // The first one claimed too high an offset when the second one lies below its file.
  const bool began_again = lives_again || (state.alone && offset < state.next);
  if (began_again) state.began_again = at;
  if (first || offset >= state.next || began_again) {
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
