// Where each queue begins and ends: questions to the brokers and the stretches of --last.
#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/time_text.h"
#include "consume/run.h"

namespace mq::consume {
namespace {

// After a time in the future has come: messages stored just before it may still be on their way into the queue.
constexpr std::int64_t kToTimeSlackMs = 200;

client::OffsetQuestion QuestionOf(const Where& where) {
  if (where.kind == Where::Kind::kStart) return client::OffsetQuestion::Min();
  if (where.kind == Where::Kind::kTime) return client::OffsetQuestion::AtTime(where.value);
  return client::OffsetQuestion::Max();
}

}  // namespace

// Asks for one place of a queue. When all that were asked for are known, OnOffsets goes on.
void ConsumeRun::Ask(const Queue& queue, const Where& where, std::int64_t QueueState::*into) {
  if (where.kind == Where::Kind::kOffset) {
    queues_[queue].*into = where.value;
    return;
  }
  ++queues_[queue].unanswered;
  consumer_->AskOffset(queue, QuestionOf(where), [this, queue, into](Result<protocol::QueueOffset> offset) {
    if (finishing_) return;
    QueueState& state = queues_[queue];
    if (state.phase == Phase::kDone) return;
    if (!offset) {
      OnQueueError(queue, offset.error());
      return;
    }
    state.*into = offset->value();
    if (--state.unanswered == 0) OnOffsets(queue);
  });
}

void ConsumeRun::BeginQueue(const Queue& queue) {
  QueueState& state = queues_[queue];
  state.unanswered = 1;  // until everything is asked
  const Where start{Where::Kind::kStart, 0};
  const Where end{Where::Kind::kEnd, 0};
  if (last_) {
    Ask(queue, start, &QueueState::min);
    Ask(queue, end, &QueueState::max);
  } else {
    Ask(queue, state.later ? start : options_.from, &QueueState::from);
    const bool to_time = options_.to && options_.to->kind == Where::Kind::kTime;
    const bool from_offset = options_.from.kind == Where::Kind::kOffset;
    if (options_.exit_at_end || (options_.to && !to_time) || from_offset) Ask(queue, end, &QueueState::max);
    if (to_time && options_.to->value <= NowMs()) Ask(queue, *options_.to, &QueueState::end);
  }
  if (--state.unanswered == 0) OnOffsets(queue);
}

void ConsumeRun::OnOffsets(const Queue& queue) {
  QueueState& state = queues_[queue];
  if (last_ && state.phase == Phase::kAsking) {
    BeginLast(queue);
    return;
  }
  const bool to_time = options_.to && options_.to->kind == Where::Kind::kTime;
  const bool to_future = to_time && options_.to->value > NowMs();
  // Of several ends the first one counts, and no queue is read further than it goes now.
  if (options_.exit_at_end || (options_.to && !to_time)) state.to = state.max;
  if (options_.to && options_.to->kind == Where::Kind::kOffset) state.to = std::min(state.max, options_.to->value);
  if (to_time && !to_future) state.to = std::min(state.to.value_or(state.end), state.end);
  if (to_future && !options_.exit_at_end && !to_timer_.active()) {
    to_timer_.Start(options_.to->value - NowMs() + kToTimeSlackMs);
  }
  NoteBeyondEnd(state);
  if (options_.verbose > 0) {
    Say("queue " + std::to_string(queue.queue_id) + " of " + queue.topic + " at " + queue.broker_name +
        ": from offset " + std::to_string(state.from) +
        (state.to ? " to " + std::to_string(*state.to) : std::string()) +
        (options_.from.kind == Where::Kind::kTime ? " (" + FormatTime(options_.from.value) + ")" : std::string()));
  }
  StartReading(queue);
}

// A number that no queue reaches was hardly meant as an offset.
void ConsumeRun::NoteBeyondEnd(const QueueState& state) {
  if (options_.from.kind != Where::Kind::kOffset || state.later) return;
  if (state.from > state.max) ++beyond_;
  longest_ = std::max(longest_, state.max);
  if (beyond_ < queues_.size() || !unfound_.empty()) return;
  Say(client::NoQueueReaches(options_.from.value, longest_));
}

void ConsumeRun::StartReading(const Queue& queue) {
  QueueState& state = queues_[queue];
  state.next = state.from;
  if (state.to && state.from >= *state.to) {
    QueueDone(queue);
    return;
  }
  state.phase = Phase::kReading;
  std::optional<protocol::QueueOffset> to;
  if (state.to) to = protocol::QueueOffset(*state.to);
  consumer_->Start(queue, protocol::QueueOffset(state.from), to);
}

// The time that --to named has come: now it is known where each queue ends.
void ConsumeRun::OnToTime() {
  if (finishing_) return;
  for (auto& [queue, state] : queues_) {
    if (state.phase != Phase::kReading) continue;
    consumer_->AskOffset(queue, QuestionOf(*options_.to), [this, queue = queue](Result<protocol::QueueOffset> offset) {
      QueueState& known = queues_[queue];
      if (finishing_ || known.phase != Phase::kReading) return;
      if (!offset) {
        OnQueueError(queue, offset.error());
        return;
      }
      consumer_->Stop(queue);
      known.from = known.next;
      known.to = offset->value();
      StartReading(queue);
    });
  }
}

void ConsumeRun::BeginLast(const Queue& queue) {
  QueueState& state = queues_[queue];
  const auto stretch = last_->Begin(queue, state.min, state.max);
  if (!stretch) {
    state.phase = Phase::kDone;
    CheckAllDone();
    return;
  }
  state.phase = Phase::kLast;
  consumer_->Start(queue, protocol::QueueOffset(stretch->begin), protocol::QueueOffset(stretch->end));
}

void ConsumeRun::EndLastStretch(const Queue& queue) {
  QueueState& state = queues_[queue];
  consumer_->Stop(queue);
  const auto stretch = last_->Next(queue);
  if (!stretch) {
    state.phase = Phase::kDone;
    CheckAllDone();
    return;
  }
  // Not from inside the consumer's callback for this queue.
  loop_.Post([this, queue, stretch = *stretch] {
    if (!finishing_) consumer_->Start(queue, protocol::QueueOffset(stretch.begin), protocol::QueueOffset(stretch.end));
  });
}

// All queues are read: prints the chosen messages, and goes on behind them with --follow.
void ConsumeRun::PrintLast() {
  std::vector<std::unique_ptr<KeptMessage>> chosen = last_->Take();
  last_.reset();
  for (const auto& message : chosen) {
    if (!PrintMessage(message->view())) return;
  }
  if (!options_.follow) {
    Finish(StatusAtEnd());
    return;
  }
  loop_.Post([this] {
    if (finishing_) return;
    for (auto& [queue, state] : queues_) {
      if (state.failed) continue;
      state.from = state.max;
      StartReading(queue);
    }
  });
}

}  // namespace mq::consume
