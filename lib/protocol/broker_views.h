// What a broker shows of its inside: BrokerStatsData (315) and QueryConsumeQueueResponseBody (321).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/subscription.h"

namespace mq::protocol {

struct BrokerStatsItem {
  int64_t sum = 0;
  double tps = 0;
  double average = 0;  // "avgpt"
  bool operator==(const BrokerStatsItem&) const = default;
};

struct BrokerStatsData {
  BrokerStatsItem minute;
  BrokerStatsItem hour;
  BrokerStatsItem day;
  bool operator==(const BrokerStatsData&) const = default;
};
std::string EncodeBrokerStats(const BrokerStatsData& stats);
Result<BrokerStatsData> DecodeBrokerStats(std::string_view body);

// One entry of a consume queue as the broker's filter sees it. Empty texts are absent.
struct ConsumeQueueData {
  int64_t physical_offset = 0;
  int32_t physical_size = 0;
  int64_t tags_code = 0;
  std::string extend_data;
  std::string bit_map;
  bool eval = false;
  std::string message;
  bool operator==(const ConsumeQueueData&) const = default;
};

struct ConsumeQueueView {
  int64_t min_index = 0;
  int64_t max_index = 0;
  std::optional<SubscriptionData> subscription;
  std::string filter_data;
  std::vector<ConsumeQueueData> entries;
  bool operator==(const ConsumeQueueView&) const = default;
};
std::string EncodeConsumeQueueView(const ConsumeQueueView& view);
Result<ConsumeQueueView> DecodeConsumeQueueView(std::string_view body);

}  // namespace mq::protocol
