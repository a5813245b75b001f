// HeartbeatData (34): a client's groups. Read tolerantly: enums as names or ordinals, quoted numbers,
// missing collections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/subscription.h"

namespace mq::json {
class Value;
}

namespace mq::protocol {

// Ordinals are the wire. Do not renumber.
enum class ConsumeType : int32_t { kActively = 0, kPassively = 1, kPop = 2 };
enum class MessageModel : int32_t { kBroadcasting = 0, kClustering = 1 };
enum class ConsumeFromWhere : int32_t {
  kLastOffset = 0,
  kLastOffsetAndFromMinWhenBootFirst = 1,
  kMinOffset = 2,
  kMaxOffset = 3,
  kFirstOffset = 4,
  kTimestamp = 5,
};

// RocketMQ's names ("CONSUME_PASSIVELY", "CLUSTERING", "CONSUME_FROM_LAST_OFFSET").
std::string_view ConsumeTypeName(ConsumeType type);
std::string_view MessageModelName(MessageModel model);
std::string_view ConsumeFromWhereName(ConsumeFromWhere where);
// The members consumeType, messageModel and consumeFromWhere of an object, as names or ordinals; the defaults of
// ConsumerData when absent or unknown.
ConsumeType ReadConsumeType(const json::Value& object);
MessageModel ReadMessageModel(const json::Value& object);
ConsumeFromWhere ReadConsumeFromWhere(const json::Value& object);

struct ConsumerData {
  std::string group;
  ConsumeType consume_type = ConsumeType::kPassively;
  MessageModel message_model = MessageModel::kClustering;
  ConsumeFromWhere consume_from_where = ConsumeFromWhere::kLastOffset;
  std::vector<SubscriptionData> subscriptions;
  bool unit_mode = false;
};

struct HeartbeatData {
  std::string client_id;
  std::vector<std::string> producer_groups;
  std::vector<ConsumerData> consumers;
};

std::string EncodeHeartbeat(const HeartbeatData& heartbeat);
Result<HeartbeatData> DecodeHeartbeat(std::string_view body);

}  // namespace mq::protocol
