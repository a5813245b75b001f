#include "consume/run.h"

#include <algorithm>

namespace mq::consume {
namespace {

constexpr std::int64_t kRouteRefreshMs = 30'000;

}  // namespace

ConsumeRun::ConsumeRun(loop::Loop& loop, const Options& options)
    : RunFrame(loop, options),
      to_timer_(loop, [this] { OnToTime(); }),
      refresh_timer_(loop, [this] { RefreshQueues(); }) {}

ConsumeRun::~ConsumeRun() = default;

void ConsumeRun::Begin() {
  client::ConsumerHandler handler;
  handler.on_messages = [this](const Queue& queue, std::span<const client::PulledMessage> messages) {
    return OnMessages(queue, messages);
  };
  handler.on_end = [this](const Queue& queue, protocol::QueueOffset next) { OnEnd(queue, next); };
  handler.on_error = [this](const Queue& queue, const Error& error) { OnQueueError(queue, error); };
  handler.on_notice = [this](std::string_view text) { Say(text); };
  consumer_ = std::make_unique<client::PullConsumer>(loop_, options_.consumer, std::move(handler));
  if (options_.last > 0) last_.emplace(options_.last, options_.per_queue);
  if (Follows()) refresh_timer_.Start(kRouteRefreshMs, kRouteRefreshMs);
}

// Whether the run stays at the tail; otherwise what it reads is fixed when it begins.
bool ConsumeRun::Follows() const {
  return !options_.exit_at_end && !options_.to && (options_.last == 0 || options_.follow);
}

// A topic that is followed may get queues, and its brokers other addresses.
void ConsumeRun::RefreshQueues() {
  if (finishing_ || last_) return;
  for (const std::string& topic : options_.topics) {
    if (unfound_.contains(topic)) continue;
    consumer_->FindQueues(topic, [this](Result<std::vector<Queue>> found) {
      if (finishing_ || !found) return;
      KeepWanted(*found);
      std::erase_if(*found, [this](const Queue& queue) { return queues_.contains(queue); });
      for (const Queue& queue : *found) queues_[queue].later = true;
      for (const Queue& queue : *found) BeginQueue(queue);
    });
  }
}

bool ConsumeRun::Owes() const { return options_.to || RunFrame::Owes(); }

void ConsumeRun::StopReading() {
  to_timer_.Stop();
  refresh_timer_.Stop();
  consumer_->Close();
}

void ConsumeRun::KeepWanted(std::vector<Queue>& queues) const {
  if (options_.queues.empty()) return;
  std::erase_if(queues, [this](const Queue& queue) {
    return std::find(options_.queues.begin(), options_.queues.end(), queue.queue_id) == options_.queues.end();
  });
}

void ConsumeRun::OnTopic(const std::string& topic, std::vector<Queue> queues) {
  KeepWanted(queues);
  if (queues.empty()) {
    Fail(MakeError(ErrorCode::kNotFound, "topic " + topic + " has no such queue that can be read"));
    return;
  }
  for (const Queue& queue : queues) queues_[queue] = {};
  for (const Queue& queue : queues) BeginQueue(queue);
}

bool ConsumeRun::TimeWanted(const protocol::MessageView& record) const {
  if (options_.from.kind == Where::Kind::kTime && !last_ && record.store_timestamp < options_.from.value) return false;
  return !options_.to || options_.to->kind != Where::Kind::kTime || record.store_timestamp < options_.to->value;
}

bool ConsumeRun::OnMessages(const Queue& queue, std::span<const client::PulledMessage> messages) {
  if (finishing_) return false;
  QueueState& state = queues_[queue];
  if (options_.verbose > 1) {
    Say("queue " + std::to_string(queue.queue_id) + " of " + queue.topic + " at " + queue.broker_name + ": " +
        std::to_string(messages.size()) + " messages");
  }
  for (const client::PulledMessage& message : messages) {
    state.next = message.record.queue_offset.value() + 1;
    // A queue that is shorter than --from says begins at its end, and that is not yet what was asked for.
    if (message.record.queue_offset.value() < state.from && state.phase == Phase::kReading) continue;
    if (!TimeWanted(message.record) || !printer_.Wants(message.body)) continue;
    if (state.phase == Phase::kLast) {
      last_->Add(queue, message);
    } else if (!PrintMessage({.record = &message.record, .body = message.body, .broker = message.broker_name})) {
      return false;
    }
  }
  if (output_.HasRoom()) return true;
  paused_.insert(queue);
  return false;
}

void ConsumeRun::OnWritten() {
  if (finishing_ || paused_.empty() || !output_.HasRoom()) return;
  const std::set<Queue> resumed = std::exchange(paused_, {});
  for (const Queue& queue : resumed) consumer_->Resume(queue);
}

void ConsumeRun::OnEnd(const Queue& queue, protocol::QueueOffset next) {
  if (finishing_) return;
  QueueState& state = queues_[queue];
  state.next = next.value();
  if (state.phase == Phase::kLast) {
    EndLastStretch(queue);
  } else if (state.to && state.next >= *state.to) {
    QueueDone(queue);
  }
}

void ConsumeRun::OnQueueError(const Queue& queue, const Error& error) {
  if (finishing_) return;
  NoteQueueFailure(queue, error);
  queues_[queue].failed = true;
  QueueDone(queue);
}

void ConsumeRun::QueueDone(const Queue& queue) {
  QueueState& state = queues_[queue];
  if (state.phase == Phase::kDone) return;
  if (state.phase != Phase::kAsking) consumer_->Stop(queue);
  state.phase = Phase::kDone;
  CheckAllDone();
}

void ConsumeRun::CheckAllDone() {
  if (finishing_ || !unfound_.empty()) return;
  for (const auto& [queue, state] : queues_) {
    if (state.phase != Phase::kDone) return;
  }
  if (last_) {
    PrintLast();
    return;
  }
  Finish(StatusAtEnd());
}

}  // namespace mq::consume
