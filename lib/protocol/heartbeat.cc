#include "protocol/heartbeat.h"

#include <array>

#include "base/json.h"
#include "protocol/enum_json.h"

namespace mq::protocol {
namespace {

constexpr std::array<std::string_view, 3> kConsumeTypes = {"CONSUME_ACTIVELY", "CONSUME_PASSIVELY", "CONSUME_POP"};
constexpr std::array<std::string_view, 2> kMessageModels = {"BROADCASTING", "CLUSTERING"};
constexpr std::array<std::string_view, 6> kFromWheres = {
    "CONSUME_FROM_LAST_OFFSET",  "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST",
    "CONSUME_FROM_MIN_OFFSET",   "CONSUME_FROM_MAX_OFFSET",
    "CONSUME_FROM_FIRST_OFFSET", "CONSUME_FROM_TIMESTAMP"};

Result<ConsumerData> ConsumerFromJson(const json::Value& value) {
  ConsumerData consumer;
  consumer.group = value.Text("groupName");
  consumer.consume_type = ReadConsumeType(value);
  consumer.message_model = ReadMessageModel(value);
  consumer.consume_from_where = ReadConsumeFromWhere(value);
  consumer.unit_mode = value.BoolOf("unitMode");
  if (const json::Value* list = value.Find("subscriptionDataSet")) {
    for (const json::Value& item : list->items()) {
      MQ_ASSIGN(SubscriptionData subscription, SubscriptionFromJson(item));
      consumer.subscriptions.push_back(std::move(subscription));
    }
  }
  return consumer;
}

}  // namespace

std::string_view ConsumeTypeName(ConsumeType type) { return kConsumeTypes[static_cast<size_t>(type)]; }
std::string_view MessageModelName(MessageModel model) { return kMessageModels[static_cast<size_t>(model)]; }
std::string_view ConsumeFromWhereName(ConsumeFromWhere where) { return kFromWheres[static_cast<size_t>(where)]; }

ConsumeType ReadConsumeType(const json::Value& object) {
  return ReadEnum(object, "consumeType", kConsumeTypes, ConsumeType::kPassively);
}

MessageModel ReadMessageModel(const json::Value& object) {
  return ReadEnum(object, "messageModel", kMessageModels, MessageModel::kClustering);
}

ConsumeFromWhere ReadConsumeFromWhere(const json::Value& object) {
  return ReadEnum(object, "consumeFromWhere", kFromWheres, ConsumeFromWhere::kLastOffset);
}

std::string EncodeHeartbeat(const HeartbeatData& heartbeat) {
  json::Writer writer;
  writer.BeginObject().Key("clientID").String(heartbeat.client_id);
  writer.Key("consumerDataSet").BeginArray();
  for (const ConsumerData& consumer : heartbeat.consumers) {
    writer.BeginObject();
    writer.Key("consumeFromWhere").String(ConsumeFromWhereName(consumer.consume_from_where));
    writer.Key("consumeType").String(ConsumeTypeName(consumer.consume_type));
    writer.Key("groupName").String(consumer.group);
    writer.Key("messageModel").String(MessageModelName(consumer.message_model));
    writer.Key("subscriptionDataSet").BeginArray();
    for (const SubscriptionData& subscription : consumer.subscriptions) WriteJson(writer, subscription);
    writer.EndArray().Key("unitMode").Bool(consumer.unit_mode).EndObject();
  }
  writer.EndArray().Key("producerDataSet").BeginArray();
  for (const std::string& group : heartbeat.producer_groups) {
    writer.BeginObject().Key("groupName").String(group).EndObject();
  }
  writer.EndArray().EndObject();
  return writer.Take();
}

Result<HeartbeatData> DecodeHeartbeat(std::string_view body) {
  Result<json::Value> value = json::Parse(body);
  if (!value) return std::move(value).WithContext("heartbeat").error();
  if (!value->is_object()) return MakeError(ErrorCode::kProtocol, "heartbeat is not an object");
  HeartbeatData heartbeat;
  heartbeat.client_id = value->Text("clientID");
  if (heartbeat.client_id.empty()) return MakeError(ErrorCode::kProtocol, "heartbeat: clientID is missing");
  if (const json::Value* producers = value->Find("producerDataSet")) {
    for (const json::Value& item : producers->items()) heartbeat.producer_groups.push_back(item.Text("groupName"));
  }
  if (const json::Value* consumers = value->Find("consumerDataSet")) {
    for (const json::Value& item : consumers->items()) {
      MQ_ASSIGN(ConsumerData consumer, ConsumerFromJson(item));
      heartbeat.consumers.push_back(std::move(consumer));
    }
  }
  return heartbeat;
}

}  // namespace mq::protocol
