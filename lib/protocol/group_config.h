// SubscriptionGroupConfig (200), and the table of them that brokers answer (201) and store (subscriptionGroup.json).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/topic_config.h"

namespace mq::protocol {

struct SubscriptionGroupConfig {
  std::string name;
  bool consume_enable = true;
  bool consume_from_min_enable = true;
  bool consume_broadcast_enable = true;
  int32_t retry_queues = 1;
  int32_t retry_max_times = 16;
  int64_t broker_id = 0;
  int64_t which_broker_when_slow = 1;
  bool notify_ids_changed = true;
  bool operator==(const SubscriptionGroupConfig&) const = default;
};

using SubscriptionGroupTable = std::map<std::string, SubscriptionGroupConfig, std::less<>>;

struct SubscriptionGroupWrapper {
  DataVersion data_version;
  SubscriptionGroupTable groups;
};

void WriteJson(json::Writer& writer, const SubscriptionGroupConfig& config);
void WriteJson(json::Writer& writer, const SubscriptionGroupWrapper& wrapper);
Result<SubscriptionGroupConfig> GroupConfigFromJson(const json::Value& value);
Result<SubscriptionGroupWrapper> GroupConfigsFromJson(const json::Value& value);

std::string EncodeGroupConfig(const SubscriptionGroupConfig& config);
Result<SubscriptionGroupConfig> DecodeGroupConfig(std::string_view body);
std::string EncodeGroupConfigs(const SubscriptionGroupWrapper& wrapper);
Result<SubscriptionGroupWrapper> DecodeGroupConfigs(std::string_view body);

}  // namespace mq::protocol
