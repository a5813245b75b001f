// One run of mq-consume without a group: finds the queues, decides where each begins and ends, prints what comes.
//
// Loop thread only. Flow: FindQueues -> AskOffset (begin, end) -> PullConsumer::Start -> OnMessages -> Printer ->
// Output. Ends when the count is reached, every queue is read to its end, a time is over, a signal comes, or nothing
// can be read any more; what was printed is written before the process leaves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/consumer.h"
#include "consume/last.h"
#include "consume/options.h"
#include "consume/output.h"
#include "consume/printer.h"
#include "loop/loop.h"

namespace mq::consume {

class ConsumeRun {
 public:
  ConsumeRun(loop::Loop& loop, const Options& options);
  ~ConsumeRun();

  // Checks the pattern and makes the dump directory.
  Status Open() { return printer_.Open(); }
  // Runs the loop until done; returns the exit status.
  int Run();

 private:
  enum class Phase { kAsking, kLast, kReading, kDone };
  struct QueueState {
    Phase phase = Phase::kAsking;
    std::int64_t min = 0;  // answers that are awaited together
    std::int64_t max = 0;
    int unanswered = 0;
    std::int64_t from = 0;
    std::optional<std::int64_t> to;
    std::int64_t next = 0;  // the next offset to read
    bool failed = false;
  };
  using Queue = client::MessageQueue;

  // Finding queues (run.cc).
  void FindTopic(const std::string& topic);
  void OnQueues(const std::string& topic, Result<std::vector<Queue>> found);
  void OnMissingTopic(const std::string& topic, const Error& error);
  void OnTopicList(const std::string& topic, Error error, const Result<std::vector<std::string>>& topics);

  // Beginnings and ends (run_places.cc).
  void BeginQueue(const Queue& queue);
  void Ask(const Queue& queue, const Where& where, std::int64_t QueueState::*into);
  void OnOffsets(const Queue& queue);
  void BeginLast(const Queue& queue);
  void EndLastStretch(const Queue& queue);
  void PrintLast();
  void StartReading(const Queue& queue);
  void OnToTime();

  // Reading (run.cc).
  bool OnMessages(const Queue& queue, std::span<const client::PulledMessage> messages);
  bool PrintMessage(const stream::OutputMessage& message);
  bool TimeWanted(const protocol::MessageView& record) const;
  void OnEnd(const Queue& queue, protocol::QueueOffset next);
  void OnQueueError(const Queue& queue, const Error& error);
  void OnRoom();
  void QueueDone(const Queue& queue);
  void CheckAllDone();

  // Ending (run.cc).
  void Fail(const Error& error);
  void Finish(int status);
  void OnSignal(int signal);
  void OnWaitOver();
  void OnDeadline();
  void Say(std::string_view text) const;
  int StatusAtEnd() const;

  loop::Loop& loop_;
  const Options& options_;
  Output output_;
  Printer printer_;
  std::unique_ptr<client::PullConsumer> consumer_;
  std::optional<LastMessages> last_;
  std::map<Queue, QueueState> queues_;
  std::set<Queue> paused_;
  std::set<std::string> unfound_;  // topics whose queues are not known yet
  std::set<std::string> waited_for_;
  std::vector<std::unique_ptr<loop::Timer>> topic_timers_;
  loop::Timer wait_timer_;
  loop::Timer deadline_timer_;
  loop::Timer to_timer_;
  std::vector<std::unique_ptr<loop::Signal>> signals_;
  std::optional<Error> first_error_;
  std::int64_t printed_ = 0;
  bool finishing_ = false;
  int signal_ = 0;
  int status_ = 0;
};

}  // namespace mq::consume
