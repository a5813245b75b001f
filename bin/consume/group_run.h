// One run of mq-consume as a member of a group: prints what the queues bring that are ours, and says what is done once
// its bytes have reached standard output.
//
// Loop thread only. Flow: FindQueues -> GroupConsumer::Join -> OnMessages -> Printer -> Output -> written -> Done. At
// the end: no further pull, output drained, offsets committed, good-bye.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "client/group_consumer.h"
#include "consume/frame.h"

namespace mq::consume {

class GroupRun : public RunFrame {
 public:
  using RunFrame::RunFrame;
  ~GroupRun() override;

 private:
  // Everything of the queue before `next` is done when that many bytes of output are written.
  struct Mark {
    std::uint64_t bytes = 0;
    Queue queue;
    protocol::QueueOffset next;
  };

  void Begin() override;
  client::PullConsumer& questions() override { return consumer_->questions(); }
  void OnTopic(const std::string& topic, std::vector<Queue> queues) override;
  void OnWritten() override;
  void StopReading() override;
  void Leave(std::function<void()> left) override;

  bool OnMessages(const Queue& queue, std::span<const client::PulledMessage> messages);
  void MarkDone(const Queue& queue, protocol::QueueOffset next);

  std::unique_ptr<client::GroupConsumer> consumer_;
  std::deque<Mark> marks_;  // in the order of the output
  std::set<Queue> paused_;
};

}  // namespace mq::consume
