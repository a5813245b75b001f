#include "protocol/group_config.h"

#include "base/json.h"

namespace mq::protocol {

void WriteJson(json::Writer& writer, const SubscriptionGroupConfig& config) {
  writer.BeginObject();
  writer.Key("brokerId").Int(config.broker_id);
  writer.Key("consumeBroadcastEnable").Bool(config.consume_broadcast_enable);
  writer.Key("consumeEnable").Bool(config.consume_enable);
  writer.Key("consumeFromMinEnable").Bool(config.consume_from_min_enable);
  writer.Key("groupName").String(config.name);
  writer.Key("notifyConsumerIdsChangedEnable").Bool(config.notify_ids_changed);
  writer.Key("retryMaxTimes").Int(config.retry_max_times);
  writer.Key("retryQueueNums").Int(config.retry_queues);
  writer.Key("whichBrokerWhenConsumeSlowly").Int(config.which_broker_when_slow);
  writer.EndObject();
}

void WriteJson(json::Writer& writer, const SubscriptionGroupWrapper& wrapper) {
  writer.BeginObject().Key("dataVersion");
  WriteJson(writer, wrapper.data_version);
  writer.Key("subscriptionGroupTable").BeginObject();
  for (const auto& [name, config] : wrapper.groups) {
    writer.Key(name);
    WriteJson(writer, config);
  }
  writer.EndObject().EndObject();
}

Result<SubscriptionGroupConfig> GroupConfigFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "SubscriptionGroupConfig is not an object");
  SubscriptionGroupConfig config;
  config.name = value.Text("groupName");
  config.consume_enable = value.BoolOf("consumeEnable", config.consume_enable);
  config.consume_from_min_enable = value.BoolOf("consumeFromMinEnable", config.consume_from_min_enable);
  config.consume_broadcast_enable = value.BoolOf("consumeBroadcastEnable", config.consume_broadcast_enable);
  config.retry_queues = static_cast<int32_t>(value.Int("retryQueueNums", config.retry_queues));
  config.retry_max_times = static_cast<int32_t>(value.Int("retryMaxTimes", config.retry_max_times));
  config.broker_id = value.Int("brokerId", config.broker_id);
  config.which_broker_when_slow = value.Int("whichBrokerWhenConsumeSlowly", config.which_broker_when_slow);
  config.notify_ids_changed = value.BoolOf("notifyConsumerIdsChangedEnable", config.notify_ids_changed);
  return config;
}

Result<SubscriptionGroupWrapper> GroupConfigsFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "SubscriptionGroupWrapper is not an object");
  SubscriptionGroupWrapper wrapper;
  if (const json::Value* version = value.Find("dataVersion"); version != nullptr && version->is_object()) {
    MQ_ASSIGN(wrapper.data_version, DataVersionFromJson(*version));
  }
  const json::Value* table = value.Find("subscriptionGroupTable");
  if (table == nullptr) return wrapper;
  for (const auto& [name, entry] : table->members()) {
    Result<SubscriptionGroupConfig> config = GroupConfigFromJson(entry);
    if (!config) return std::move(config).WithContext("group " + name).error();
    if (config->name.empty()) config->name = name;
    wrapper.groups.insert_or_assign(name, std::move(*config));
  }
  return wrapper;
}

std::string EncodeGroupConfig(const SubscriptionGroupConfig& config) {
  json::Writer writer;
  WriteJson(writer, config);
  return writer.Take();
}

Result<SubscriptionGroupConfig> DecodeGroupConfig(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return GroupConfigFromJson(value);
}

std::string EncodeGroupConfigs(const SubscriptionGroupWrapper& wrapper) {
  json::Writer writer;
  WriteJson(writer, wrapper);
  return writer.Take();
}

Result<SubscriptionGroupWrapper> DecodeGroupConfigs(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return GroupConfigsFromJson(value);
}

}  // namespace mq::protocol
