// The group consumer's inside. Internal to group_consumer.cc (life, messages, commits), group_rebalance.cc (who owns
// which queue, and where it begins) and group_callbacks.cc (what brokers ask of a member).
//
// A queue of ours goes kSettling -> kAsking -> kReading -> kReleasing -> forgotten; from kReleasing back to kReading
// when it is ours again in time.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/group_consumer.h"
#include "client/routes.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "protocol/message_queue.h"
#include "protocol/subscription.h"
#include "remoting/client.h"
#include "remoting/processor.h"

namespace mq::client {

class GroupConsumer::Impl {
 public:
  Impl(loop::Loop& loop, GroupConsumerOptions options, GroupConsumerHandler handler);
  ~Impl();

  void Join();
  void Done(const MessageQueue& queue, protocol::QueueOffset next);
  void Resume(const MessageQueue& queue) { pull_->Resume(queue); }
  void StopPulling();
  void Leave(std::function<void()> left);
  void Close();
  const std::string& client_id() const { return client_id_; }
  std::vector<MessageQueue> OwnedQueues() const;
  PullConsumer& questions() { return *pull_; }

 private:
  enum class Phase { kSettling, kAsking, kReading, kReleasing };
  struct Owned {
    Phase phase = Phase::kSettling;
    int64_t delivered = -1;  // everything before was handed over
    int64_t done = -1;       // everything before is done; never above delivered
    int64_t committed = -1;  // as the broker knows it, as far as we know; -1: nothing
    std::optional<int64_t> to;
    bool at_end = false;
    bool refused = false;                      // and told; tried again from time to time
    int64_t taken_ms = 0;                      // monotonic
    std::unique_ptr<loop::Timer> begin_timer;  // ends settling, and repeats a question that got no answer
    std::unique_ptr<loop::Timer> release_timer;
    loop::Task<void> begin;
  };
  template <class T>
  using Answer = loop::Await<Result<T>>;

  // group_rebalance.cc
  loop::Task<void> Live();
  loop::Task<void> Round(bool refresh);
  loop::Task<void> FindRoute(std::string topic);
  loop::Task<Result<std::vector<std::string>>> ConsumerIds(std::string topic);
  loop::Task<void> CheckSubscriptions();
  loop::Task<void> BeginQueue(MessageQueue queue);
  loop::Task<Result<std::optional<int64_t>>> StoredOffset(MessageQueue queue);
  loop::Task<Result<int64_t>> FirstOffset(MessageQueue queue);
  loop::Task<Result<int64_t>> PlaceOf(MessageQueue queue, OffsetQuestion question);
  void NoteBeyondEnd();
  void Apply(const std::string& topic, const std::vector<MessageQueue>& mine, size_t members);
  void Take(const MessageQueue& queue, bool settle);
  void Read(const MessageQueue& queue, Owned& owned);
  void Wake(bool refresh);
  std::vector<std::string> BrokersOf(const std::string& topic) const;
  std::vector<std::string> AllBrokers() const;
  Answer<protocol::Command> Ask(std::string address, protocol::Command command);

  // group_callbacks.cc
  std::shared_ptr<const remoting::ProcessorTable> Callbacks();
  void OnReset(const protocol::CommandView& request);
  void OnStatusQuestion(remoting::Channel& channel, const protocol::CommandView& request);
  void OnRunningInfo(remoting::Channel& channel, const protocol::CommandView& request);
  protocol::MessageQueue ForWire(const MessageQueue& queue) const;

  // group_consumer.cc
  bool OnMessages(const MessageQueue& queue, std::span<const PulledMessage> messages);
  void OnProgress(const MessageQueue& queue, protocol::QueueOffset next);
  void OnEnd(const MessageQueue& queue);
  void OnQueueError(const MessageQueue& queue, const Error& error);
  void GiveUp(const MessageQueue& queue, Owned& owned, const Error& error);
  void CheckAllReadSoon();
  void CheckAllRead();
  void Release(const MessageQueue& queue);
  void Forget(const MessageQueue& queue);
  void OnCommitTimer();
  void CommitAll();
  void Commit(const MessageQueue& queue, Owned& owned, bool two_way = false);
  std::optional<protocol::ConsumerOffset> CommitWithPull(const MessageQueue& queue);
  void OnBrokerLost(const std::string& address);
  Owned* Find(const MessageQueue& queue);
  void Note(const std::string& text, bool important = false) const;
  static std::string Name(const MessageQueue& queue);

  loop::Loop& loop_;
  GroupConsumerOptions options_;
  GroupConsumerHandler handler_;
  std::string client_id_;
  std::string retry_topic_;
  std::vector<std::string> topics_;                        // with the retry topic, last
  std::vector<protocol::SubscriptionData> subscriptions_;  // of those topics, as heartbeats say them
  int64_t started_ms_ = 0;                                 // wall time
  std::vector<PulledMessage> renamed_;
  std::map<std::string, std::set<MessageQueue>> first_queues_;  // of each topic, as it was when we joined
  std::set<std::string> allocated_;                             // topics for which a round has succeeded
  struct {
    size_t queues = 0;
    size_t beyond = 0;
    int64_t longest = 0;
  } by_number_;                 // queues that begin at from_offset, and those of them that end before it
  std::set<std::string> told_;  // notices that are given once
  std::map<MessageQueue, Owned> owned_;
  std::function<void(bool)> wake_;  // set while Live waits
  bool wanted_ = false;
  bool refresh_wanted_ = false;
  bool alone_from_start_ = true;  // until the first round is done
  bool all_read_told_ = false;
  bool stopped_ = false;
  bool closed_ = false;
  int64_t last_commit_ms_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // what was posted looks whether we are
  loop::Timer commit_timer_;
  loop::Timer rebalance_timer_;
  std::unique_ptr<PullConsumer> pull_;
  std::unique_ptr<Heartbeats> heartbeats_;
  loop::Task<void> live_;  // last: it uses everything above
};

}  // namespace mq::client
