// Who is connected: ConsumerConnection (203), ProducerConnection (204), ProducerTableInfo (328). Languages and
// versions are shown as the client sent them, whether or not this code knows them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/heartbeat.h"
#include "protocol/subscription.h"

namespace mq::protocol {

struct Connection {
  std::string client_id;
  std::string client_address;  // "ip:port"
  std::string language;        // empty: absent
  int32_t version = 0;
  bool operator==(const Connection&) const = default;
};

struct ConsumerConnection {
  std::vector<Connection> connections;
  std::map<std::string, SubscriptionData> subscriptions;  // by topic
  ConsumeType consume_type = ConsumeType::kPassively;
  MessageModel message_model = MessageModel::kClustering;
  ConsumeFromWhere consume_from_where = ConsumeFromWhere::kLastOffset;
};

std::string EncodeConsumerConnection(const ConsumerConnection& connection);
Result<ConsumerConnection> DecodeConsumerConnection(std::string_view body);

using ProducerConnection = std::vector<Connection>;

std::string EncodeProducerConnection(const ProducerConnection& connections);
Result<ProducerConnection> DecodeProducerConnection(std::string_view body);

struct ProducerInfo {
  std::string client_id;
  std::string remote_ip;  // "/ip:port", with the slash of Java's addresses
  std::string language;
  int32_t version = 0;
  int64_t last_update_timestamp = 0;
  bool operator==(const ProducerInfo&) const = default;
};
using ProducerTableInfo = std::map<std::string, std::vector<ProducerInfo>>;  // by group

std::string EncodeProducerTable(const ProducerTableInfo& table);
Result<ProducerTableInfo> DecodeProducerTable(std::string_view body);

}  // namespace mq::protocol
