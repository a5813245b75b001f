// The producer's inside. Internal to producer.cc (taking messages) and producer_dispatch.cc (sending batches).
//
// A message goes: Send -> (route of its topic known?) -> an open batch of its lane -> ready_ when full, or at the end
// of the turn -> a slot of the window -> a broker -> report. A batch that is tried again keeps its slot, so that with a
// window of one nothing overtakes it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/broker_health.h"
#include "client/fault_table.h"
#include "client/heartbeats.h"
#include "client/producer.h"
#include "client/producer_batch.h"
#include "client/routes.h"
#include "loop/loop.h"
#include "protocol/ids.h"
#include "remoting/client.h"

namespace mq::client {

// Full batches that wait for the window; beyond them CanSend() says no.
inline constexpr size_t kMaxReadyBatches = 4;
// Messages that wait for the first answer about their topic's route.
inline constexpr size_t kMaxWaitingMessages = 8192;
inline constexpr size_t kMaxWaitingBytes = 16 * 1024 * 1024;
// One-way sends have no answer to wait for: this much output may pile up instead.
inline constexpr size_t kMaxOnewayOutput = 4 * 1024 * 1024;
inline constexpr int64_t kRouteRefreshMs = 30'000;
inline constexpr int64_t kNewTopicRefreshMs = 1'000;
inline constexpr int64_t kFirstBackoffMs = 50;
inline constexpr int64_t kMaxBackoffMs = 500;

class Producer::Impl : private loop::TurnEndHook {
 public:
  Impl(loop::Loop& loop, ProducerOptions options, ProducerHandler handler);
  ~Impl() override;

  bool CanSend() const;
  Status Send(const OutgoingMessage& message);
  void Drain(std::function<void()> done);
  void Close();
  const ProducerStats& stats() const { return stats_; }

 private:
  using BatchPtr = std::shared_ptr<Batch>;

  // A message whose topic's route is not known yet.
  struct Waiting {
    std::string body;
    std::string properties;
    int32_t flag = 0;
    int32_t sys_flag = 0;
    std::optional<int32_t> queue_id;
    std::optional<std::string> shard;
    uint64_t cookie = 0;
  };
  struct Topic {
    std::string name;
    bool ready = false;
    bool asking = false;
    int64_t wanted_since_ms = 0;  // first question without an answer
    int64_t asked_ms = 0;
    TopicRoute route;
    std::vector<MessageQueue> queues;
    size_t next_queue = 0;
    std::deque<Waiting> waiting;
    std::map<std::pair<std::string, int32_t>, BatchPtr> lanes;  // ("", -1): any queue
    std::unique_ptr<loop::Timer> ask_again;
  };

  // producer.cc: taking messages.
  Topic& TopicOf(std::string_view name);
  Result<std::string_view> CompressBody(std::string_view body, int32_t* sys_flag);
  void Place(Topic& topic, std::string_view body, std::string_view properties, int32_t sys_flag,
             const OutgoingMessage& message);
  std::optional<MessageQueue> FixedQueue(Topic& topic, const OutgoingMessage& message, bool* missing);
  void CloseLane(BatchPtr& lane);
  void AskRoute(Topic& topic);
  void OnRoute(Topic& topic, Result<TopicRoute> route);
  void FailWaiting(Topic& topic, const Error& error);
  void ReportFailed(uint64_t cookie, std::string_view msg_id, const Error& error);
  void Reported(uint64_t messages, bool stored);
  void OnTurnEnd() override;
  void AskTurnEnd();
  void CheckDrained();
  void MaybeReady();

  // producer_dispatch.cc: sending batches.
  void Pump();
  BatchPtr TakeOpenBatch();
  void Dispatch(const BatchPtr& batch);
  bool ChooseQueue(Topic& topic, Batch& batch);
  std::optional<size_t> LeastBadQueue(Topic& topic, const Batch& batch, size_t from);
  void NoteLatency(const Batch& batch, bool failed);
  void Tell();
  void WriteRequest(const BatchPtr& batch, remoting::Channel& channel, int64_t timeout_ms, int64_t silence_ms);
  void WriteOneway(const BatchPtr& batch, remoting::Channel& channel);
  void OnReply(const BatchPtr& batch, const remoting::CallResult& result);
  void Stored(const BatchPtr& batch, const protocol::CommandView& reply);
  void SendOneByOne(const BatchPtr& batch);
  void TryFailed(const BatchPtr& batch, bool retryable, bool reached);
  void RetryLater(const BatchPtr& batch, int64_t delay_ms);
  void RunRetries();
  void FailBatch(const BatchPtr& batch);
  void Done(const BatchPtr& batch);
  void Note(const std::string& text);
  int64_t RemainingMs(const Batch& batch) const;
  bool OthersAvailable(const Topic& topic, std::string_view broker) const;

  loop::Loop& loop_;
  ProducerOptions options_;
  ProducerHandler handler_;
  ProducerStats stats_;
  uint64_t batches_made_ = 0;
  size_t batch_messages_;
  size_t batch_bytes_;
  protocol::UniqKeyGenerator ids_;
  BrokerHealth health_;
  FaultTable faults_;  // used with options_.fault_delay
  std::map<std::string, std::unique_ptr<Topic>, std::less<>> topics_;
  Topic* last_topic_ = nullptr;
  size_t waiting_messages_ = 0;
  size_t waiting_bytes_ = 0;
  std::deque<BatchPtr> ready_;
  std::set<BatchPtr> slots_;                           // sent, or waiting to be sent again
  std::vector<std::pair<int64_t, BatchPtr>> retries_;  // due time
  std::set<std::string> oneway_addresses_;
  bool goodbye_said_ = false;  // one-way: to all brokers, when everything has left
  bool goodbye_heard_ = false;
  std::string properties_;  // of the message being taken
  std::string compressed_;
  std::function<void()> drained_;
  mutable bool blocked_ = false;
  bool hooked_ = false;
  bool split_ = false;  // pieces of a refused batch wait until nothing is in flight
  bool closed_ = false;
  loop::Timer retry_timer_;
  loop::Timer oneway_timer_;
  // Last, so that its callbacks at the end still find everything above; routes before it.
  remoting::Client client_;
  Routes routes_;
  std::unique_ptr<Heartbeats> heartbeats_;  // from the first route on
};

}  // namespace mq::client
