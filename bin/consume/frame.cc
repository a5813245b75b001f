#include "consume/frame.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/strings.h"

namespace mq::consume {
namespace {

constexpr int kPartlyDone = 3;
constexpr int kRefusedForGood = 4;
constexpr int kWaitedInVain = 7;
constexpr std::int64_t kTopicRetryMs = 500;
// How long failures of queues are gathered before they are told.
constexpr std::int64_t kGatherMs = 100;
constexpr std::string_view kName = "mq-consume: ";

int StatusOfFailure(const Error& error) {
  if (error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument) return kRefusedForGood;
  return ExitStatusOf(error);
}

// Trouble of this machine, mostly with standard output; no broker has to do with it.
bool IsLocal(const Error& error) { return error.code == ErrorCode::kIo || error.code == ErrorCode::kNoSpace; }

}  // namespace

RunFrame::RunFrame(loop::Loop& loop, const Options& options)
    : loop_(loop),
      options_(options),
      output_(
          loop, STDOUT_FILENO, [this] { OnWritten(); }, [this](const Error& error) { Fail(error); }),
      printer_(options, output_),
      failures_timer_(loop, [this] { SayQueueFailures(); }),
      wait_timer_(loop, [this] { OnWaitOver(); }),
      deadline_timer_(loop, [this] { OnDeadline(); }) {}

RunFrame::~RunFrame() = default;

int RunFrame::Run() {
  for (const int signal : {SIGINT, SIGTERM}) {
    signals_.push_back(std::make_unique<loop::Signal>(loop_, signal, [this, signal] { OnSignal(signal); }));
  }
  if (options_.wait_ms > 0) wait_timer_.Start(options_.wait_ms);
  if (options_.deadline_ms > 0) deadline_timer_.Start(options_.deadline_ms);
  Begin();
  unfound_.insert(options_.topics.begin(), options_.topics.end());
  for (const std::string& topic : options_.topics) FindTopic(topic);
  loop_.Run();
  questions().Close();
  topic_timers_.clear();
  signals_.clear();
  Explain();
  return signal_ != 0 ? 128 + signal_ : status_;
}

// The last lines of a run that failed.
void RunFrame::Explain() const {
  if (!first_error_) return;
  std::string text;
  for (const auto& [where, failure] : queue_failures_) {
    text += std::string(kName) + "cannot read " + failure.Text(where) + "\n";
  }
  if (failed_otherwise_) {
    // What cannot be written says itself what was tried.
    const std::string_view tried = IsLocal(*first_error_) ? "cannot " : "cannot read: ";
    text += std::string(kName) + std::string(tried) + first_error_->what + "\n";
  }
  if (!first_error_->hint.empty()) text += std::string(kName) + first_error_->hint + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void RunFrame::FindTopic(const std::string& topic) {
  questions().FindQueues(topic, [this, topic](Result<std::vector<Queue>> found) {
    if (finishing_) return;
    if (!found) {
      OnMissingTopic(topic, found.error());
      return;
    }
    unfound_.erase(topic);
    OnTopic(topic, std::move(*found));
  });
}

void RunFrame::OnMissingTopic(const std::string& topic, const Error& error) {
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
  questions().ListTopics(
      [this, topic, error](const Result<std::vector<std::string>>& topics) { OnTopicList(topic, error, topics); });
}

void RunFrame::OnTopicList(const std::string& topic, Error error, const Result<std::vector<std::string>>& topics) {
  if (finishing_) return;
  error.what = "no such topic: " + topic;
  const std::string near = topics ? NearestMatch(topic, *topics) : std::string();
  error.hint = DidYouMean(near, "--wait-topic waits until it exists");
  Fail(error);
}

// False when the run ends with this message.
bool RunFrame::PrintMessage(const stream::OutputMessage& message) {
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

int RunFrame::StatusAtEnd() const {
  if (!first_error_) return 0;
  return printed_ > 0 ? kPartlyDone : StatusOfFailure(*first_error_);
}

std::string RunFrame::QueueFailure::Text(const std::string& where) const {
  std::vector<std::string> ids;
  ids.reserve(queues.size());
  for (const std::int32_t id : queues) ids.push_back(std::to_string(id));
  return std::string(ids.size() == 1 ? "queue " : "queues ") + JoinStrings(ids, ", ") + " " + where + ": " + why;
}

void RunFrame::NoteQueueFailure(const Queue& queue, const Error& error) {
  if (!first_error_) first_error_ = error;
  QueueFailure& failure = queue_failures_["of " + queue.topic + " at " + queue.broker_name];
  if (failure.queues.empty()) failure.why = error.what;
  failure.queues.push_back(queue.queue_id);
  failure.said = false;
  if (!failures_timer_.active()) failures_timer_.Start(kGatherMs);
}

// While the run goes on: what is followed on the other queues only would look complete and not be.
void RunFrame::SayQueueFailures() {
  for (auto& [where, failure] : queue_failures_) {
    if (!std::exchange(failure.said, true)) Say("cannot read " + failure.Text(where) + "; the other queues go on");
  }
}

void RunFrame::Fail(const Error& error) {
  if (!std::exchange(failed_otherwise_, true)) first_error_ = error;
  Finish(IsLocal(error) ? ExitStatusOf(error) : StatusAtEnd());
}

void RunFrame::OnWaitOver() {
  if (finishing_) return;
  Say("no message came in time");
  Finish(kWaitedInVain);
}

bool RunFrame::Owes() const { return options_.count > 0 || options_.exit_at_end || !unfound_.empty(); }

// Without another end a deadline is how the run was meant to end; otherwise the run did not get that far.
void RunFrame::OnDeadline() {
  if (finishing_) return;
  const bool owed = Owes();
  if (owed) Say("the deadline is over");
  Finish(owed ? kWaitedInVain : StatusAtEnd());
}

void RunFrame::OnSignal(int signal) {
  if (signal_ != 0) ::_exit(128 + signal);
  signal_ = signal;
  Finish(0);
}

// Called again by a failing write, which then decides the status.
void RunFrame::Finish(int status) {
  status_ = std::max(status_, status);
  if (finishing_) return;
  finishing_ = true;
  wait_timer_.Stop();
  deadline_timer_.Stop();
  failures_timer_.Stop();
  // From the loop, because a callback of the consumer may be running.
  loop_.Post([this] {
    StopReading();
    output_.Drain([this] { Leave([this] { loop_.Stop(); }); });
  });
}

void RunFrame::Say(std::string_view text) const {
  if (options_.quiet) return;
  const std::string line = std::string(kName) + std::string(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace mq::consume
