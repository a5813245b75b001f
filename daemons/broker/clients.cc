#include "broker/clients.h"

#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "broker/late_reply.h"
#include "protocol/admin_headers.h"
#include "protocol/group_headers.h"
#include "protocol/names.h"
#include "protocol/topic_config.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;

namespace {

// A client's language is an open field: a number without a name is shown as the number.
std::string LanguageOf(const CommandView& request) {
  const std::string_view name = request.language();
  if (name == "UNKNOWN" && request.language_code >= 0) return std::to_string(request.language_code);
  return std::string(name);
}

std::map<std::string, std::string, std::less<>> WantsOf(const protocol::ConsumerData& consumer) {
  std::map<std::string, std::string, std::less<>> wants;
  for (const auto& subscription : consumer.subscriptions) {
    wants.emplace(subscription.topic, subscription.expression_type + " " + subscription.sub_string);
  }
  return wants;
}

}  // namespace

Clients::~Clients() { core_.loop.CancelTurnEnd(this); }

void Clients::ProcessHeartbeat(remoting::Channel& channel, const CommandView& request) {
  auto heartbeat = protocol::DecodeHeartbeat(request.body);
  if (!heartbeat) return channel.Reply(request, ResponseCode::kSystemError, heartbeat.error().what);
  if (heartbeat->consumers.size() > kMaxConsumers) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "a heartbeat of " + std::to_string(heartbeat->consumers.size()) +
                             " consumers: " + std::to_string(kMaxConsumers) + " is the limit");
  }
  for (const auto& consumer : heartbeat->consumers) {
    if (auto ok = protocol::CheckGroupName(consumer.group); !ok) {
      return channel.Reply(request, ResponseCode::kSystemError, ok.error().what);
    }
  }
  const Member member{channel.weak_from_this(), heartbeat->client_id, channel.peer(), LanguageOf(request),
                      request.version,          MonotonicMs(),        NowMs(),        {}};
  for (const auto& group : heartbeat->producer_groups) producers_[group].members[channel.id()] = member;
  bool made_topic = false;
  for (auto& consumer : heartbeat->consumers) {
    std::string why;
    if (const auto* config = core_.groups->FindOrCreate(consumer.group, &why)) {
      const int32_t sys_flag = consumer.unit_mode ? protocol::kTopicHasUnitSub : 0;
      made_topic |= core_.topics->EnsureRetryTopic(consumer.group, config->retry_queues, sys_flag);
    }
    Join(member, channel.id(), consumer);
  }
  if (!made_topic) return channel.Reply(request, ResponseCode::kSuccess);
  // Answered when the name servers know the retry topic: the consumer asks them for it next.
  // One that cannot be saved serves as well.
  core_.topics->WhenReady([reply = LateReply(channel, request)](const Status&) { reply.Send(ResponseCode::kSuccess); });
}

void Clients::Join(const Member& member, uint64_t channel_id, protocol::ConsumerData& consumer) {
  ConsumerGroup& group = consumers_[consumer.group];
  auto wants = WantsOf(consumer);
  const auto [slot, is_new] = group.members.try_emplace(channel_id);
  const bool wants_other = slot->second.wants != wants;
  slot->second = member;
  slot->second.wants = std::move(wants);
  group.consume_type = consumer.consume_type;
  group.message_model = consumer.message_model;
  group.consume_from_where = consumer.consume_from_where;
  bool topics_changed = false;
  std::map<std::string, protocol::SubscriptionData, std::less<>> newest;
  for (auto& subscription : consumer.subscriptions) {
    const auto old = group.subscriptions.find(subscription.topic);
    topics_changed |= old == group.subscriptions.end();
    const bool keep_old = old != group.subscriptions.end() && old->second.sub_version > subscription.sub_version;
    std::string topic = subscription.topic;
    newest.emplace(std::move(topic), keep_old ? old->second : std::move(subscription));
  }
  topics_changed |= newest.size() != group.subscriptions.size();
  group.subscriptions = std::move(newest);
  if (is_new) {
    log::Info("group.join")
        .Field("group", consumer.group)
        .Field("client", member.client_id)
        .Field("address", member.address)
        .Field("members", static_cast<uint64_t>(group.members.size()));
  }
  if (is_new || wants_other) FlagDifferentWants(consumer.group, group, channel_id);
  if (is_new || topics_changed) NotifyLater(consumer.group);
}

void Clients::FlagDifferentWants(std::string_view name, const ConsumerGroup& group, uint64_t channel_id) {
  const Member& mine = group.members.at(channel_id);
  for (const auto& [id, other] : group.members) {
    if (id == channel_id || other.wants == mine.wants) continue;
    // Only topics that both want can be told apart by one example; a topic that one lacks is an example as well.
    std::string topic;
    std::string here = "nothing";
    std::string there = "nothing";
    for (const auto& [wanted, text] : mine.wants) {
      const auto it = other.wants.find(wanted);
      if (it != other.wants.end() && it->second == text) continue;
      topic = wanted;
      here = text;
      if (it != other.wants.end()) there = it->second;
      break;
    }
    if (topic.empty()) {
      for (const auto& [wanted, text] : other.wants) {
        if (mine.wants.contains(wanted)) continue;
        topic = wanted;
        there = text;
        break;
      }
    }
    uint64_t more = 0;
    if (!difference_lines_.Allow(&more)) return;
    log::Warn("group.differs", "members of one group want different messages; each loses some to the others")
        .Field("group", name)
        .Field("topic", topic)
        .Field("client", mine.client_id)
        .Field("wants", here)
        .Field("other_client", other.client_id)
        .Field("other_wants", there)
        .Field("suppressed", more);
    return;
  }
}

void Clients::NotifyLater(std::string_view group) {
  if (!core_.options.notify_consumer_ids) return;
  const auto* config = core_.groups->Find(group);
  if (config != nullptr && !config->notify_ids_changed) return;
  if (changed_.empty()) core_.loop.AtTurnEnd(this);
  changed_.emplace(group);
}

void Clients::OnTurnEnd() {
  std::set<std::string, std::less<>> changed;
  changed.swap(changed_);
  for (const std::string& name : changed) {
    const auto group = consumers_.find(name);
    if (group == consumers_.end()) continue;
    // A copy: output that finds its connection broken comes back as OnClosed, which changes the table.
    std::vector<remoting::ChannelHandle> channels;
    for (const auto& [id, member] : group->second.members) channels.push_back(member.channel);
    for (const auto& handle : channels) {
      const auto channel = handle.lock();
      if (!channel) continue;
      protocol::Command notice(protocol::RequestCode::kNotifyConsumerIdsChanged);
      notice.type = channel->preferred_type();
      notice.Set("consumerGroup", name);
      channel->SendOneway(notice);
    }
  }
}

void Clients::LeaveConsumers(Table<ConsumerGroup>::iterator& group, uint64_t channel_id) {
  const auto member = group->second.members.find(channel_id);
  if (member == group->second.members.end()) {
    ++group;
    return;
  }
  log::Info("group.leave")
      .Field("group", group->first)
      .Field("client", member->second.client_id)
      .Field("members", static_cast<uint64_t>(group->second.members.size() - 1));
  group->second.members.erase(member);
  if (group->second.members.empty()) {
    group = consumers_.erase(group);
    return;
  }
  NotifyLater(group->first);
  ++group;
}

void Clients::ProcessUnregister(remoting::Channel& channel, const CommandView& request) {
  const auto header = protocol::UnregisterClientRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  if (const auto it = producers_.find(header->producer_group); it != producers_.end()) {
    it->second.members.erase(channel.id());
    if (it->second.members.empty()) producers_.erase(it);
  }
  if (auto it = consumers_.find(header->consumer_group); it != consumers_.end()) LeaveConsumers(it, channel.id());
  channel.Reply(request, ResponseCode::kSuccess);
}

void Clients::OnClosed(const remoting::Channel& channel) {
  for (auto it = producers_.begin(); it != producers_.end();) {
    it->second.members.erase(channel.id());
    it = it->second.members.empty() ? producers_.erase(it) : std::next(it);
  }
  for (auto it = consumers_.begin(); it != consumers_.end();) LeaveConsumers(it, channel.id());
}

template <class Group>
void Clients::ScanTable(Table<Group>& table, int64_t now_ms) {
  std::vector<std::shared_ptr<remoting::Channel>> silent;
  for (auto& [name, group] : table) {
    for (auto& [id, member] : group.members) {
      if (now_ms - member.last_heartbeat_ms <= kSilenceMs) continue;
      log::Info("client.silent", "closed").Field("group", name).Field("client", member.client_id);
      if (auto channel = member.channel.lock()) silent.push_back(std::move(channel));
    }
  }
  // Closing comes back as OnClosed, which changes the table.
  for (auto& channel : silent) channel->Close();
}

void Clients::Scan(int64_t now_ms) {
  ScanTable(producers_, now_ms);
  ScanTable(consumers_, now_ms);
}

const ConsumerGroup* Clients::FindConsumers(std::string_view group) const {
  const auto it = consumers_.find(group);
  return it == consumers_.end() ? nullptr : &it->second;
}

const ProducerGroup* Clients::FindProducers(std::string_view group) const {
  const auto it = producers_.find(group);
  return it == producers_.end() ? nullptr : &it->second;
}

}  // namespace mq::broker
