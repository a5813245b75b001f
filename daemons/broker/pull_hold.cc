#include "broker/pull_hold.h"

#include <algorithm>
#include <utility>

namespace mq::broker {

PullHold::PullHold(loop::Loop& loop, TryAgain try_again) : loop_(loop), try_again_(std::move(try_again)) {}
PullHold::~PullHold() {
  loop_.CancelTurnEnd(this);
  for (Queue* queue : queues_) queue->held.clear();
}

void PullHold::Count(const HeldPull& pull, int delta) {
  held_ += static_cast<size_t>(delta);
  held_bytes_ += static_cast<size_t>(delta) * pull.bytes();
  if (pull.in_gap) in_gap_ += static_cast<size_t>(delta);
}

bool PullHold::Park(std::unique_ptr<HeldPull> pull) {
  if (held_ >= bounds::kMaxHeldPulls || held_bytes_ + pull->bytes() > bounds::HeldPullBytes()) return false;
  Count(*pull, 1);
  Queue& queue = *pull->queue;
  if (std::find(queues_.begin(), queues_.end(), &queue) == queues_.end()) queues_.push_back(&queue);
  queue.held.push_back(std::move(pull));
  return true;
}

// Takes the held pulls of a queue out, lets `decide` answer each, and puts back those it keeps.
template <class Decide>
void PullHold::Visit(Queue& queue, Decide decide) {
  std::vector<std::unique_ptr<HeldPull>> pulls;
  pulls.swap(queue.held);
  for (auto& pull : pulls) {
    Count(*pull, -1);
    if (pull->channel.expired()) continue;
    if (decide(*pull)) continue;
    Count(*pull, 1);
    queue.held.push_back(std::move(pull));
  }
}

void PullHold::OnAdvanced(Queue& queue) {
  advanced_.push_back(&queue);
  if (!std::exchange(turn_end_asked_, true)) loop_.AtTurnEnd(this);
}

void PullHold::OnTurnEnd() {
  turn_end_asked_ = false;
  std::vector<Queue*> advanced;
  advanced.swap(advanced_);
  for (Queue* queue : advanced) {
    queue->advanced = false;
    Visit(*queue, [this](HeldPull& pull) { return try_again_(pull, false); });
  }
}

void PullHold::OnDispatched() {
  if (in_gap_ == 0) return;
  for (size_t i = 0; i < queues_.size(); ++i) {
    Visit(*queues_[i], [this](HeldPull& pull) { return pull.in_gap && try_again_(pull, false); });
  }
}

void PullHold::Tick(int64_t now_ms) {
  for (size_t i = 0; i < queues_.size(); ++i) {
    Visit(*queues_[i], [&](HeldPull& pull) { return pull.deadline_ms <= now_ms && try_again_(pull, true); });
  }
  std::erase_if(queues_, [](const Queue* queue) { return queue->held.empty(); });
}

void PullHold::AnswerAllOf(Queue& queue) {
  Visit(queue, [this](HeldPull& pull) { return try_again_(pull, true); });
}

void PullHold::AnswerAll() {
  for (size_t i = 0; i < queues_.size(); ++i) AnswerAllOf(*queues_[i]);
}

}  // namespace mq::broker
