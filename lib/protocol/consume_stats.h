// How far topics and groups are: TopicStatsTable (202), ConsumeStats (208), ConsumeStatsList (317).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "protocol/message_queue.h"

namespace mq::protocol {

// 202: one entry for each write queue; offsets are never negative.
struct TopicOffset {
  int64_t min_offset = 0;
  int64_t max_offset = 0;
  int64_t last_update_timestamp = 0;
  bool operator==(const TopicOffset&) const = default;
};
using TopicStatsTable = QueueMap<TopicOffset>;

std::string EncodeTopicStats(const TopicStatsTable& table);
Result<TopicStatsTable> DecodeTopicStats(std::string_view body);

// 208: where a group stands in a queue; offsets are never negative. `last_timestamp` is the store time of the last
// message consumed, 0 when unknown.
struct OffsetWrapper {
  int64_t broker_offset = 0;
  int64_t consumer_offset = 0;
  int64_t last_timestamp = 0;
  bool operator==(const OffsetWrapper&) const = default;
};

struct ConsumeStats {
  double consume_tps = 0;
  QueueMap<OffsetWrapper> offsets;
  bool operator==(const ConsumeStats&) const = default;

  // Messages the group has yet to consume.
  int64_t Lag() const;
};

std::string EncodeConsumeStats(const ConsumeStats& stats);
Result<ConsumeStats> DecodeConsumeStats(std::string_view body);

// 317: one ConsumeStats for each topic of each group.
struct ConsumeStatsList {
  std::string broker_address;
  std::vector<std::pair<std::string, std::vector<ConsumeStats>>> groups;
  int64_t total_diff = 0;
};

std::string EncodeConsumeStatsList(const ConsumeStatsList& list);
Result<ConsumeStatsList> DecodeConsumeStatsList(std::string_view body);

}  // namespace mq::protocol
