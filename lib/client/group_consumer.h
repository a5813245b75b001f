// A member of a consumer group in clustering mode: shares the queues of topics with the other members, reads its own
// from the group's stored offsets, and commits what its user says is done.
//
//   GroupConsumer consumer(loop, options, {.on_messages = ..., .on_progress = ..., ...});
//   consumer.Join();
//   ... consumer.Done(queue, next) whenever everything before `next` got where it should
//   consumer.Leave([&] { loop.Stop(); });
//
// Who owns which queue is computed by every member alone (allocate.h) from the sorted queues and the sorted ids of the
// members (38): when it joins, every 20 s, and when a broker says that the members have changed (40). A queue that is
// taken away is no longer pulled; its offset is committed once what was handed over is done, then it is forgotten. A
// new owner waits a moment before it asks for the stored offset, so that this commit is there. So a join or an orderly
// leave delivers nothing twice; after a kill the messages that were not committed come again.
//
// Commits are one-way (15, every 5 s and along with pulls): a broker ignores a lower one that comes late. The messages
// of %RETRY%group, where Java members hand messages back to, are read as well and shown with their first topic. Loop
// thread only; the loop must outlive the object. Nothing is durable here; offsets are at the brokers.
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
#include "client/consumer.h"
#include "client/heartbeats.h"

namespace mq::client {

inline constexpr int64_t kRebalanceMs = 20'000;
inline constexpr int64_t kCommitMs = 5'000;
// What a new owner waits for the former one's last commit.
inline constexpr int64_t kSettleMs = 300;
// What a former owner waits for messages it has handed over, before it commits without them.
inline constexpr int64_t kReleaseMs = 3'000;

struct GroupConsumerOptions {
  PullConsumerOptions pull;  // its group and member are set here
  std::string group;
  std::vector<std::string> topics;
  // Where a queue without a stored offset begins (consume-from-where); `from_offset`, or the nearest place the queue
  // has, instead of it when set. A queue that appears later than the member begins at its start in any case.
  OffsetQuestion from = OffsetQuestion::Min();
  std::optional<int64_t> from_offset;
  bool commit = true;
  // Each queue is read up to the end it has when it is taken, and then only held.
  bool to_end = false;

  int64_t heartbeat_ms = kHeartbeatMs;
  int64_t rebalance_ms = kRebalanceMs;
  int64_t commit_ms = kCommitMs;
  int64_t settle_ms = kSettleMs;
  int64_t release_ms = kReleaseMs;
};

struct GroupConsumerHandler {
  // Messages of one queue in order; false pauses the queue after these, Resume continues.
  std::function<bool(const MessageQueue&, std::span<const PulledMessage>)> on_messages;
  // Everything before `next` was handed over or was not wanted: call Done when it got where it should.
  std::function<void(const MessageQueue&, protocol::QueueOffset next)> on_progress;
  // With to_end: the queues are allocated, and each that is ours is read to its end.
  std::function<void()> on_all_read;
  // With to_end: this queue cannot be read to its end and is given up, the others go on. The error does not name it.
  std::function<void(const MessageQueue&, const Error&)> on_queue_error;
  // The group cannot be consumed: refused or not allowed. Comes from the loop.
  std::function<void(const Error&)> on_error;
  // For stderr: always worth saying (`important`), or only for those who want to know more.
  std::function<void(std::string_view text, bool important)> on_notice;
};

class GroupConsumer {
 public:
  GroupConsumer(loop::Loop& loop, GroupConsumerOptions options, GroupConsumerHandler handler);
  ~GroupConsumer();
  GroupConsumer(const GroupConsumer&) = delete;
  GroupConsumer& operator=(const GroupConsumer&) = delete;

  // Becomes a member; once. The topics should exist.
  void Join();
  // Everything of the queue before `next` is done and may be committed. A queue that is not ours is passed over.
  void Done(const MessageQueue& queue, protocol::QueueOffset next);
  void Resume(const MessageQueue& queue);
  // Stops pulling at once; what comes in is dropped. Done is still heard.
  void StopPulling();
  // Commits what is done, says good-bye so that the others take over at once, and calls `left`; bounded in time.
  void Leave(std::function<void()> left);
  // Closes all connections, without a good-bye if there was none.
  void Close();

  const std::string& client_id() const;
  // The queues that are ours now, for tests and -v.
  std::vector<MessageQueue> Owned() const;
  // Questions about topics, asked over the same connections.
  PullConsumer& questions();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mq::client
