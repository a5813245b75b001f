// What every run of mq-consume has, with a group or without: topics that must be found, output, counting, and the ways
// to end. Internal to the runs (run.h, group_run.h).
//
// Loop thread only. Whatever ends the run, what was printed is written before the process leaves; then Leave has its
// turn. A second signal ends the process at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/consumer.h"
#include "consume/options.h"
#include "consume/output.h"
#include "consume/printer.h"
#include "loop/loop.h"

namespace mq::consume {

class RunFrame {
 public:
  RunFrame(loop::Loop& loop, const Options& options);
  virtual ~RunFrame();
  RunFrame(const RunFrame&) = delete;
  RunFrame& operator=(const RunFrame&) = delete;

  // Checks the pattern and makes the dump directory.
  Status Open() { return printer_.Open(); }
  // Runs the loop until done; returns the exit status.
  int Run();

 protected:
  using Queue = client::MessageQueue;

  virtual void Begin() = 0;  // makes the consumer
  virtual client::PullConsumer& questions() = 0;
  virtual void OnTopic(const std::string& topic, std::vector<Queue> queues) = 0;
  virtual void OnWritten() = 0;  // a block of output is written
  // Whether something that was asked for is still to come when the deadline is over.
  virtual bool Owes() const;
  virtual void StopReading() = 0;
  // Output is written; `left` ends the run.
  virtual void Leave(std::function<void()> left) = 0;

  // False when the run ends with this message.
  bool PrintMessage(const stream::OutputMessage& message);
  void Fail(const Error& error);
  // This queue cannot be read any further; the others go on. Queues of one topic and broker are told together.
  void NoteQueueFailure(const Queue& queue, const Error& error);
  void Finish(int status);
  void Say(std::string_view text) const;
  // 0; with an error 3 when something was printed, else the class of the first error.
  int StatusAtEnd() const;

  loop::Loop& loop_;
  const Options& options_;
  Output output_;
  Printer printer_;
  std::set<std::string> unfound_;  // topics whose queues are not known yet
  std::optional<Error> first_error_;
  bool failed_otherwise_ = false;  // it is what ends the run, not the failure of one queue
  bool finishing_ = false;

 private:
  void FindTopic(const std::string& topic);
  void OnMissingTopic(const std::string& topic, const Error& error);
  void OnTopicList(const std::string& topic, Error error, const Result<std::vector<std::string>>& topics);
  void OnSignal(int signal);
  void OnWaitOver();
  void OnDeadline();
  void SayQueueFailures();
  void Explain() const;

  // Queues of one topic and broker that failed, by "of T at broker-b"; the first one's reason stands for all.
  struct QueueFailure {
    std::vector<std::int32_t> queues;
    std::string why;
    bool said = false;

    std::string Text(const std::string& where) const;
  };
  std::map<std::string, QueueFailure> queue_failures_;
  loop::Timer failures_timer_;  // gathers those that come together
  std::set<std::string> waited_for_;
  std::vector<std::unique_ptr<loop::Timer>> topic_timers_;
  loop::Timer wait_timer_;
  loop::Timer deadline_timer_;
  std::vector<std::unique_ptr<loop::Signal>> signals_;
  std::int64_t printed_ = 0;
  int signal_ = 0;
  int status_ = 0;
};

}  // namespace mq::consume
