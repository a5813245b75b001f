// One run of mq-consume without a group: finds the queues, decides where each begins and ends, prints what comes.
//
// Loop thread only. Flow: FindQueues -> AskOffset (begin, end) -> PullConsumer::Start -> OnMessages -> Printer ->
// Output. Ends when the count is reached, every queue is read to its end, a time is over, a signal comes, or nothing
// can be read any more.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "consume/frame.h"
#include "consume/last.h"

namespace mq::consume {

class ConsumeRun : public RunFrame {
 public:
  ConsumeRun(loop::Loop& loop, const Options& options);
  ~ConsumeRun() override;

 private:
  enum class Phase { kAsking, kLast, kReading, kDone };
  struct QueueState {
    Phase phase = Phase::kAsking;
    std::int64_t min = 0;  // answers that are awaited together
    std::int64_t max = 0;
    std::int64_t end = 0;  // of --to
    int unanswered = 0;
    std::int64_t from = 0;
    std::optional<std::int64_t> to;
    std::int64_t next = 0;  // the next offset to read
    bool later = false;     // appeared while we were reading: read from its start
    bool failed = false;
  };

  void Begin() override;
  client::PullConsumer& questions() override { return *consumer_; }
  void OnTopic(const std::string& topic, std::vector<Queue> queues) override;
  bool Owes() const override;
  void StopReading() override;
  void Leave(std::function<void()> left) override { left(); }

  void KeepWanted(std::vector<Queue>& queues) const;
  bool Follows() const;
  void RefreshQueues();

  // Beginnings and ends (run_places.cc).
  void BeginQueue(const Queue& queue);
  void Ask(const Queue& queue, const Where& where, std::int64_t QueueState::*into);
  void OnOffsets(const Queue& queue);
  void NoteBeyondEnd(const QueueState& state);
  void BeginLast(const Queue& queue);
  void EndLastStretch(const Queue& queue);
  void PrintLast();
  void StartReading(const Queue& queue);
  void OnToTime();

  // Reading (run.cc).
  bool OnMessages(const Queue& queue, std::span<const client::PulledMessage> messages);
  bool TimeWanted(const protocol::MessageView& record) const;
  void OnEnd(const Queue& queue, protocol::QueueOffset next);
  void OnQueueError(const Queue& queue, const Error& error);
  void OnWritten() override;
  void QueueDone(const Queue& queue);
  void CheckAllDone();

  std::unique_ptr<client::PullConsumer> consumer_;
  std::optional<LastMessages> last_;
  std::map<Queue, QueueState> queues_;
  std::set<Queue> paused_;
  std::size_t beyond_ = 0;    // queues that end before --from
  std::int64_t longest_ = 0;  // where the longest of them ends
  loop::Timer to_timer_;
  loop::Timer refresh_timer_;
};

}  // namespace mq::consume
