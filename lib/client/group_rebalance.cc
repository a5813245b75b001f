// Who owns which queue, and where a queue begins: the flows of a member of a group.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/strings.h"
#include "client/allocate.h"
#include "client/group_consumer_impl.h"
#include "protocol/connections.h"
#include "protocol/group_headers.h"
#include "protocol/lists.h"
#include "protocol/names.h"

namespace mq::client {

using protocol::Command;
using protocol::RequestCode;

namespace {
// A question about a queue's offset that found no broker is asked again after this.
constexpr int64_t kAskAgainMs = 500;
}  // namespace

GroupConsumer::Impl::Answer<Command> GroupConsumer::Impl::Ask(std::string address, Command command) {
  return Answer<Command>([this, address = std::move(address), command = std::move(command)](auto done) {
    pull_->client().Call(address, command, options_.pull.timeout_ms,
                         [done = std::move(done)](const remoting::CallResult& result) {
                           // Which code an answer has is for the asker to judge.
                           if (result.outcome != remoting::CallOutcome::kReply) return done(result.ToError());
                           done(protocol::CopyCommand(*result.reply));
                         });
  });
}

// The whole life as a member: join, then a round whenever something may have changed.
loop::Task<void> GroupConsumer::Impl::Live() {
  for (const std::string& topic : topics_) {
    loop::Task<void> find = FindRoute(topic);
    co_await find;
  }
  loop::Task<void> check = CheckSubscriptions();  // before our own heartbeat makes ours the group's
  co_await check;
  loop::Await<bool> beaten([this](auto done) { heartbeats_->SetBrokers(AllBrokers(), [done] { done(true); }); });
  co_await beaten;
  Note("joined group " + options_.group + " as " + client_id_);
  bool refresh = false;
  for (;;) {
    loop::Task<void> round = Round(refresh);
    co_await round;
    loop::Await<bool> woken([this](auto done) {
      wake_ = std::move(done);
      if (std::exchange(wanted_, false)) std::exchange(wake_, nullptr)(refresh_wanted_);
    });
    refresh = co_await woken;
    refresh_wanted_ = false;
  }
}

void GroupConsumer::Impl::Wake(bool refresh) {
  refresh_wanted_ = refresh_wanted_ || refresh;
  if (!wake_) {
    wanted_ = true;
    return;
  }
  // From the loop: the flow may end in calls that destroy what is calling us.
  loop_.Post([this, alive = std::weak_ptr(alive_)] {
    if (alive.expired() || !wake_) return;
    wanted_ = false;
    std::exchange(wake_, nullptr)(refresh_wanted_);
  });
}

loop::Task<void> GroupConsumer::Impl::FindRoute(std::string topic) {
  Answer<std::vector<MessageQueue>> asked([this, topic](auto done) { pull_->FindQueues(topic, std::move(done)); });
  const auto found = co_await asked;
  if (!found && topic != retry_topic_) Note("route of " + topic + ": " + found.error().what);
  // What was known is kept: a name server that was just started knows nothing for a moment. The queues of a route that
  // was asked for before we joined were there when we did, so they are not young.
  const TopicRoute* route = pull_->RouteOf(topic);
  if (route == nullptr) co_return;
  const std::vector<MessageQueue> queues = route->SubscribeQueues(topic);
  if (!queues.empty()) first_queues_.try_emplace(topic, queues.begin(), queues.end());
}

loop::Task<void> GroupConsumer::Impl::Round(bool refresh) {
  for (const std::string& topic : topics_) {
    const TopicRoute* route = pull_->RouteOf(topic);
    if (refresh || route == nullptr) {
      loop::Task<void> find = FindRoute(topic);
      co_await find;
      route = pull_->RouteOf(topic);
    }
    if (route == nullptr) continue;
    heartbeats_->SetBrokers(AllBrokers());
    loop::Task<Result<std::vector<std::string>>> asked = ConsumerIds(topic);
    const Result<std::vector<std::string>> ids = co_await asked;
    if (!ids) {
      // Who reads to the end and owns nothing yet would wait for ever.
      if (options_.to_end && topic != retry_topic_ && !allocated_.contains(topic)) {
        handler_.on_error(Result<void>(ids.error()).WithContext("members of group " + options_.group).error());
        co_return;
      }
      Note("members of group " + options_.group + ": " + ids.error().what + "; queues stay as they are");
      continue;
    }
    route = pull_->RouteOf(topic);
    const std::vector<MessageQueue> queues = route->SubscribeQueues(topic);
    Apply(topic, AllocateAveragely(queues, *ids, client_id_), ids->size());
  }
  // Also when members came: of two that want different things both must say so, not only the later one.
  loop::Task<void> check = CheckSubscriptions();
  co_await check;
  alone_from_start_ = false;
  CheckAllRead();
}

std::vector<std::string> GroupConsumer::Impl::BrokersOf(const std::string& topic) const {
  std::vector<std::string> addresses;
  const TopicRoute* route = pull_->RouteOf(topic);
  if (route == nullptr) return addresses;
  std::vector<std::pair<std::string, std::string>> named;
  for (const protocol::BrokerData& broker : route->data.brokers) {
    named.emplace_back(broker.broker_name, route->AnyOf(broker.broker_name));
  }
  std::sort(named.begin(), named.end());
  for (auto& [name, address] : named) addresses.push_back(std::move(address));
  return addresses;
}

// Masters and slaves: a consumer may be told to read from any of them.
std::vector<std::string> GroupConsumer::Impl::AllBrokers() const {
  std::set<std::string> addresses;
  for (const std::string& topic : topics_) {
    const TopicRoute* route = pull_->RouteOf(topic);
    if (route == nullptr) continue;
    for (const protocol::BrokerData& broker : route->data.brokers) {
      for (const auto& [id, address] : broker.addresses) addresses.insert(address);
    }
  }
  return {addresses.begin(), addresses.end()};
}

// The members as one broker of the topic knows them. All members ask the same one first, so that they agree; one that
// does not know us (it was restarted) is told first, and is not believed until it does.
loop::Task<Result<std::vector<std::string>>> GroupConsumer::Impl::ConsumerIds(std::string topic) {
  Error last = MakeError(ErrorCode::kUnreachable, "topic " + topic + " has no live broker");
  for (const std::string& address : BrokersOf(topic)) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      Command command(RequestCode::kGetConsumerListByGroup);
      command.Set("consumerGroup", options_.group);
      Answer<Command> asked = Ask(address, std::move(command));
      const Result<Command> reply = co_await asked;
      if (!reply) {
        last = reply.error();
        break;
      }
      if (reply->code == 0) {
        Result<std::vector<std::string>> ids = protocol::DecodeConsumerIds(reply->body);
        if (!ids) {
          last = ids.error();
          break;
        }
        if (std::find(ids->begin(), ids->end(), client_id_) != ids->end()) co_return ids;
      }
      last = MakeError(ErrorCode::kUnreachable, address + " does not know this member");
      loop::Await<bool> beaten(
          [this, address](auto done) { heartbeats_->Beat(address, [done](bool known) { done(known); }); });
      if (!co_await beaten) break;
    }
  }
  co_return last;
}

// Members of one group must want the same: a broker keeps one subscription for all of them, and each member would lose
// what another one's filters take away.
loop::Task<void> GroupConsumer::Impl::CheckSubscriptions() {
  const std::vector<std::string> brokers = BrokersOf(topics_.front());
  if (brokers.empty()) co_return;
  Command command(RequestCode::kGetConsumerConnectionList);
  command.Set("consumerGroup", options_.group);
  Answer<Command> asked = Ask(brokers.front(), std::move(command));
  const Result<Command> reply = co_await asked;
  if (!reply || reply->code != 0) co_return;  // nobody is there yet
  const auto connection = protocol::DecodeConsumerConnection(reply->body);
  if (!connection) co_return;
  const auto wanted = protocol::BuildSubscription("", options_.pull.tags, 0);
  for (const std::string& topic : options_.topics) {
    const auto other = connection->subscriptions.find(topic);
    std::string text;
    if (other == connection->subscriptions.end()) {
      text = "other members of group " + options_.group + " do not read topic " + topic;
    } else if (wanted && (other->second.tags != wanted->tags)) {
      text = "another member of group " + options_.group + " reads topic " + topic + " with tags '" +
             other->second.sub_string + "', this one with '" + wanted->sub_string + "'";
    }
    if (text.empty() || !told_.insert(topic).second) continue;
    Note(text + "; messages will be missed until all members want the same", true);
  }
}

void GroupConsumer::Impl::Apply(const std::string& topic, const std::vector<MessageQueue>& mine, size_t members) {
  if (stopped_) return;
  std::vector<MessageQueue> lost;
  for (const auto& [queue, owned] : owned_) {
    if (queue.topic == topic && !std::binary_search(mine.begin(), mine.end(), queue)) lost.push_back(queue);
  }
  for (const MessageQueue& queue : lost) Release(queue);
  // Alone and new: there is nobody whose commit could be on its way.
  const bool settle = !(alone_from_start_ && members == 1);
  size_t taken = 0;
  for (const MessageQueue& queue : mine) {
    Owned* owned = Find(queue);
    if (owned == nullptr) {
      Take(queue, settle);
      ++taken;
    } else if (owned->phase == Phase::kReleasing) {
      Read(queue, *owned);
      ++taken;
    }
  }
  if (!lost.empty() || taken > 0 || allocated_.insert(topic).second) {
    Note("topic " + topic + ": " + std::to_string(mine.size()) + " queues of " + std::to_string(members) +
         " members are ours, " + std::to_string(taken) + " new, " + std::to_string(lost.size()) + " given away");
  }
  allocated_.insert(topic);
}

void GroupConsumer::Impl::Take(const MessageQueue& queue, bool settle) {
  Owned& owned = owned_[queue];
  owned.taken_ms = MonotonicMs();
  all_read_told_ = false;
  owned.begin_timer = std::make_unique<loop::Timer>(loop_, [this, queue] {
    Owned* settled = Find(queue);
    if (settled == nullptr) return;
    settled->phase = Phase::kAsking;
    settled->begin = BeginQueue(queue);
    settled->begin.Start();
  });
  owned.begin_timer->Start(settle ? options_.settle_ms : 0);
}

// Where reading begins; asked until a broker answers.
loop::Task<void> GroupConsumer::Impl::BeginQueue(MessageQueue queue) {
  loop::Task<Result<std::optional<int64_t>>> ask_stored = StoredOffset(queue);
  const Result<std::optional<int64_t>> stored = co_await ask_stored;
  Result<int64_t> from = stored ? Result<int64_t>(stored->value_or(-1)) : Result<int64_t>(stored.error());
  if (stored && !stored->has_value()) {
    loop::Task<Result<int64_t>> ask_first = FirstOffset(queue);
    from = co_await ask_first;
  }
  Owned& owned = *Find(queue);  // this flow lives in it
  if (from && options_.to_end) {
    loop::Task<Result<int64_t>> ask_end = PlaceOf(queue, OffsetQuestion::Max());
    const Result<int64_t> end = co_await ask_end;
    if (end) {
      owned.to = *end;
    } else {
      from = end.error();
    }
  }
  if (!from) {
    if (!RetryMayHelp(from.error())) {
      handler_.on_error(Result<void>(from.error()).WithContext(Name(queue)).error());
      co_return;
    }
    if (options_.to_end && MonotonicMs() - owned.taken_ms >= options_.pull.timeout_ms) {
      GiveUp(queue, owned, from.error());
      co_return;
    }
    Note(Name(queue) + ": " + from.error().what + "; asking again");
    owned.begin_timer->Start(kAskAgainMs);
    co_return;
  }
  owned.delivered = owned.done = *from;
  owned.committed = stored->value_or(-1);
  if (owned.to && owned.done > *owned.to) {
    // The queue does not reach the stored offset, and no pull will say so when there is nothing to read.
    Note(Name(queue) + ": offset " + std::to_string(*from) + " is not there; going on at " + std::to_string(*owned.to),
         true);
    owned.delivered = owned.done = *owned.to;
    Commit(queue, owned, true);
  }
  // The place where a group begins is the group's from now on, also if this member dies before it has read anything.
  if (!stored->has_value()) Commit(queue, owned);
  Note(Name(queue) + ": from offset " + std::to_string(*from) +
       (stored->has_value() ? "" : ", where nothing was stored"));
  Read(queue, owned);
  NoteBeyondEnd();
}

void GroupConsumer::Impl::Read(const MessageQueue& queue, Owned& owned) {
  owned.release_timer.reset();
  owned.phase = Phase::kReading;
  owned.at_end = owned.to && owned.delivered >= *owned.to;
  if (owned.at_end) return CheckAllReadSoon();
  std::optional<protocol::QueueOffset> to;
  if (owned.to) to = protocol::QueueOffset(*owned.to);
  pull_->Start(queue, protocol::QueueOffset(owned.delivered), to);
}

// Nothing: the group has never stored an offset for this queue.
loop::Task<Result<std::optional<int64_t>>> GroupConsumer::Impl::StoredOffset(MessageQueue queue) {
  const TopicRoute* route = pull_->RouteOf(queue.topic);
  const std::string address = route == nullptr ? std::string() : route->AnyOf(queue.broker_name);
  if (address.empty()) co_return MakeError(ErrorCode::kUnreachable, "no live broker");
  Command command(RequestCode::kQueryConsumerOffset);
  command.Set("consumerGroup", options_.group).Set("topic", queue.topic).Set("queueId", int64_t{queue.queue_id});
  command.Set("setZeroIfNotFound", "false");
  Answer<Command> asked = Ask(address, std::move(command));
  const Result<Command> reply = co_await asked;
  if (!reply) co_return reply.error();
  if (reply->code == static_cast<int32_t>(protocol::ResponseCode::kQueryNotFound)) co_return std::optional<int64_t>();
  const Result<int64_t> offset = ParseInt64(reply->Find("offset").value_or(std::string_view()));
  if (reply->code != 0 || !offset) {
    co_return MakeError(remoting::ErrorCodeOf(reply->code),
                        address + ": no stored offset: code " + std::to_string(reply->code) + " " + reply->remark);
  }
  // -1 is a legal value of Java and Node members: nothing consumed yet.
  if (*offset < 0) co_return std::optional<int64_t>();
  co_return std::optional<int64_t>(*offset);
}

loop::Task<Result<int64_t>> GroupConsumer::Impl::FirstOffset(MessageQueue queue) {
  const auto& first = first_queues_[queue.topic];
  const bool young = queue.topic == retry_topic_ || !first.contains(queue);
  const bool by_number = !young && options_.from_offset;
  const OffsetQuestion question = young || by_number ? OffsetQuestion::Min() : options_.from;
  loop::Task<Result<int64_t>> ask = PlaceOf(queue, question);
  const Result<int64_t> place = co_await ask;
  if (!by_number || !place) co_return place;
  loop::Task<Result<int64_t>> ask_end = PlaceOf(queue, OffsetQuestion::Max());
  const Result<int64_t> end = co_await ask_end;
  if (!end) co_return end;
  // An offset that the queue does not have must not become the group's: what comes until it is reached would be lost.
  ++by_number_.queues;
  if (*options_.from_offset > *end) ++by_number_.beyond;
  by_number_.longest = std::max(by_number_.longest, *end);
  co_return std::clamp(*options_.from_offset, std::min(*place, *end), *end);
}

loop::Task<Result<int64_t>> GroupConsumer::Impl::PlaceOf(MessageQueue queue, OffsetQuestion question) {
  Answer<protocol::QueueOffset> asked(
      [this, queue, question](auto done) { pull_->AskOffset(queue, question, std::move(done)); });
  const auto offset = co_await asked;
  if (!offset) co_return offset.error();
  co_return offset->value();
}

// A number that no queue of ours reaches was hardly meant as an offset; said once, when all of them have begun.
void GroupConsumer::Impl::NoteBeyondEnd() {
  if (by_number_.beyond == 0 || by_number_.beyond < by_number_.queues) return;
  for (const auto& [queue, owned] : owned_) {
    if (owned.phase == Phase::kSettling || owned.phase == Phase::kAsking) return;
  }
  Note(NoQueueReaches(*options_.from_offset, by_number_.longest), true);
  by_number_ = {};
}

}  // namespace mq::client
