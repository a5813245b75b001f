#include "client/group_consumer.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "client/client_id.h"
#include "client/group_consumer_impl.h"
#include "protocol/names.h"
#include "protocol/properties.h"

namespace mq::client {

using protocol::Command;
using protocol::RequestCode;

namespace {

// A commit timer that comes so late was not late: the process, or the machine, stood still, and other members may own
// our queues by now.
constexpr int64_t kStoodStillMs = 30'000;

protocol::ConsumeFromWhere FromWhere(const OffsetQuestion& question) {
  switch (question.kind) {
    case OffsetQuestion::Kind::kMin:
      return protocol::ConsumeFromWhere::kFirstOffset;
    case OffsetQuestion::Kind::kMax:
      return protocol::ConsumeFromWhere::kLastOffset;
    case OffsetQuestion::Kind::kTime:
      break;
  }
  return protocol::ConsumeFromWhere::kTimestamp;
}

}  // namespace

GroupConsumer::Impl::Impl(loop::Loop& loop, GroupConsumerOptions options, GroupConsumerHandler handler)
    : loop_(loop),
      options_(std::move(options)),
      handler_(std::move(handler)),
      client_id_(MakeClientId()),
      retry_topic_(protocol::RetryTopic(options_.group)),
      topics_(options_.topics),
      commit_timer_(loop, [this] { OnCommitTimer(); }),
      rebalance_timer_(loop, [this] { Wake(true); }) {
  topics_.push_back(retry_topic_);
  options_.pull.processors = Callbacks();
  options_.pull.group = options_.group;
  options_.pull.member = true;
  ConsumerHandler pull_handler;
  pull_handler.on_messages = [this](const MessageQueue& queue, std::span<const PulledMessage> messages) {
    return OnMessages(queue, messages);
  };
  pull_handler.on_progress = [this](const MessageQueue& queue, protocol::QueueOffset next) { OnProgress(queue, next); };
  pull_handler.commit_with_pull = [this](const MessageQueue& queue) { return CommitWithPull(queue); };
  pull_handler.on_end = [this](const MessageQueue& queue, protocol::QueueOffset /*next*/) { OnEnd(queue); };
  pull_handler.on_error = [this](const MessageQueue& queue, const Error& error) { OnQueueError(queue, error); };
  pull_handler.on_notice = [this](std::string_view text) { Note(std::string(text), true); };
  pull_ = std::make_unique<PullConsumer>(loop_, options_.pull, std::move(pull_handler));
}

GroupConsumer::Impl::~Impl() {
  handler_ = {};
  Close();
}

void GroupConsumer::Impl::Close() {
  if (closed_) return;
  closed_ = true;
  live_.Reset();
  alive_.reset();
  commit_timer_.Stop();
  rebalance_timer_.Stop();
  owned_.clear();
  heartbeats_.reset();
  pull_->Close();
}

void GroupConsumer::Impl::Join() {
  protocol::ConsumerData data;
  data.group = options_.group;
  data.consume_from_where = FromWhere(options_.from);
  for (const std::string& topic : topics_) {
    // Messages come back whatever their tag was, as with RocketMQ.
    const std::string tags = topic == retry_topic_ ? "*" : options_.pull.tags;
    auto subscription = protocol::BuildSubscription(topic, tags, NowMs());
    if (subscription) subscriptions_.push_back(std::move(*subscription));
  }
  data.subscriptions = subscriptions_;
  started_ms_ = NowMs();
  pull_->SetTags(retry_topic_, "*").Ignore("all is always well formed");
  protocol::HeartbeatData heartbeat;
  heartbeat.client_id = client_id_;
  heartbeat.consumers.push_back(std::move(data));
  Heartbeats::Handler beats;
  beats.on_known_again = [this](const std::string& address) {
    OnBrokerLost(address);  // what was committed just before it went may be lost
    Wake(true);
  };
  beats.on_lost = [this](const std::string& address) { OnBrokerLost(address); };
  heartbeats_ = std::make_unique<Heartbeats>(loop_, pull_->client(), std::move(heartbeat), std::move(beats),
                                             options_.heartbeat_ms);
  last_commit_ms_ = MonotonicMs();
  commit_timer_.Start(options_.commit_ms, options_.commit_ms);
  rebalance_timer_.Start(options_.rebalance_ms, options_.rebalance_ms);
  live_ = Live();
  live_.Start();
}

GroupConsumer::Impl::Owned* GroupConsumer::Impl::Find(const MessageQueue& queue) {
  const auto found = owned_.find(queue);
  return found == owned_.end() ? nullptr : &found->second;
}

std::vector<MessageQueue> GroupConsumer::Impl::OwnedQueues() const {
  std::vector<MessageQueue> queues;
  for (const auto& [queue, owned] : owned_) {
    if (owned.phase != Phase::kReleasing) queues.push_back(queue);
  }
  return queues;
}

std::string GroupConsumer::Impl::Name(const MessageQueue& queue) {
  return queue.topic + " " + queue.broker_name + " queue " + std::to_string(queue.queue_id);
}

void GroupConsumer::Impl::Note(const std::string& text, bool important) const {
  if (handler_.on_notice) handler_.on_notice(text, important);
}

bool GroupConsumer::Impl::OnMessages(const MessageQueue& queue, std::span<const PulledMessage> messages) {
  Owned* owned = Find(queue);
  if (owned == nullptr || owned->phase != Phase::kReading || stopped_) return true;
  owned->delivered = std::max(owned->delivered, messages.back().record.queue_offset.value() + 1);
  if (queue.topic != retry_topic_) return handler_.on_messages(queue, messages);
  renamed_.assign(messages.begin(), messages.end());
  for (PulledMessage& message : renamed_) {
    const auto topic = protocol::FindProperty(message.record.properties, protocol::property::kRetryTopic);
    if (topic) message.record.topic = *topic;
  }
  return handler_.on_messages(queue, renamed_);
}

void GroupConsumer::Impl::OnProgress(const MessageQueue& queue, protocol::QueueOffset next) {
  Owned* owned = Find(queue);
  if (owned == nullptr || owned->phase != Phase::kReading || stopped_) return;
  if (next.value() < owned->done) {
    // The queue does not reach the stored offset: it was made anew. A lower offset is only believed two-way.
    owned->delivered = owned->done = next.value();
    Commit(queue, *owned, true);
  }
  owned->delivered = next.value();
  owned->refused = false;
  if (handler_.on_progress) handler_.on_progress(queue, next);
}

void GroupConsumer::Impl::Done(const MessageQueue& queue, protocol::QueueOffset next) {
  Owned* owned = Find(queue);
  if (owned == nullptr || next.value() > owned->delivered) return;
  owned->done = std::max(owned->done, next.value());
  if (owned->phase == Phase::kReleasing && owned->done >= owned->delivered) Forget(queue);
}

void GroupConsumer::Impl::OnEnd(const MessageQueue& queue) {
  Owned* owned = Find(queue);
  if (owned == nullptr || !owned->to) return;
  owned->at_end = true;
  CheckAllRead();
}

void GroupConsumer::Impl::CheckAllRead() {
  if (!options_.to_end || stopped_ || all_read_told_) return;
  for (const std::string& topic : options_.topics) {
    if (!allocated_.contains(topic)) return;
  }
  for (const auto& [queue, owned] : owned_) {
    if (owned.phase != Phase::kReading || !owned.at_end) return;
  }
  all_read_told_ = true;
  if (handler_.on_all_read) handler_.on_all_read();
}

void GroupConsumer::Impl::OnQueueError(const MessageQueue& queue, const Error& error) {
  Owned* owned = Find(queue);
  if (owned == nullptr || owned->phase != Phase::kReading) return;
  if (error.code == ErrorCode::kPermission || error.code == ErrorCode::kNotFound) {
    return handler_.on_error(Result<void>(error).WithContext(Name(queue)).error());
  }
  if (options_.to_end) return GiveUp(queue, *owned, error);
  // A topic that goes is told once for each broker, not for each queue.
  const bool told = std::any_of(owned_.begin(), owned_.end(), [&queue](const auto& entry) {
    return entry.second.refused && entry.first.topic == queue.topic && entry.first.broker_name == queue.broker_name;
  });
  owned->refused = true;
  if (!told) {
    Note(queue.topic + " " + queue.broker_name + ": " + error.what + "; trying again in " +
             std::to_string(options_.rebalance_ms / 1000) + " s",
         true);
  }
  owned->phase = Phase::kSettling;
  owned->begin_timer->Start(options_.rebalance_ms);
}

// Held as one that is read to its end, so that the others can come to theirs.
void GroupConsumer::Impl::GiveUp(const MessageQueue& queue, Owned& owned, const Error& error) {
  owned.phase = Phase::kReading;
  owned.at_end = true;
  if (handler_.on_queue_error) handler_.on_queue_error(queue, error);
  CheckAllReadSoon();
}

// From the loop: whoever is told may end everything, and this may be the queue's own flow.
void GroupConsumer::Impl::CheckAllReadSoon() {
  loop_.Post([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) CheckAllRead();
  });
}

void GroupConsumer::Impl::Release(const MessageQueue& queue) {
  Owned& owned = *Find(queue);
  if (owned.phase == Phase::kReleasing) return;
  if (owned.phase != Phase::kReading) {
    owned_.erase(queue);  // with what it was waiting for
    return;
  }
  pull_->Stop(queue);
  owned.phase = Phase::kReleasing;
  if (owned.done >= owned.delivered) return Forget(queue);
  owned.release_timer = std::make_unique<loop::Timer>(loop_, [this, queue] { Forget(queue); });
  owned.release_timer->Start(options_.release_ms);
}

void GroupConsumer::Impl::Forget(const MessageQueue& queue) {
  Owned* owned = Find(queue);
  if (owned == nullptr || owned->phase != Phase::kReleasing) return;
  if (owned->done < owned->delivered) {
    Note(Name(queue) + ": given away before what was read is written; it may come again at another member", true);
  }
  Commit(queue, *owned);
  owned_.erase(queue);
}

void GroupConsumer::Impl::OnCommitTimer() {
  const int64_t now = MonotonicMs();
  const bool stood_still = now - std::exchange(last_commit_ms_, now) > options_.commit_ms + kStoodStillMs;
  if (!stood_still) return CommitAll();
  heartbeats_->BeatAll();
  Wake(true);
}

void GroupConsumer::Impl::CommitAll() {
  for (auto& [queue, owned] : owned_) Commit(queue, owned);
}

void GroupConsumer::Impl::Commit(const MessageQueue& queue, Owned& owned, bool two_way) {
  if (!options_.commit || owned.done < 0 || owned.done == owned.committed) return;
  const TopicRoute* route = pull_->RouteOf(queue.topic);
  if (route == nullptr) return;
  std::string address = route->MasterOf(queue.broker_name);
  if (address.empty()) address = route->AnyOf(queue.broker_name);
  if (address.empty()) return;
  Command command(RequestCode::kUpdateConsumerOffset);
  command.Set("consumerGroup", options_.group).Set("topic", queue.topic).Set("queueId", int64_t{queue.queue_id});
  command.Set("commitOffset", owned.done);
  owned.committed = owned.done;
  if (two_way) {
    pull_->client().Call(address, std::move(command), options_.pull.timeout_ms, [](const auto& /*result*/) {});
  } else {
    pull_->client().SendOneway(address, std::move(command));
  }
}

std::optional<protocol::ConsumerOffset> GroupConsumer::Impl::CommitWithPull(const MessageQueue& queue) {
  Owned* owned = Find(queue);
  if (!options_.commit || owned == nullptr || owned->done < 0 || owned->done == owned->committed) return std::nullopt;
  owned->committed = owned->done;
  return protocol::ConsumerOffset(owned->done);
}

// One-way commits may have been lost with the connection: they are made again.
void GroupConsumer::Impl::OnBrokerLost(const std::string& address) {
  for (auto& [queue, owned] : owned_) {
    const TopicRoute* route = pull_->RouteOf(queue.topic);
    if (route != nullptr && route->AnyOf(queue.broker_name) == address) owned.committed = -1;
  }
}

void GroupConsumer::Impl::StopPulling() {
  stopped_ = true;
  for (const auto& [queue, owned] : owned_) pull_->Stop(queue);
}

void GroupConsumer::Impl::Leave(std::function<void()> left) {
  StopPulling();
  // From the loop, because one of our own flows may be what is calling.
  loop_.Post([this, alive = std::weak_ptr(alive_), left = std::move(left)] {
    if (alive.expired()) return;
    live_.Reset();
    commit_timer_.Stop();
    rebalance_timer_.Stop();
    if (!heartbeats_) return left();
    CommitAll();
    heartbeats_->Unregister(options_.group, {}, left);
  });
}

GroupConsumer::GroupConsumer(loop::Loop& loop, GroupConsumerOptions options, GroupConsumerHandler handler)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(handler))) {}

GroupConsumer::~GroupConsumer() = default;

void GroupConsumer::Join() { impl_->Join(); }

void GroupConsumer::Done(const MessageQueue& queue, protocol::QueueOffset next) { impl_->Done(queue, next); }

void GroupConsumer::Resume(const MessageQueue& queue) { impl_->Resume(queue); }

void GroupConsumer::StopPulling() { impl_->StopPulling(); }

void GroupConsumer::Leave(std::function<void()> left) { impl_->Leave(std::move(left)); }

void GroupConsumer::Close() { impl_->Close(); }

const std::string& GroupConsumer::client_id() const { return impl_->client_id(); }

std::vector<MessageQueue> GroupConsumer::Owned() const { return impl_->OwnedQueues(); }

PullConsumer& GroupConsumer::questions() { return impl_->questions(); }

}  // namespace mq::client
