#include "protocol/connections.h"

#include "base/json.h"

namespace mq::protocol {
namespace {

void WriteConnections(json::Writer& writer, const std::vector<Connection>& connections) {
  writer.Key("connectionSet").BeginArray();
  for (const Connection& one : connections) {
    writer.BeginObject().Key("clientAddr").String(one.client_address).Key("clientId").String(one.client_id);
    if (!one.language.empty()) writer.Key("language").String(one.language);
    writer.Key("version").Int(one.version).EndObject();
  }
  writer.EndArray();
}

std::vector<Connection> ReadConnections(const json::Value& value) {
  std::vector<Connection> connections;
  const json::Value* list = value.Find("connectionSet");
  if (list == nullptr) return connections;
  for (const json::Value& item : list->items()) {
    Connection& one = connections.emplace_back();
    one.client_address = item.Text("clientAddr");
    one.client_id = item.Text("clientId");
    one.language = item.Text("language");
    one.version = static_cast<int32_t>(item.Int("version"));
  }
  return connections;
}

}  // namespace

std::string EncodeConsumerConnection(const ConsumerConnection& connection) {
  json::Writer writer;
  writer.BeginObject();
  WriteConnections(writer, connection.connections);
  writer.Key("consumeFromWhere").String(ConsumeFromWhereName(connection.consume_from_where));
  writer.Key("consumeType").String(ConsumeTypeName(connection.consume_type));
  writer.Key("messageModel").String(MessageModelName(connection.message_model));
  writer.Key("subscriptionTable").BeginObject();
  for (const auto& [topic, subscription] : connection.subscriptions) {
    writer.Key(topic);
    WriteJson(writer, subscription);
  }
  writer.EndObject().EndObject();
  return writer.Take();
}

Result<ConsumerConnection> DecodeConsumerConnection(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  ConsumerConnection connection;
  connection.connections = ReadConnections(value);
  connection.consume_type = ReadConsumeType(value);
  connection.message_model = ReadMessageModel(value);
  connection.consume_from_where = ReadConsumeFromWhere(value);
  const json::Value* table = value.Find("subscriptionTable");
  if (table == nullptr) return connection;
  for (const auto& [topic, item] : table->members()) {
    MQ_ASSIGN(SubscriptionData subscription, SubscriptionFromJson(item));
    connection.subscriptions.insert_or_assign(topic, std::move(subscription));
  }
  return connection;
}

std::string EncodeProducerConnection(const ProducerConnection& connections) {
  json::Writer writer;
  writer.BeginObject();
  WriteConnections(writer, connections);
  writer.EndObject();
  return writer.Take();
}

Result<ProducerConnection> DecodeProducerConnection(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return ReadConnections(value);
}

std::string EncodeProducerTable(const ProducerTableInfo& table) {
  json::Writer writer;
  writer.BeginObject().Key("data").BeginObject();
  for (const auto& [group, producers] : table) {
    writer.Key(group).BeginArray();
    for (const ProducerInfo& one : producers) {
      writer.BeginObject().Key("clientId").String(one.client_id);
      if (!one.language.empty()) writer.Key("language").String(one.language);
      writer.Key("lastUpdateTimestamp").Int(one.last_update_timestamp).Key("remoteIP").String(one.remote_ip);
      writer.Key("version").Int(one.version).EndObject();
    }
    writer.EndArray();
  }
  writer.EndObject().EndObject();
  return writer.Take();
}

Result<ProducerTableInfo> DecodeProducerTable(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  ProducerTableInfo table;
  const json::Value* data = value.Find("data");
  if (data == nullptr) return table;
  for (const auto& [group, producers] : data->members()) {
    std::vector<ProducerInfo>& entry = table[group];
    for (const json::Value& item : producers.items()) {
      ProducerInfo& one = entry.emplace_back();
      one.client_id = item.Text("clientId");
      one.language = item.Text("language");
      one.last_update_timestamp = item.Int("lastUpdateTimestamp");
      one.remote_ip = item.Text("remoteIP");
      one.version = static_cast<int32_t>(item.Int("version"));
    }
  }
  return table;
}

}  // namespace mq::protocol
