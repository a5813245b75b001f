#include "consume/run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/strings.h"

namespace mq::consume {
namespace {

constexpr int kPartlyDone = 3;
constexpr int kRefusedForGood = 4;
constexpr int kWaitedInVain = 7;
constexpr std::int64_t kTopicRetryMs = 500;
constexpr std::string_view kName = "mq-consume: ";

int StatusOfFailure(const Error& error) {
  if (error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument) return kRefusedForGood;
  return ExitStatusOf(error);
}

}  // namespace

ConsumeRun::ConsumeRun(loop::Loop& loop, const Options& options)
    : loop_(loop),
      options_(options),
      output_(
          loop, STDOUT_FILENO, [this] { OnRoom(); }, [this](const Error& error) { Fail(error); }),
      printer_(options, output_),
      wait_timer_(loop, [this] { OnWaitOver(); }),
      deadline_timer_(loop, [this] { OnDeadline(); }),
      to_timer_(loop, [this] { OnToTime(); }) {}

ConsumeRun::~ConsumeRun() = default;

int ConsumeRun::Run() {
  for (const int signal : {SIGINT, SIGTERM}) {
    signals_.push_back(std::make_unique<loop::Signal>(loop_, signal, [this, signal] { OnSignal(signal); }));
  }
  client::ConsumerHandler handler{
      .on_messages = [this](const Queue& queue,
                            std::span<const client::PulledMessage> messages) { return OnMessages(queue, messages); },
      .on_end = [this](const Queue& queue, protocol::QueueOffset next) { OnEnd(queue, next); },
      .on_error = [this](const Queue& queue, const Error& error) { OnQueueError(queue, error); },
      .on_notice = [this](std::string_view text) { Say(text); },
  };
  consumer_ = std::make_unique<client::PullConsumer>(loop_, options_.consumer, std::move(handler));
  if (options_.last > 0) last_.emplace(options_.last, options_.per_queue);
  if (options_.wait_ms > 0) wait_timer_.Start(options_.wait_ms);
  if (options_.deadline_ms > 0) deadline_timer_.Start(options_.deadline_ms);
  unfound_.insert(options_.topics.begin(), options_.topics.end());
  for (const std::string& topic : options_.topics) FindTopic(topic);
  loop_.Run();
  consumer_.reset();
  topic_timers_.clear();
  signals_.clear();
  if (first_error_) {
    std::string text = std::string(kName) + "cannot read: " + first_error_->what + "\n";
    if (!first_error_->hint.empty()) text += std::string(kName) + first_error_->hint + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  return signal_ != 0 ? 128 + signal_ : status_;
}

void ConsumeRun::FindTopic(const std::string& topic) {
  consumer_->FindQueues(topic, [this, topic](Result<std::vector<Queue>> found) { OnQueues(topic, std::move(found)); });
}

void ConsumeRun::OnQueues(const std::string& topic, Result<std::vector<Queue>> found) {
  if (finishing_) return;
  if (!found) {
    OnMissingTopic(topic, found.error());
    return;
  }
  unfound_.erase(topic);
  std::vector<Queue>& queues = *found;
  const auto unwanted = [this](const Queue& queue) {
    return std::find(options_.queues.begin(), options_.queues.end(), queue.queue_id) == options_.queues.end();
  };
  if (!options_.queues.empty()) std::erase_if(queues, unwanted);
  if (queues.empty()) {
    Fail(MakeError(ErrorCode::kNotFound, "topic " + topic + " has no such queue that can be read"));
    return;
  }
  for (const Queue& queue : queues) queues_[queue] = {};
  for (const Queue& queue : queues) BeginQueue(queue);
}

void ConsumeRun::OnMissingTopic(const std::string& topic, const Error& error) {
  if (error.code != ErrorCode::kNotFound) {
    Fail(error);
    return;
  }
  if (options_.wait_topic) {
    if (waited_for_.insert(topic).second) Say("topic " + topic + " does not exist yet; waiting for it");
    topic_timers_.push_back(std::make_unique<loop::Timer>(loop_, [this, topic] { FindTopic(topic); }));
    topic_timers_.back()->Start(kTopicRetryMs);
    return;
  }
  consumer_->ListTopics(
      [this, topic, error](const Result<std::vector<std::string>>& topics) { OnTopicList(topic, error, topics); });
}

void ConsumeRun::OnTopicList(const std::string& topic, Error error, const Result<std::vector<std::string>>& topics) {
  if (finishing_) return;
  error.what = "no such topic: " + topic;
  const std::string near = topics ? NearestMatch(topic, *topics) : std::string();
  error.hint = near.empty() ? "--wait-topic waits until it exists" : "did you mean " + near + "?";
  Fail(error);
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

// False when the run ends with this message.
bool ConsumeRun::PrintMessage(const stream::OutputMessage& message) {
  const Status printed = printer_.Print(message);
  if (!printed) {
    Fail(printed.error());
    return false;
  }
  ++printed_;
  if (options_.count > 0 && printed_ >= options_.count) {
    Finish(StatusAtEnd());
    return false;
  }
  if (options_.wait_ms > 0) wait_timer_.Start(options_.wait_ms);
  return true;
}

void ConsumeRun::OnRoom() {
  if (finishing_ || paused_.empty()) return;
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
  if (!first_error_) {
    first_error_ = error;
    first_error_->what = "queue " + std::to_string(queue.queue_id) + " of " + queue.topic + " at " + queue.broker_name +
                         ": " + error.what;
  }
  queues_[queue].failed = true;
  QueueDone(queue);
  // A tail that is followed on the other queues only would look complete and not be.
  if (!finishing_) Say(first_error_->what);
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

int ConsumeRun::StatusAtEnd() const {
  if (!first_error_) return 0;
  return printed_ > 0 ? kPartlyDone : StatusOfFailure(*first_error_);
}

void ConsumeRun::Fail(const Error& error) {
  if (!first_error_) first_error_ = error;
  const bool local = error.code == ErrorCode::kIo || error.code == ErrorCode::kNoSpace;
  Finish(local ? ExitStatusOf(error) : StatusAtEnd());
}

void ConsumeRun::OnWaitOver() {
  if (finishing_) return;
  Say("no message came in time");
  Finish(kWaitedInVain);
}

// Without another end a deadline is how the run was meant to end; otherwise the run did not get that far.
void ConsumeRun::OnDeadline() {
  if (finishing_) return;
  const bool owed = options_.count > 0 || options_.exit_at_end || options_.to || !unfound_.empty();
  if (owed) Say("the deadline is over");
  Finish(owed ? kWaitedInVain : StatusAtEnd());
}

void ConsumeRun::OnSignal(int signal) {
  if (signal_ != 0) ::_exit(128 + signal);
  signal_ = signal;
  Finish(0);
}

// Writes what is printed, then ends the loop. Called again by a failing write, which then decides the status.
void ConsumeRun::Finish(int status) {
  status_ = std::max(status_, status);
  if (finishing_) return;
  finishing_ = true;
  wait_timer_.Stop();
  deadline_timer_.Stop();
  to_timer_.Stop();
  // From the loop, because a callback of the consumer may be running.
  loop_.Post([this] {
    consumer_->Close();
    output_.Drain([this] { loop_.Stop(); });
  });
}

void ConsumeRun::Say(std::string_view text) const {
  if (options_.quiet) return;
  const std::string line = std::string(kName) + std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace mq::consume
