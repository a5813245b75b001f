// What a name server knows: routes of topics (105) and the cluster's brokers (106).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mq::protocol {

inline constexpr int64_t kMasterId = 0;

struct QueueData {
  std::string broker_name;
  int32_t read_queues = 0;
  int32_t write_queues = 0;
  int32_t perm = 0;
  int32_t topic_sys_flag = 0;
  bool operator==(const QueueData&) const = default;
};

struct BrokerData {
  std::string cluster;
  std::string broker_name;
  std::map<int64_t, std::string> addresses;  // broker id -> "host:port"
  bool operator==(const BrokerData&) const = default;

  // Address of the master, or nothing (empty).
  std::string_view master() const;
};

struct TopicRouteData {
  std::string order_topic_conf;  // empty: absent
  std::vector<QueueData> queues;
  std::vector<BrokerData> brokers;
  std::map<std::string, std::vector<std::string>> filter_servers;  // broker address -> servers
  bool operator==(const TopicRouteData&) const = default;

  const BrokerData* FindBroker(std::string_view name) const;
};

struct ClusterInfo {
  std::map<std::string, BrokerData> brokers;                 // by broker name
  std::map<std::string, std::vector<std::string>> clusters;  // cluster -> broker names
};

// fastjson's default writes broker ids as bare numbers; the standard form quotes them and escapes
// non-ASCII and '/'. Clients of version 401 and newer, or who ask, get the standard form.
enum class RouteJson { kFastjson, kStandard };

std::string EncodeTopicRoute(const TopicRouteData& route, RouteJson form);
Result<TopicRouteData> DecodeTopicRoute(std::string_view body);  // both forms

std::string EncodeClusterInfo(const ClusterInfo& info);
Result<ClusterInfo> DecodeClusterInfo(std::string_view body);

}  // namespace mq::protocol
