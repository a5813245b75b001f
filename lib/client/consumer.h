// The pull consumer: reads queues without being a member of a group. It finds a topic's queues, asks
// for offsets, and pulls each queue it was told to, with long polling at the tail. It never commits.
//
//   PullConsumer consumer(loop, options, {.on_messages = ..., .on_end = ..., .on_error = ...});
//   consumer.FindQueues("T", [&](Result<std::vector<MessageQueue>> queues) { ... });
//   consumer.AskOffset(queue, OffsetQuestion::Max(), [&](Result<protocol::QueueOffset> offset) { ... });
//   consumer.Start(queue, from, to);
//
// The next pull of a queue is in flight while its messages are handled. A broker that goes away is asked again
// with back-off, its queues resume where they were, and the route is looked up again meanwhile. Queues that a
// topic gets later are found by asking FindQueues again. Loop thread only. The loop must outlive the consumer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/message.h"
#include "protocol/message.h"
#include "protocol/offsets.h"
#include "protocol/pull_headers.h"

namespace mq::loop {
class Loop;
}
namespace mq::remoting {
class Client;
class ProcessorTable;
}  // namespace mq::remoting

namespace mq::client {

inline constexpr int kDefaultPullBatch = 1024;
inline constexpr int64_t kDefaultSuspendMs = 15000;

struct PullConsumerOptions {
  // Either name servers or one broker address, which skips the name server.
  std::vector<std::string> name_servers;
  std::string broker;

  std::string group = "TOOLS_CONSUMER";  // named in pulls; nothing is committed under it
  std::string tags = "*";                // "a || b"; filtered by hash at the broker, by text here
  int pull_batch = kDefaultPullBatch;
  int64_t suspend_ms = kDefaultSuspendMs;
  int64_t timeout_ms = 3000;  // of questions; a pull gets this on top of suspend_ms
  // A queue that is read to an end fails after trouble of this length; one that is followed never does.
  int64_t give_up_ms = 30'000;

  // For a member of a group (group_consumer.h): answers to what brokers ask of it, and patience with brokers that do
  // not know its subscription yet.
  std::shared_ptr<const remoting::ProcessorTable> processors;
  bool member = false;
};

// A pulled message. Views live during the callback only.
struct PulledMessage {
  protocol::MessageView record;  // as stored; record.topic is the stored topic
  std::string_view body;         // inflated
  std::string_view broker_name;
};

struct OffsetQuestion {
  enum class Kind { kMin, kMax, kTime } kind = Kind::kMin;
  int64_t timestamp = 0;
  protocol::BoundaryType boundary = protocol::BoundaryType::kLower;

  static OffsetQuestion Min() { return {Kind::kMin, 0, protocol::BoundaryType::kNone}; }
  static OffsetQuestion Max() { return {Kind::kMax, 0, protocol::BoundaryType::kNone}; }
  // First message stored at or after that time (ms).
  static OffsetQuestion AtTime(int64_t ms) { return {Kind::kTime, ms, protocol::BoundaryType::kLower}; }
};

struct ConsumerHandler {
  // Messages of one queue in order. Return false to pause the queue after these; Resume continues.
  std::function<bool(const MessageQueue&, std::span<const PulledMessage>)> on_messages;
  // Everything before `next` has been handed over, or was not wanted; comes after on_messages. A `next` below an
  // earlier one means that the broker moved the place back. Optional.
  std::function<void(const MessageQueue&, protocol::QueueOffset next)> on_progress;
  // The offset to commit along with a pull of this queue; without one the pull commits nothing. Optional.
  std::function<std::optional<protocol::ConsumerOffset>(const MessageQueue&)> commit_with_pull;
  // The queue reached `to` (or, without `to`, each time it has no more messages for now: caught up).
  // `next` is the next offset to read.
  std::function<void(const MessageQueue&, protocol::QueueOffset next)> on_end;
  // The queue cannot be read any further (refused, topic gone): it is stopped. The error does not name it.
  std::function<void(const MessageQueue&, const Error&)> on_error;
  // A gap, a reconnect, an unreachable broker: for stderr. Optional.
  std::function<void(std::string_view)> on_notice;
};

// What is said when an offset was asked for that is beyond the end of every queue.
std::string NoQueueReaches(int64_t offset, int64_t longest);

struct TopicRoute;

class PullConsumer {
 public:
  PullConsumer(loop::Loop& loop, PullConsumerOptions options, ConsumerHandler handler);
  ~PullConsumer();
  PullConsumer(const PullConsumer&) = delete;
  PullConsumer& operator=(const PullConsumer&) = delete;

  // The readable queues of a topic, sorted. kNotFound when no name server knows the topic.
  void FindQueues(std::string_view topic, std::function<void(Result<std::vector<MessageQueue>>)> done);
  // All topics of the cluster, for hints.
  void ListTopics(std::function<void(Result<std::vector<std::string>>)> done);
  // A busy broker is asked again for as long as options.give_up_ms.
  void AskOffset(const MessageQueue& queue, const OffsetQuestion& question,
                 std::function<void(Result<protocol::QueueOffset>)> done);

  // Starts pulling at `from`; stops before `to` when given (then on_end comes once). Offsets the broker
  // no longer has move to the next one it has, with a notice.
  void Start(const MessageQueue& queue, protocol::QueueOffset from,
             std::optional<protocol::QueueOffset> to = std::nullopt);
  void Stop(const MessageQueue& queue);
  // Pause keeps the place: what is already on its way is delivered after Resume.
  void Pause(const MessageQueue& queue);
  void Resume(const MessageQueue& queue);

  // Another choice of tags for one topic.
  Status SetTags(std::string_view topic, std::string_view tags);

  // What the last answer about a topic said; null before it. Valid until the next one.
  const TopicRoute* RouteOf(std::string_view topic) const;
  // The connections, for a member of a group that speaks over the same ones.
  remoting::Client& client();

  void Close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mq::client
