#include "client/message_query.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/strings.h"
#include "loop/address.h"
#include "protocol/names.h"
#include "protocol/properties.h"

namespace mq::client {
namespace {

using protocol::Command;
using protocol::RequestCode;

// The records of a reply's body, in its order.
Result<std::vector<FoundMessage>> RecordsOf(std::string_view body, const std::string& broker) {
  std::vector<FoundMessage> records;
  while (!body.empty()) {
    auto message = protocol::DecodeMessage(body);
    if (!message) {
      return MakeError(ErrorCode::kProtocol, "broker " + broker + " sent a damaged message: " + message.error().what);
    }
    const auto bytes = static_cast<size_t>(message->size);
    records.push_back({std::string(body.substr(0, bytes)), broker});
    body.remove_prefix(bytes);
  }
  return records;
}

// Brokers compare hashes (RocketMQ's do no more than that): what was asked for is known here.
bool HasKey(const protocol::MessageView& message, const KeyQuery& query) {
  if (message.topic != query.topic) return false;
  if (query.by_id) return protocol::FindProperty(message.properties, protocol::property::kUniqKey) == query.key;
  const auto keys = protocol::FindProperty(message.properties, protocol::property::kKeys);
  if (!keys) return false;
  const auto words = Split(*keys, ' ');
  return std::find(words.begin(), words.end(), query.key) != words.end();
}

Command KeyCommand(const KeyQuery& query) {
  Command command(RequestCode::kQueryMessage);
  command.Set("topic", query.topic).Set("key", query.key).Set("maxNum", query.max_messages);
  command.Set("beginTimestamp", query.begin_timestamp).Set("endTimestamp", query.end_timestamp);
  if (query.by_id) command.Set("_UNIQUE_KEY_QUERY", "true");
  return command;
}

void AddMatching(std::vector<FoundMessage> records, const KeyQuery& query, KeyAnswer& answer) {
  std::set<int64_t> seen;  // RocketMQ answers a message once for each time it was indexed
  for (FoundMessage& record : records) {
    const protocol::MessageView view = record.view();
    if (!HasKey(view, query) || !seen.insert(view.physical_offset.value()).second) continue;
    if (view.store_timestamp < query.begin_timestamp || view.store_timestamp > query.end_timestamp) continue;
    answer.messages.push_back(std::move(record));
  }
}

bool SameHost(const protocol::Host& host, const std::string& address) {
  const auto parsed = loop::Address::Parse(address);
  if (!parsed || parsed->kind != loop::Address::Kind::kTcp || parsed->port != host.port) return false;
  const auto numeric = loop::HostPort::FromNumeric(parsed->host, parsed->port);
  if (!numeric) return false;
  return static_cast<size_t>(numeric->length) == host.address_bytes() &&
         std::memcmp(numeric->bytes, host.address.data(), host.address_bytes()) == 0;
}

}  // namespace

Result<KeyAnswer> FindByKey(Admin& admin, const KeyQuery& query) {
  MQ_ASSIGN(const TopicRoute route, admin.Route(query.topic));
  std::vector<std::string> names, addresses;
  for (const protocol::BrokerData& broker : route.data.brokers) {
    const std::string address = route.AnyOf(broker.broker_name);
    if (address.empty()) continue;
    names.push_back(broker.broker_name);
    addresses.push_back(address);
  }
  KeyAnswer answer;
  const auto replies = admin.AskAll(addresses, KeyCommand(query));
  for (size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i]) {
      if (replies[i].error().code != ErrorCode::kNotFound) answer.failures.emplace_back(names[i], replies[i].error());
      continue;
    }
    auto records = RecordsOf(replies[i]->body, names[i]);
    if (records) {
      AddMatching(std::move(*records), query, answer);
    } else {
      answer.failures.emplace_back(names[i], records.error());
    }
  }
  std::stable_sort(answer.messages.begin(), answer.messages.end(), [](const FoundMessage& a, const FoundMessage& b) {
    return a.view().store_timestamp < b.view().store_timestamp;
  });
  return answer;
}

Result<std::optional<BrokerAddress>> BrokerOfId(Admin& admin, const protocol::OffsetMessageId& id) {
  MQ_ASSIGN(const protocol::ClusterInfo info, admin.Cluster());
  for (BrokerAddress& broker : BrokersOf(info)) {
    if (!admin.endpoints().broker.empty() || SameHost(id.host, broker.address)) {
      return std::optional<BrokerAddress>(std::move(broker));
    }
  }
  return std::optional<BrokerAddress>();
}

Result<FoundMessage> ViewByOffsetId(Admin& admin, const BrokerAddress& broker, const protocol::OffsetMessageId& id) {
  Command command(RequestCode::kViewMessageById);
  command.Set("offset", id.offset.value());
  const auto reply = admin.Ask(broker.address, command);
  if (!reply) {
    // SYSTEM_ERROR is how a broker says that there is nothing.
    if (reply.error().code != ErrorCode::kRefused) return reply.error();
    return MakeError(ErrorCode::kNotFound, "broker " + broker.name + ": " + reply.error().what);
  }
  MQ_ASSIGN(auto records, RecordsOf(reply->body, broker.name));
  if (records.empty() || records.front().view().physical_offset != id.offset ||
      !(records.front().view().store_host == id.host)) {
    return MakeError(ErrorCode::kNotFound,
                     "broker " + broker.name + " has another message at position " + std::to_string(id.offset.value()));
  }
  return std::move(records.front());
}

}  // namespace mq::client
