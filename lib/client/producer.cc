#include "client/producer.h"

#include <algorithm>
#include <random>

#include "base/clock.h"
#include "base/java_hash.h"
#include "base/strings.h"
#include "client/client_id.h"
#include "client/producer_impl.h"
#include "loop/connection.h"
#include "protocol/names.h"
#include "protocol/properties.h"

namespace mq::client {
namespace {

protocol::Host LocalHost() {
  const std::string address = loop::FirstNonLoopbackAddress();
  const bool v6 = address.find(':') != std::string::npos;
  const auto host = protocol::ParseHost((v6 ? "[" + address + "]" : address) + ":0");
  if (host) return *host;
  protocol::Host fallback;
  fallback.address = {127, 0, 0, 1};
  return fallback;
}

}  // namespace

Producer::Impl::Impl(loop::Loop& loop, ProducerOptions options, ProducerHandler handler)
    : loop_(loop),
      options_(std::move(options)),
      handler_(std::move(handler)),
      batch_messages_(static_cast<size_t>(options_.batch_messages > 0 ? options_.batch_messages : kAutoBatchMessages)),
      batch_bytes_(std::min(options_.batch_bytes > 0 ? options_.batch_bytes : kAutoBatchBytes,
                            static_cast<size_t>(options_.max_message_bytes))),
      ids_(LocalHost()),
      retry_timer_(loop, [this] { RunRetries(); }),
      oneway_timer_(loop, [this] { AskTurnEnd(); }),
      client_(loop),
      routes_(loop, client_, {options_.name_servers, options_.broker}) {}

Producer::Impl::~Impl() {
  handler_ = {};  // whoever destroys us asks for no reports
  Close();
}

bool Producer::Impl::CanSend() const {
  const bool can = ready_.size() < kMaxReadyBatches && waiting_messages_ < kMaxWaitingMessages &&
                   waiting_bytes_ < kMaxWaitingBytes && !closed_;
  if (!can) blocked_ = true;
  return can;
}

Producer::Impl::Topic& Producer::Impl::TopicOf(std::string_view name) {
  if (last_topic_ != nullptr && last_topic_->name == name) return *last_topic_;
  auto found = topics_.find(name);
  if (found == topics_.end()) {
    auto topic = std::make_unique<Topic>();
    topic->name = name;
    // Many short runs of a sender must not all begin with the same queue.
    topic->next_queue = std::random_device{}();
    found = topics_.emplace(topic->name, std::move(topic)).first;
  }
  last_topic_ = found->second.get();
  return *last_topic_;
}

Status Producer::Impl::Send(const OutgoingMessage& message) {
  if (closed_) return MakeError(ErrorCode::kClosed, "the producer is closed");
  if (last_topic_ == nullptr || last_topic_->name != message.topic) MQ_TRY(protocol::CheckTopicName(message.topic));
  if (message.body.size() > static_cast<size_t>(options_.max_message_bytes)) {
    return MakeError(ErrorCode::kInvalidArgument, "a message of " + std::to_string(message.body.size()) +
                                                      " bytes, more than the limit of " +
                                                      std::to_string(options_.max_message_bytes));
  }
  properties_.assign(protocol::property::kUniqKey);
  properties_ += protocol::kPropertyNameSeparator;
  ids_.Append(properties_, NowMs());
  MQ_TRY(AppendProperties(message, properties_));
  int32_t sys_flag = 0;
  MQ_ASSIGN(const std::string_view body, CompressBody(message.body, &sys_flag));

  Topic& topic = TopicOf(message.topic);
  ++stats_.accepted;
  ++stats_.in_flight_messages;
  if (topic.ready) {
    Place(topic, body, properties_, sys_flag, message);
    return Ok();
  }
  Waiting waiting{std::string(body), properties_,  message.flag,  sys_flag,
                  message.queue_id,  std::nullopt, message.cookie};
  if (message.shard) waiting.shard.emplace(*message.shard);
  ++waiting_messages_;
  waiting_bytes_ += waiting.body.size();
  topic.waiting.push_back(std::move(waiting));
  if (topic.wanted_since_ms == 0) topic.wanted_since_ms = MonotonicMs();
  AskRoute(topic);
  return Ok();
}

Result<std::string_view> Producer::Impl::CompressBody(std::string_view body, int32_t* sys_flag) {
  if (!options_.compression || body.size() < options_.compress_over) return body;
  Result<std::string> packed = protocol::Compress(*options_.compression, body, options_.compress_level);
  if (!packed) return std::move(packed).WithContext("compress").error();
  if (packed->size() >= body.size()) return body;  // it does not pay
  compressed_ = std::move(*packed);
  *sys_flag = protocol::CompressionFlags(*options_.compression);
  return std::string_view(compressed_);
}

std::optional<MessageQueue> Producer::Impl::FixedQueue(Topic& topic, const OutgoingMessage& message, bool* missing) {
  *missing = false;
  if (message.queue_id) {
    const auto found = std::find_if(topic.queues.begin(), topic.queues.end(),
                                    [&](const MessageQueue& queue) { return queue.queue_id == *message.queue_id; });
    if (found != topic.queues.end()) return *found;
    *missing = true;
    return std::nullopt;
  }
  if (!message.shard) return std::nullopt;
  const int64_t hash = JavaHash(*message.shard);
  return topic.queues[static_cast<size_t>(hash < 0 ? -hash : hash) % topic.queues.size()];
}

void Producer::Impl::Place(Topic& topic, std::string_view body, std::string_view properties, int32_t sys_flag,
                           const OutgoingMessage& message) {
  AskTurnEnd();  // until then open batches stay open
  bool missing = false;
  std::optional<MessageQueue> fixed = FixedQueue(topic, message, &missing);
  if (missing) {
    const Error error = MakeError(
        ErrorCode::kRefused, "topic " + topic.name + " has no writable queue " + std::to_string(*message.queue_id));
    return ReportFailed(message.cookie, properties.substr(protocol::property::kUniqKey.size() + 1, 32), error);
  }
  const auto key = fixed ? std::make_pair(fixed->broker_name, fixed->queue_id) : std::make_pair(std::string(), -1);
  BatchPtr& lane = topic.lanes[key];
  const size_t bytes = protocol::BatchEntryBytes(body.size(), properties.size());
  // A compressed body has its flag in the request's header, so it travels alone.
  const bool alone = sys_flag != 0 || batch_messages_ == 1;
  if (lane && (alone || lane->count() >= batch_messages_ || lane->entries.size() + bytes > batch_bytes_)) {
    CloseLane(lane);
  }
  if (!lane) {
    lane = std::make_shared<Batch>();
    lane->sequence = ++batches_made_;
    lane->topic = topic.name;
    lane->fixed_queue = std::move(fixed);
    lane->sys_flag = sys_flag;
  }
  AddToBatch(*lane, body, properties, message);
  if (alone || lane->count() >= batch_messages_ || lane->entries.size() >= batch_bytes_) CloseLane(lane);
}

void Producer::Impl::CloseLane(BatchPtr& lane) {
  ready_.push_back(std::move(lane));
  lane.reset();
  if (slots_.size() < static_cast<size_t>(options_.window)) Pump();
}

void Producer::Impl::AskRoute(Topic& topic) {
  if (topic.asking || closed_) return;
  topic.asking = true;
  topic.asked_ms = MonotonicMs();
  routes_.FindForPublish(topic.name, options_.timeout_ms,
                         [this, &topic](Result<TopicRoute> route) { OnRoute(topic, std::move(route)); });
}

void Producer::Impl::OnRoute(Topic& topic, Result<TopicRoute> route) {
  topic.asking = false;
  if (closed_) return;
  if (route) {
    std::vector<MessageQueue> queues = route->PublishQueues(topic.name);
    if (!queues.empty()) {
      topic.route = std::move(*route);
      topic.queues = std::move(queues);
      topic.ready = true;
      topic.wanted_since_ms = 0;
      Tell();
    } else {
      route = route->NoQueue(topic.name, protocol::kPermWrite);
    }
  }
  if (topic.ready) {  // perhaps by an earlier answer: what was known is kept
    std::deque<Waiting> waiting;
    waiting.swap(topic.waiting);
    for (Waiting& message : waiting) {
      --waiting_messages_;
      waiting_bytes_ -= message.body.size();
      OutgoingMessage placed;
      placed.flag = message.flag;
      placed.queue_id = message.queue_id;
      if (message.shard) placed.shard = *message.shard;
      placed.cookie = message.cookie;
      Place(topic, message.body, message.properties, message.sys_flag, placed);
    }
    AskTurnEnd();
    return;
  }
  const int64_t waited = MonotonicMs() - topic.wanted_since_ms;
  if (!RetryMayHelp(route.error()) || waited >= options_.timeout_ms) return FailWaiting(topic, route.error());
  Note("no route of " + topic.name + " yet: " + route.error().what);
  if (!topic.ask_again) topic.ask_again = std::make_unique<loop::Timer>(loop_, [this, &topic] { AskRoute(topic); });
  topic.ask_again->Start(kFirstBackoffMs * 2);
}

// Brokers list their producers, and call them back about transactions: they hear of us as soon as we know them.
void Producer::Impl::Tell() {
  std::set<std::string> masters;
  for (const auto& [name, topic] : topics_) {
    for (const MessageQueue& queue : topic->queues) masters.insert(topic->route.MasterOf(queue.broker_name));
  }
  if (!heartbeats_) {
    protocol::HeartbeatData data;
    data.client_id = MakeClientId();
    data.producer_groups = {options_.group};
    heartbeats_ = std::make_unique<Heartbeats>(loop_, client_, std::move(data), Heartbeats::Handler{});
  }
  heartbeats_->SetBrokers({masters.begin(), masters.end()});
}

void Producer::Impl::FailWaiting(Topic& topic, const Error& error) {
  topic.wanted_since_ms = 0;
  std::deque<Waiting> waiting;
  waiting.swap(topic.waiting);
  for (const Waiting& message : waiting) {
    --waiting_messages_;
    waiting_bytes_ -= message.body.size();
    const auto id = protocol::FindProperty(message.properties, protocol::property::kUniqKey);
    ReportFailed(message.cookie, id.value_or(std::string_view()), error);
  }
  AskTurnEnd();
}

void Producer::Impl::ReportFailed(uint64_t cookie, std::string_view msg_id, const Error& error) {
  SendReport report;
  report.cookie = cookie;
  report.msg_id = msg_id;
  report.error = &error;
  Reported(1, false);
  if (handler_.on_report) handler_.on_report(report);
}

void Producer::Impl::Reported(uint64_t messages, bool stored) {
  stats_.in_flight_messages -= messages;
  (stored ? stats_.stored : stats_.failed) += messages;
  AskTurnEnd();
}

void Producer::Impl::AskTurnEnd() {
  if (hooked_ || closed_) return;
  hooked_ = true;
  loop_.AtTurnEnd(this);
}

void Producer::Impl::OnTurnEnd() {
  hooked_ = false;
  if (closed_) return;
  Pump();
  MaybeReady();
  CheckDrained();
}

void Producer::Impl::MaybeReady() {
  if (!blocked_ || !CanSend()) return;
  blocked_ = false;
  if (handler_.on_ready) handler_.on_ready();
}

void Producer::Impl::Drain(std::function<void()> done) {
  drained_ = std::move(done);
  CheckDrained();
}

void Producer::Impl::CheckDrained() {
  if (!drained_ || stats_.in_flight_messages != 0) return;
  // One-way messages are done when their bytes have left.
  for (const std::string& address : oneway_addresses_) {
    const auto channel = client_.Find(address);
    if (channel && channel->queued_bytes() > 0) return oneway_timer_.Start(1);
  }
  // The answer to the good-bye says that the broker has read everything. Without it, an answer to a heartbeat that lies
  // unread in our own buffer would make the close a reset, and what the broker has not read yet would be lost.
  if (options_.oneway && heartbeats_ && !std::exchange(goodbye_said_, true)) {
    return heartbeats_->Unregister({}, options_.group, [this] {
      goodbye_heard_ = true;
      if (!closed_) CheckDrained();
    });
  }
  if (goodbye_said_ && !goodbye_heard_) return;
  const std::function<void()> done = std::exchange(drained_, nullptr);
  done();
}

void Producer::Impl::Close() {
  if (closed_) return;
  const Error error = MakeError(ErrorCode::kClosed, "the producer was closed");
  closed_ = true;
  if (hooked_) loop_.CancelTurnEnd(this);
  hooked_ = false;
  retry_timer_.Stop();
  oneway_timer_.Stop();
  retries_.clear();
  for (auto& [name, topic] : topics_) {
    topic->ask_again.reset();
    FailWaiting(*topic, error);
    for (auto& [key, lane] : topic->lanes) {
      if (lane) ready_.push_back(std::move(lane));
    }
  }
  for (const BatchPtr& batch : std::exchange(slots_, {})) ready_.push_back(batch);
  for (const BatchPtr& batch : std::exchange(ready_, {})) {
    batch->error = error;
    FailBatch(batch);
  }
  heartbeats_.reset();
  client_.Close();
}

Producer::Producer(loop::Loop& loop, ProducerOptions options, ProducerHandler handler)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(handler))) {}

Producer::~Producer() = default;

bool Producer::CanSend() const { return impl_->CanSend(); }

Status Producer::Send(const OutgoingMessage& message) { return impl_->Send(message); }

void Producer::Drain(std::function<void()> done) { impl_->Drain(std::move(done)); }

void Producer::Close() { impl_->Close(); }

const ProducerStats& Producer::stats() const { return impl_->stats(); }

}  // namespace mq::client
