// Headers of sending: requests 10 (long names), 310 and 320 (one-letter names), and their reply.
// Text fields are views into the frame (decoding) or into what the caller keeps alive (encoding).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"
#include "protocol/offsets.h"

namespace mq::protocol {

struct SendMessageRequestHeader {
  std::string_view producer_group;             // a producerGroup
  std::string_view topic;                      // b topic
  std::string_view default_topic;              // c defaultTopic
  int32_t default_topic_queues = 0;            // d defaultTopicQueueNums
  int32_t queue_id = 0;                        // e queueId; below 0: the broker chooses
  int32_t sys_flag = 0;                        // f sysFlag
  int64_t born_timestamp = 0;                  // g bornTimestamp
  int32_t flag = 0;                            // h flag
  std::string_view properties;                 // i properties
  int32_t reconsume_times = 0;                 // j reconsumeTimes
  bool unit_mode = false;                      // k unitMode
  std::optional<int32_t> max_reconsume_times;  // l maxReconsumeTimes
  bool batch = false;                          // m batch: decides, not the request code
  std::string_view broker_name;                // n bname

  // Long names for request 10, one-letter names for every other code. The error names the field.
  static Result<SendMessageRequestHeader> Decode(const CommandView& command);
  void EncodeLong(CommandWriter& writer) const;
  void EncodeShort(CommandWriter& writer) const;
};

struct SendMessageResponseHeader {
  std::string_view msg_id;  // offset id; of a batch all of them, comma-joined
  int32_t queue_id = 0;
  QueueOffset queue_offset;  // of the first
  std::string_view transaction_id;

  static Result<SendMessageResponseHeader> Decode(const CommandView& command);
  // Adds MSG_REGION and TRACE_ON, which every send reply carries.
  void Encode(CommandWriter& writer) const;
};

// MSG_REGION and TRACE_ON alone, for refusals (RocketMQ's Java client needs at least one field).
void EncodeSendRefusalFields(CommandWriter& writer);

}  // namespace mq::protocol
