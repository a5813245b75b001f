#include "broker/client_processor.h"

#include <set>
#include <utility>

#include "base/json.h"
#include "protocol/connections.h"
#include "protocol/group_headers.h"
#include "protocol/lists.h"
#include "protocol/subscription.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

namespace {

std::vector<protocol::Connection> ConnectionsOf(const Members& members) {
  std::vector<protocol::Connection> out;
  for (const auto& [id, member] : members) {
    out.push_back({member.client_id, member.address, member.language, member.version});
  }
  return out;
}

}  // namespace

// An id counts once, even while the closed connection of a client that came back is still held for alive: a share of
// the queues given to it twice would be consumed by nobody.
void ClientProcessor::ProcessConsumerIds(Channel& channel, const CommandView& request) const {
  const auto header = protocol::ConsumerGroupRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const ConsumerGroup* group = clients_.FindConsumers(header->group);
  if (group == nullptr) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "no consumer for this group, " + std::string(header->group));
  }
  std::set<std::string> ids;
  for (const auto& [id, member] : group->members) ids.insert(member.client_id);
  channel.ReplyBody(request, protocol::EncodeConsumerIds({ids.begin(), ids.end()}));
}

void ClientProcessor::ProcessConsumers(Channel& channel, const CommandView& request) const {
  const auto header = protocol::ConsumerGroupRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const ConsumerGroup* group = clients_.FindConsumers(header->group);
  if (group == nullptr) {
    return channel.Reply(request, ResponseCode::kConsumerNotOnline,
                         "the consumer group[" + std::string(header->group) + "] not online");
  }
  protocol::ConsumerConnection body;
  body.connections = ConnectionsOf(group->members);
  body.subscriptions.insert(group->subscriptions.begin(), group->subscriptions.end());
  body.consume_type = group->consume_type;
  body.message_model = group->message_model;
  body.consume_from_where = group->consume_from_where;
  channel.ReplyBody(request, protocol::EncodeConsumerConnection(body));
}

void ClientProcessor::ProcessProducers(Channel& channel, const CommandView& request) const {
  const auto header = protocol::ProducerGroupRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const ProducerGroup* group = clients_.FindProducers(header->group);
  if (group == nullptr) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "the producer group[" + std::string(header->group) + "] not exist");
  }
  channel.ReplyBody(request, protocol::EncodeProducerConnection(ConnectionsOf(group->members)));
}

void ClientProcessor::ProcessAllProducers(Channel& channel, const CommandView& request) const {
  protocol::ProducerTableInfo table;
  for (const auto& [name, group] : clients_.producers()) {
    auto& entry = table[name];
    for (const auto& [id, member] : group.members) {
      entry.push_back(
          {member.client_id, "/" + member.address, member.language, member.version, member.last_heartbeat_timestamp});
    }
  }
  channel.ReplyBody(request, protocol::EncodeProducerTable(table));
}

void ClientProcessor::ProcessCheckConfig(Channel& channel, const CommandView& request) const {
  if (request.body.empty()) return channel.Reply(request, ResponseCode::kSuccess);
  const auto body = json::Parse(request.body);
  if (!body) return channel.Reply(request, ResponseCode::kSystemError, body.error().what);
  const json::Value* value = body->Find("subscriptionData");
  if (value == nullptr || value->is_null()) return channel.Reply(request, ResponseCode::kSuccess);
  const auto subscription = protocol::SubscriptionFromJson(*value);
  if (!subscription) return channel.Reply(request, ResponseCode::kSystemError, subscription.error().what);
  if (!subscription->is_tag_type()) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "The broker does not support consumer to filter message by " + subscription->expression_type);
  }
  channel.Reply(request, ResponseCode::kSuccess);
}

}  // namespace mq::broker
