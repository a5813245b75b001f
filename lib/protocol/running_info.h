// What a consumer says about itself: ConsumerRunningInfo (307) and ConsumeMessageDirectlyResult (309), relayed by the
// broker; CheckClientRequestBody (46), what it asks before it starts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/message_queue.h"
#include "protocol/subscription.h"

namespace mq::protocol {

struct ProcessQueueInfo {
  int64_t commit_offset = 0;
  int64_t cached_min_offset = 0;
  int64_t cached_max_offset = 0;
  int32_t cached_count = 0;
  int32_t cached_size_mib = 0;
  int64_t transaction_min_offset = 0;
  int64_t transaction_max_offset = 0;
  int32_t transaction_count = 0;
  bool locked = false;
  int64_t try_unlock_times = 0;
  int64_t last_lock_timestamp = 0;
  bool dropped = false;  // "droped" on the wire; Go's client writes "dropped"
  int64_t last_pull_timestamp = 0;
  int64_t last_consume_timestamp = 0;
  bool operator==(const ProcessQueueInfo&) const = default;
};

struct ConsumeStatus {
  double pull_rt = 0;
  double pull_tps = 0;
  double consume_rt = 0;
  double consume_ok_tps = 0;
  double consume_failed_tps = 0;
  int64_t consume_failed_msgs = 0;
  bool operator==(const ConsumeStatus&) const = default;
};

struct ConsumerRunningInfo {
  std::map<std::string, std::string> properties;
  std::vector<SubscriptionData> subscriptions;
  QueueMap<ProcessQueueInfo> queues;
  std::map<std::string, ConsumeStatus> status;  // by topic
  std::string jstack;                           // empty: absent
  bool operator==(const ConsumerRunningInfo&) const = default;
};

std::string EncodeRunningInfo(const ConsumerRunningInfo& info);
Result<ConsumerRunningInfo> DecodeRunningInfo(std::string_view body);

// Ordinals are the wire of some clients. Do not renumber.
enum class ConsumeResult : int32_t {
  kSuccess = 0,
  kLater = 1,
  kRollback = 2,
  kCommit = 3,
  kThrowException = 4,
  kReturnNull = 5,
};
std::string_view ConsumeResultName(ConsumeResult result);  // "CR_SUCCESS"

struct ConsumeMessageDirectlyResult {
  bool order = false;
  bool auto_commit = true;
  ConsumeResult result = ConsumeResult::kSuccess;
  std::string remark;  // empty: absent
  int64_t spent_ms = 0;
  bool operator==(const ConsumeMessageDirectlyResult&) const = default;
};

std::string EncodeConsumeDirectly(const ConsumeMessageDirectlyResult& result);
Result<ConsumeMessageDirectlyResult> DecodeConsumeDirectly(std::string_view body);

struct CheckClientRequestBody {
  std::string client_id;
  std::string group;
  SubscriptionData subscription;
  bool operator==(const CheckClientRequestBody&) const = default;
};

std::string EncodeCheckClient(const CheckClientRequestBody& body);
Result<CheckClientRequestBody> DecodeCheckClient(std::string_view body);

}  // namespace mq::protocol
