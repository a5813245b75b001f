#include "protocol/topic_config.h"

#include "base/json.h"

namespace mq::protocol {
namespace {

Error NotAnObject(const char* what) { return MakeError(ErrorCode::kProtocol, std::string(what) + " is not an object"); }

std::string FilterTypeOf(const json::Value& value) {
  // A name, or its ordinal.
  const std::string text = value.AsString("SINGLE_TAG");
  if (text == "0") return "SINGLE_TAG";
  if (text == "1") return "MULTI_TAG";
  return text;
}

}  // namespace

void WriteJson(json::Writer& writer, const DataVersion& version) {
  writer.BeginObject().Key("counter").Int(version.counter).Key("timestamp").Int(version.timestamp).EndObject();
}

void WriteJson(json::Writer& writer, const TopicConfig& config) {
  writer.BeginObject();
  writer.Key("order").Bool(config.order);
  writer.Key("perm").Int(config.perm);
  writer.Key("readQueueNums").Int(config.read_queues);
  writer.Key("topicFilterType").String(config.filter_type);
  writer.Key("topicName").String(config.name);
  writer.Key("topicSysFlag").Int(config.sys_flag);
  writer.Key("writeQueueNums").Int(config.write_queues);
  writer.EndObject();
}

void WriteJson(json::Writer& writer, const TopicConfigSerializeWrapper& wrapper) {
  writer.BeginObject().Key("dataVersion");
  WriteJson(writer, wrapper.data_version);
  writer.Key("topicConfigTable").BeginObject();
  for (const auto& [name, config] : wrapper.topics) {
    writer.Key(name);
    WriteJson(writer, config);
  }
  writer.EndObject().EndObject();
}

Result<DataVersion> DataVersionFromJson(const json::Value& value) {
  if (!value.is_object()) return NotAnObject("DataVersion");
  DataVersion version;
  version.counter = value.Int("counter");
  version.timestamp = value.Int("timestamp");
  return version;
}

Result<TopicConfig> TopicConfigFromJson(const json::Value& value) {
  if (!value.is_object()) return NotAnObject("TopicConfig");
  TopicConfig config;
  config.name = value.Text("topicName");
  config.read_queues = static_cast<int32_t>(value.Int("readQueueNums", config.read_queues));
  config.write_queues = static_cast<int32_t>(value.Int("writeQueueNums", config.write_queues));
  config.perm = static_cast<int32_t>(value.Int("perm", config.perm));
  config.sys_flag = static_cast<int32_t>(value.Int("topicSysFlag"));
  config.order = value.BoolOf("order");
  if (const json::Value* type = value.Find("topicFilterType")) config.filter_type = FilterTypeOf(*type);
  return config;
}

Result<TopicConfigSerializeWrapper> TopicConfigsFromJson(const json::Value& value) {
  if (!value.is_object()) return NotAnObject("TopicConfigSerializeWrapper");
  TopicConfigSerializeWrapper wrapper;
  if (const json::Value* version = value.Find("dataVersion"); version != nullptr && version->is_object()) {
    MQ_ASSIGN(wrapper.data_version, DataVersionFromJson(*version));
  }
  const json::Value* table = value.Find("topicConfigTable");
  if (table == nullptr || !table->is_object()) return wrapper;
  for (const auto& [name, entry] : table->members()) {
    Result<TopicConfig> config = TopicConfigFromJson(entry);
    if (!config) return std::move(config).WithContext("topic " + name).error();
    if (config->name.empty()) config->name = name;
    wrapper.topics.insert_or_assign(name, std::move(*config));
  }
  return wrapper;
}

std::string EncodeDataVersion(const DataVersion& version) {
  json::Writer writer;
  WriteJson(writer, version);
  return writer.Take();
}

Result<DataVersion> DecodeDataVersion(std::string_view text) {
  MQ_ASSIGN(const json::Value value, json::Parse(text));
  return DataVersionFromJson(value);
}

std::string EncodeTopicConfigs(const TopicConfigSerializeWrapper& wrapper) {
  json::Writer writer;
  WriteJson(writer, wrapper);
  return writer.Take();
}

Result<TopicConfigSerializeWrapper> DecodeTopicConfigs(std::string_view text) {
  MQ_ASSIGN(const json::Value value, json::Parse(text));
  return TopicConfigsFromJson(value);
}

}  // namespace mq::protocol
