#include "consume/group_run.h"

#include <utility>

namespace mq::consume {

GroupRun::~GroupRun() = default;

void GroupRun::Begin() {
  client::GroupConsumerOptions options;
  options.pull = options_.consumer;
  options.group = options_.group;
  options.topics = options_.topics;
  options.commit = options_.commit;
  options.to_end = options_.exit_at_end;
  if (options_.from.kind == Where::Kind::kEnd) options.from = client::OffsetQuestion::Max();
  if (options_.from.kind == Where::Kind::kTime) options.from = client::OffsetQuestion::AtTime(options_.from.value);
  if (options_.from.kind == Where::Kind::kOffset) options.from_offset = options_.from.value;
  client::GroupConsumerHandler handler;
  handler.on_messages = [this](const Queue& queue, std::span<const client::PulledMessage> messages) {
    return OnMessages(queue, messages);
  };
  handler.on_progress = [this](const Queue& queue, protocol::QueueOffset next) {
    if (!finishing_) MarkDone(queue, next);
  };
  handler.on_all_read = [this] { Finish(StatusAtEnd()); };
  handler.on_queue_error = [this](const Queue& queue, const Error& error) {
    if (!finishing_) NoteQueueFailure(queue, error);
  };
  handler.on_error = [this](const Error& error) { Fail(error); };
  handler.on_notice = [this](std::string_view text, bool important) {
    if (important || options_.verbose > 0) Say(text);
  };
  consumer_ = std::make_unique<client::GroupConsumer>(loop_, std::move(options), std::move(handler));
}

void GroupRun::OnTopic(const std::string& /*topic*/, std::vector<Queue> /*queues*/) {
  if (unfound_.empty()) consumer_->Join();
}

bool GroupRun::OnMessages(const Queue& queue, std::span<const client::PulledMessage> messages) {
  if (finishing_) return false;
  for (const client::PulledMessage& message : messages) {
    if (!printer_.Wants(message.body)) continue;
    const bool more = PrintMessage({.record = &message.record, .body = message.body, .broker = message.broker_name});
    // One that could not be printed is not done.
    if (failed_otherwise_) return false;
    MarkDone(queue, message.record.queue_offset + 1);
    if (!more) return false;
  }
  if (output_.HasRoom()) return true;
  paused_.insert(queue);
  return false;
}

void GroupRun::MarkDone(const Queue& queue, protocol::QueueOffset next) {
  if (output_.accepted() == output_.written()) {
    consumer_->Done(queue, next);
    return;
  }
  // What the queue printed last and this lie in the same bytes: one mark for both.
  if (!marks_.empty() && marks_.back().queue == queue && marks_.back().bytes == output_.accepted()) {
    marks_.back().next = next;
  } else {
    marks_.push_back({output_.accepted(), queue, next});
  }
}

void GroupRun::OnWritten() {
  while (!marks_.empty() && marks_.front().bytes <= output_.written()) {
    consumer_->Done(marks_.front().queue, marks_.front().next);
    marks_.pop_front();
  }
  if (finishing_ || paused_.empty() || !output_.HasRoom()) return;
  const std::set<Queue> resumed = std::exchange(paused_, {});
  for (const Queue& queue : resumed) consumer_->Resume(queue);
}

void GroupRun::StopReading() { consumer_->StopPulling(); }

void GroupRun::Leave(std::function<void()> left) { consumer_->Leave(std::move(left)); }

}  // namespace mq::consume
