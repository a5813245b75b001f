// TopicConfig, DataVersion, and the table of both that brokers register and store (topics.json).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/names.h"

namespace mq::json {
class Value;
class Writer;
}  // namespace mq::json

namespace mq::protocol {

// Which state of a broker's topics someone has seen. Equal only when every field is.
struct DataVersion {
  int64_t timestamp = 0;
  int64_t counter = 0;
  bool operator==(const DataVersion&) const = default;
};

// Bits of topicSysFlag. Do not renumber.
inline constexpr int32_t kTopicUnit = 1;
inline constexpr int32_t kTopicHasUnitSub = 2;

struct TopicConfig {
  std::string name;
  int32_t read_queues = 16;
  int32_t write_queues = 16;
  int32_t perm = kPermRead | kPermWrite;
  std::string filter_type = "SINGLE_TAG";
  int32_t sys_flag = 0;
  bool order = false;
  bool operator==(const TopicConfig&) const = default;
};

using TopicConfigTable = std::map<std::string, TopicConfig, std::less<>>;

struct TopicConfigSerializeWrapper {
  DataVersion data_version;
  TopicConfigTable topics;
};

void WriteJson(json::Writer& writer, const DataVersion& version);
void WriteJson(json::Writer& writer, const TopicConfig& config);
void WriteJson(json::Writer& writer, const TopicConfigSerializeWrapper& wrapper);

Result<DataVersion> DataVersionFromJson(const json::Value& value);
Result<TopicConfig> TopicConfigFromJson(const json::Value& value);
Result<TopicConfigSerializeWrapper> TopicConfigsFromJson(const json::Value& value);

// Compact forms as they travel. The file topics.json is the same through a pretty json::Writer.
std::string EncodeDataVersion(const DataVersion& version);
Result<DataVersion> DecodeDataVersion(std::string_view text);
std::string EncodeTopicConfigs(const TopicConfigSerializeWrapper& wrapper);
Result<TopicConfigSerializeWrapper> DecodeTopicConfigs(std::string_view text);

}  // namespace mq::protocol
