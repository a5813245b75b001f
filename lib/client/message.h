// What a caller of the producer hands over, and how it gets to know the fate of each message.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "protocol/codes.h"
#include "protocol/offsets.h"

namespace mq::client {

// A queue of a topic on one broker. Ordered as RocketMQ orders: topic, broker name, queue id.
struct MessageQueue {
  std::string topic;
  std::string broker_name;
  int32_t queue_id = 0;
  auto operator<=>(const MessageQueue&) const = default;
};

// One message to send. Only views: the producer copies what it needs before Send returns.
struct OutgoingMessage {
  std::string_view topic;
  std::string_view body;
  std::string_view tag;                    // empty: none
  std::span<const std::string> keys = {};  // joined by blanks
  // Names and values as checked by protocol::CheckUserPropertyName / CheckPropertyValue.
  std::span<const std::pair<std::string, std::string>> properties = {};
  int32_t flag = 0;
  // Placement: a queue id, or a value of which equal ones go to the same queue in order; neither: any.
  std::optional<int32_t> queue_id = {};
  std::optional<std::string_view> shard = {};
  uint64_t cookie = 0;  // given back in the report
};

enum class SendStatus {
  kStored,               // stored by the broker (and flushed, when that was asked for)
  kStoredNotFlushed,     // 10 FLUSH_DISK_TIMEOUT: stored, not known to be on disk
  kStoredNotReplicated,  // 11, 12: stored, not known to be on a slave
  kSent,                 // one-way: written to the connection, nothing more is known
  kFailed,               // not known to be stored; `error` says why
};

// One per message, in any order. Views live during the callback only.
struct SendReport {
  uint64_t cookie = 0;
  SendStatus status = SendStatus::kFailed;
  std::string_view msg_id;         // UNIQ_KEY, made by the producer
  std::string_view offset_msg_id;  // made by the broker; empty when it was not stored
  std::string_view broker_name;
  int32_t queue_id = -1;
  protocol::QueueOffset queue_offset;
  int attempts = 0;
  int32_t response_code = -1;    // of the last answer; -1 when there was none
  const Error* error = nullptr;  // set with kFailed and with the half successes
};

}  // namespace mq::client
