#include "broker/clients.h"

#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "protocol/admin_headers.h"
#include "protocol/names.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;

void Clients::ProcessHeartbeat(remoting::Channel& channel, const CommandView& request) {
  auto heartbeat = protocol::DecodeHeartbeat(request.body);
  if (!heartbeat) return channel.Reply(request, ResponseCode::kSystemError, heartbeat.error().what);
  for (const auto& consumer : heartbeat->consumers) {
    if (auto ok = protocol::CheckGroupName(consumer.group); !ok) {
      return channel.Reply(request, ResponseCode::kSystemError, ok.error().what);
    }
  }
  const Member member{channel.weak_from_this(), heartbeat->client_id, std::string(request.language()), request.version,
                      MonotonicMs()};
  for (const auto& group : heartbeat->producer_groups) producers_[group].members[channel.id()] = member;
  for (auto& consumer : heartbeat->consumers) {
    ConsumerGroup& group = consumers_[consumer.group];
    group.members[channel.id()] = member;
    group.consume_type = consumer.consume_type;
    group.message_model = consumer.message_model;
    group.consume_from_where = consumer.consume_from_where;
    std::map<std::string, protocol::SubscriptionData, std::less<>> newest;
    for (auto& subscription : consumer.subscriptions) {
      const auto old = group.subscriptions.find(subscription.topic);
      const bool keep_old = old != group.subscriptions.end() && old->second.sub_version > subscription.sub_version;
      std::string topic = subscription.topic;
      newest.emplace(std::move(topic), keep_old ? old->second : std::move(subscription));
    }
    group.subscriptions = std::move(newest);
    core_.topics->EnsureRetryTopic(consumer.group);
  }
  channel.Reply(request, ResponseCode::kSuccess);
}

void Clients::ProcessUnregister(remoting::Channel& channel, const CommandView& request) {
  const auto header = protocol::UnregisterClientRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const auto leave = [&](auto& table, std::string_view name) {
    const auto it = table.find(name);
    if (name.empty() || it == table.end()) return;
    it->second.members.erase(channel.id());
    if (it->second.members.empty()) table.erase(it);
  };
  leave(producers_, header->producer_group);
  leave(consumers_, header->consumer_group);
  channel.Reply(request, ResponseCode::kSuccess);
}

template <class Group>
void Clients::Remove(Table<Group>& table, uint64_t channel_id) {
  for (auto it = table.begin(); it != table.end();) {
    it->second.members.erase(channel_id);
    it = it->second.members.empty() ? table.erase(it) : std::next(it);
  }
}

void Clients::OnClosed(const remoting::Channel& channel) {
  Remove(producers_, channel.id());
  Remove(consumers_, channel.id());
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

}  // namespace mq::broker
