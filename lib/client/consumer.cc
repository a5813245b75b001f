#include "client/consumer.h"

#include "base/clock.h"
#include "client/consumer_impl.h"
#include "protocol/names.h"

namespace mq::client {
namespace {

constexpr int64_t kBusyRetryMs = 200;

remoting::ClientOptions PullClientOptions(const PullConsumerOptions& consumer) {
  remoting::ClientOptions options;
  options.processors = consumer.processors;
  // A pull waits at the broker longer than a connection may be silent otherwise; one late answer is no
  // reason to drop the pulls of all other queues of that broker.
  options.close_on_timeout = true;
  return options;
}

}  // namespace

PullConsumer::Impl::Impl(loop::Loop& loop, PullConsumerOptions options, ConsumerHandler handler)
    : loop_(loop),
      options_(std::move(options)),
      handler_(std::move(handler)),
      client_(loop, PullClientOptions(options_)),
      routes_(loop, client_, {options_.name_servers, options_.broker}) {
  auto subscription = protocol::BuildSubscription("", options_.tags, 0);
  if (subscription) subscription_ = std::move(*subscription);
}

PullConsumer::Impl::~Impl() {
  handler_ = {};
  Close();
}

void PullConsumer::Impl::Close() {
  if (closed_) return;
  closed_ = true;
  NoteUntoldDamage();
  for (auto& [name, queue] : queues_) {
    queue->stopped = true;
    queue->timer.reset();
  }
  queues_.clear();
  later_.clear();
  client_.Close();
}

std::string PullConsumer::Impl::Place(const MessageQueue& queue) { return queue.topic + " " + queue.broker_name; }

std::string PullConsumer::Impl::Name(const MessageQueue& queue) {
  return Place(queue) + " queue " + std::to_string(queue.queue_id);
}

void PullConsumer::Impl::Note(const std::string& text) {
  if (handler_.on_notice) handler_.on_notice(text);
}

void PullConsumer::Impl::FindQueues(std::string_view topic,
                                    std::function<void(Result<std::vector<MessageQueue>>)> done) {
  routes_.Find(topic, options_.timeout_ms,
               [this, topic = std::string(topic), done = std::move(done)](Result<TopicRoute> route) {
                 if (closed_) return;
                 if (!route) return done(route.error());
                 std::vector<MessageQueue> queues = route->SubscribeQueues(topic);
                 const Error none = queues.empty() ? route->NoQueue(topic, protocol::kPermRead) : Error();
                 KeepRoute(topic, std::move(*route));
                 if (queues.empty()) return done(none);
                 done(std::move(queues));
               });
}

void PullConsumer::Impl::ListTopics(std::function<void(Result<std::vector<std::string>>)> done) {
  routes_.Topics(options_.timeout_ms, std::move(done));
}

std::string PullConsumer::Impl::AddressOf(const MessageQueue& queue) const {
  const auto route = routes_by_topic_.find(queue.topic);
  return route == routes_by_topic_.end() ? std::string() : route->second.AnyOf(queue.broker_name);
}

void PullConsumer::Impl::RefreshRoute(const std::string& topic) {
  bool& refreshing = refreshing_[topic];
  if (refreshing) return;
  refreshing = true;
  routes_.Find(topic, options_.timeout_ms, [this, topic](Result<TopicRoute> route) {
    if (closed_) return;
    refreshing_[topic] = false;
    if (route) KeepRoute(topic, std::move(*route));  // otherwise what was known is kept
  });
}

// A broker that is known under another address now is left at once: what waits there would wait for its full time.
void PullConsumer::Impl::KeepRoute(const std::string& topic, TopicRoute route) {
  TopicRoute& known = routes_by_topic_[topic];
  std::swap(known, route);
  for (const protocol::BrokerData& before : route.data.brokers) {
    const std::string now = known.AnyOf(before.broker_name);
    const std::string old = route.AnyOf(before.broker_name);
    if (now.empty() || now == old) continue;
    Note("broker " + before.broker_name + " moved from " + old + " to " + now);
    client_.Forget(old);
  }
}

const TopicRoute* PullConsumer::Impl::RouteOf(std::string_view topic) const {
  const auto found = routes_by_topic_.find(topic);
  return found == routes_by_topic_.end() ? nullptr : &found->second;
}

Status PullConsumer::Impl::SetTags(std::string_view topic, std::string_view tags) {
  MQ_ASSIGN(own_subscriptions_[std::string(topic)], protocol::BuildSubscription(topic, tags, 0));
  return Ok();
}

const protocol::SubscriptionData& PullConsumer::Impl::SubscriptionOf(const std::string& topic) const {
  const auto found = own_subscriptions_.find(topic);
  return found == own_subscriptions_.end() ? subscription_ : found->second;
}

void PullConsumer::Impl::AskOffset(const MessageQueue& queue, const OffsetQuestion& question,
                                   std::function<void(Result<protocol::QueueOffset>)> done, int64_t since_ms) {
  if (since_ms == 0) since_ms = MonotonicMs();
  using protocol::RequestCode;
  protocol::Command command;
  command.Set("topic", queue.topic).Set("queueId", int64_t{queue.queue_id});
  switch (question.kind) {
    case OffsetQuestion::Kind::kMin:
      command.code = static_cast<int32_t>(RequestCode::kGetMinOffset);
      break;
    case OffsetQuestion::Kind::kMax:
      command.code = static_cast<int32_t>(RequestCode::kGetMaxOffset);
      break;
    case OffsetQuestion::Kind::kTime:
      command.code = static_cast<int32_t>(RequestCode::kSearchOffsetByTimestamp);
      command.Set("timestamp", question.timestamp);
      if (question.boundary == protocol::BoundaryType::kLower) command.Set("boundaryType", "lower");
      if (question.boundary == protocol::BoundaryType::kUpper) command.Set("boundaryType", "upper");
      break;
  }
  const std::string address = AddressOf(queue);
  if (address.empty()) {
    loop_.Post([alive = std::weak_ptr(alive_), done = std::move(done)] {
      if (!alive.expired()) done(MakeError(ErrorCode::kUnreachable, "no live broker"));
    });
    return;
  }
  client_.Call(address, std::move(command), options_.timeout_ms,
               [this, queue, question, since_ms, done = std::move(done)](const remoting::CallResult& result) {
                 if (closed_) return;
                 if (!result.ok()) {
                   const Error error = result.ToError();
                   // A broker that has just started may have to wait for its helper.
                   const bool again = error.code == ErrorCode::kBusy && MonotonicMs() - since_ms < options_.give_up_ms;
                   if (!again) return done(error);
                   return Later(kBusyRetryMs, [this, queue, question, done, since_ms] {
                     AskOffset(queue, question, done, since_ms);
                   });
                 }
                 const auto header = protocol::OffsetResponseHeader::Decode(*result.reply);
                 if (!header) return done(header.error());
                 done(header->offset);
               });
}

void PullConsumer::Impl::Later(int64_t delay_ms, std::function<void()> function) {
  const auto at = later_.emplace(later_.end());
  *at = std::make_unique<loop::Timer>(loop_, [this, at, function = std::move(function)] {
    const auto run = function;
    later_.erase(at);
    run();
  });
  (*at)->Start(delay_ms);
}

void PullConsumer::Impl::Start(const MessageQueue& name, protocol::QueueOffset from,
                               std::optional<protocol::QueueOffset> to) {
  Stop(name);
  auto queue = std::make_shared<Queue>();
  queue->name = name;
  queue->next = from;
  queue->to = to;
  queues_[name] = queue;
  // From the loop, so that no callback comes from inside Start.
  const std::weak_ptr<Queue> weak = queue;
  queue->timer = std::make_unique<loop::Timer>(loop_, [this, weak] {
    const QueuePtr held = weak.lock();
    if (held && !held->stopped) Pull(held);
  });
  queue->timer->Start(0);
}

void PullConsumer::Impl::Stop(const MessageQueue& name) {
  const auto found = queues_.find(name);
  if (found == queues_.end()) return;
  const QueuePtr queue = found->second;
  queue->stopped = true;
  queue->timer.reset();
  queues_.erase(found);
}

void PullConsumer::Impl::Pause(const MessageQueue& name) {
  const auto found = queues_.find(name);
  if (found != queues_.end()) found->second->paused = true;
}

void PullConsumer::Impl::Resume(const MessageQueue& name) {
  const auto found = queues_.find(name);
  if (found == queues_.end() || !found->second->paused) return;
  found->second->paused = false;
  found->second->timer->Start(0);
}

std::string NoQueueReaches(int64_t offset, int64_t longest) {
  const std::string number = std::to_string(offset);
  return "no queue reaches offset " + number + ", the longest ends at " + std::to_string(longest) +
         "; seconds since 1970 are written @" + number;
}

PullConsumer::PullConsumer(loop::Loop& loop, PullConsumerOptions options, ConsumerHandler handler)
    : impl_(std::make_unique<Impl>(loop, std::move(options), std::move(handler))) {}

PullConsumer::~PullConsumer() = default;

void PullConsumer::FindQueues(std::string_view topic, std::function<void(Result<std::vector<MessageQueue>>)> done) {
  impl_->FindQueues(topic, std::move(done));
}

void PullConsumer::ListTopics(std::function<void(Result<std::vector<std::string>>)> done) {
  impl_->ListTopics(std::move(done));
}

void PullConsumer::AskOffset(const MessageQueue& queue, const OffsetQuestion& question,
                             std::function<void(Result<protocol::QueueOffset>)> done) {
  impl_->AskOffset(queue, question, std::move(done));
}

void PullConsumer::Start(const MessageQueue& queue, protocol::QueueOffset from,
                         std::optional<protocol::QueueOffset> to) {
  impl_->Start(queue, from, to);
}

void PullConsumer::Stop(const MessageQueue& queue) { impl_->Stop(queue); }

void PullConsumer::Pause(const MessageQueue& queue) { impl_->Pause(queue); }

void PullConsumer::Resume(const MessageQueue& queue) { impl_->Resume(queue); }

Status PullConsumer::SetTags(std::string_view topic, std::string_view tags) { return impl_->SetTags(topic, tags); }

const TopicRoute* PullConsumer::RouteOf(std::string_view topic) const { return impl_->RouteOf(topic); }

remoting::Client& PullConsumer::client() { return impl_->client(); }

void PullConsumer::Close() { impl_->Close(); }

}  // namespace mq::client
