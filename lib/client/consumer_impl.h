// The pull consumer's inside. Internal to consumer.cc (questions, life) and consumer_pull.cc (the pull loop).
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "client/consumer.h"
#include "client/routes.h"
#include "loop/loop.h"
#include "protocol/subscription.h"
#include "remoting/client.h"

namespace mq::client {

inline constexpr int64_t kPullBackoffMs = 100;
inline constexpr int64_t kMaxPullBackoffMs = 1'000;

class PullConsumer::Impl {
 public:
  Impl(loop::Loop& loop, PullConsumerOptions options, ConsumerHandler handler);
  ~Impl();

  void FindQueues(std::string_view topic, std::function<void(Result<std::vector<MessageQueue>>)> done);
  void ListTopics(std::function<void(Result<std::vector<std::string>>)> done);
  // `since_ms`: when it was asked first; 0: now. A broker that is busy is asked again until options_.give_up_ms.
  void AskOffset(const MessageQueue& queue, const OffsetQuestion& question,
                 std::function<void(Result<protocol::QueueOffset>)> done, int64_t since_ms = 0);
  void Start(const MessageQueue& queue, protocol::QueueOffset from, std::optional<protocol::QueueOffset> to);
  void Stop(const MessageQueue& queue);
  void Pause(const MessageQueue& queue);
  void Resume(const MessageQueue& queue);
  Status SetTags(std::string_view topic, std::string_view tags);
  const TopicRoute* RouteOf(std::string_view topic) const;
  remoting::Client& client() { return client_; }
  void Close();

 private:
  // A queue being read. Shared with the callbacks of its pulls, which drop what comes after it was stopped.
  struct Queue {
    MessageQueue name;
    protocol::QueueOffset next;  // to ask for
    std::optional<protocol::QueueOffset> to;
    bool suspend = false;  // the first pull does not wait at the broker, so that the end is known at once
    bool in_flight = false;
    bool paused = false;
    bool stopped = false;
    bool troubled = false;  // in an outage that was told already
    int64_t troubled_since_ms = 0;
    int64_t backoff_ms = 0;
    int64_t stalled_since_ms = 0;  // since when the broker has messages that it does not hand out; 0: it has none
    bool stall_told = false;
    std::unique_ptr<loop::Timer> timer;
    // An answer that came while paused.
    struct Held {
      protocol::PullMessageResponseHeader header;
      std::string body;
    };
    std::optional<Held> held;
  };
  using QueuePtr = std::shared_ptr<Queue>;

  // consumer_pull.cc
  void Pull(const QueuePtr& queue);
  void WritePull(const Queue& queue, remoting::Channel& channel, int32_t opaque);
  void OnReply(const QueuePtr& queue, const remoting::CallResult& result);
  void OnFound(const QueuePtr& queue, const protocol::PullMessageResponseHeader& header, std::string_view body);
  bool Decode(const QueuePtr& queue, std::string_view body);
  void Advance(const QueuePtr& queue, const protocol::PullMessageResponseHeader& header);
  void OnMoved(const QueuePtr& queue, const protocol::PullMessageResponseHeader& header);
  void OnRefused(const QueuePtr& queue, const remoting::CallResult& result);
  void Progress(const Queue& queue);
  bool TroubledAt(const MessageQueue& name) const;
  void NoteStall(Queue& queue, const protocol::PullMessageResponseHeader& header);
  void Again(const QueuePtr& queue, const std::string& why, bool names_queue = false);
  void Fail(const QueuePtr& queue, const Error& error);
  bool AtEnd(const QueuePtr& queue);
  void End(const QueuePtr& queue);

  std::string AddressOf(const MessageQueue& queue) const;
  void RefreshRoute(const std::string& topic);
  void KeepRoute(const std::string& topic, TopicRoute route);
  const protocol::SubscriptionData& SubscriptionOf(const std::string& topic) const;
  void Note(const std::string& text);
  void NoteDamagedBody(const Queue& queue, const protocol::MessageView& record);
  void NoteUntoldDamage();
  static std::string Place(const MessageQueue& queue);  // topic and broker
  static std::string Name(const MessageQueue& queue);
  // Runs it after a while, unless this is closed before.
  void Later(int64_t delay_ms, std::function<void()> function);

  loop::Loop& loop_;
  PullConsumerOptions options_;
  ConsumerHandler handler_;
  protocol::SubscriptionData subscription_;  // of any other topic: only its tags are used
  std::map<std::string, protocol::SubscriptionData, std::less<>> own_subscriptions_;  // where SetTags said so
  std::map<std::string, TopicRoute, std::less<>> routes_by_topic_;
  std::map<std::string, bool> refreshing_;
  std::map<MessageQueue, QueuePtr> queues_;
  std::vector<PulledMessage> messages_;  // of the answer being handled
  std::vector<std::string> inflated_;
  log::RateLimit damage_notes_{10};
  uint64_t untold_damage_ = 0;  // damaged bodies since the last note
  std::list<std::unique_ptr<loop::Timer>> later_;
  bool closed_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  // Last, so that its callbacks at the end still find everything above.
  remoting::Client client_;
  Routes routes_;
};

}  // namespace mq::client
