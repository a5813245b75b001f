// A request in the making or in flight: messages that go together to one queue. Internal to the producer.
//
// Bodies and properties are kept in the encoding of SEND_BATCH_MESSAGE, which is also what a retry sends again.
// A batch of one message goes out as an ordinary send.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/message.h"
#include "client/producer.h"
#include "protocol/batch.h"
#include "protocol/command.h"

namespace mq::client {

struct Batch {
  std::string topic;
  // Set when the messages must go there; otherwise each try chooses.
  std::optional<MessageQueue> fixed_queue;
  std::string entries;
  std::vector<uint64_t> cookies;
  uint64_t sequence = 0;  // of its making; pieces of a split batch share it
  int32_t sys_flag = 0;   // of a single compressed message

  // Of the tries.
  MessageQueue queue;
  std::string address;
  int attempts = 0;          // tries that got as far as a broker, or might have
  int64_t first_try_ms = 0;  // monotonic; 0 before the first one
  int64_t sent_ms = 0;       // of the present try
  int32_t response_code = -1;
  Error error;
  std::string tried_broker;  // the one that failed last

  size_t count() const { return cookies.size(); }
};

// What the request header says besides the batch itself.
struct SendContext {
  std::string_view group;
  bool wait_store = true;
  int64_t now_ms = 0;
};

// Adds a message, encoded. `properties` starts with the UNIQ_KEY pair.
void AddToBatch(Batch& batch, std::string_view body, std::string_view properties, const OutgoingMessage& message);

// Writes the request frame.
void EncodeSend(const Batch& batch, const SendContext& context, protocol::CommandHead head, std::string& out);

// Walks the reports of a batch: each message's UNIQ_KEY, and of a stored one its offset id and queue offset.
void ReportBatch(const Batch& batch, SendReport base, std::string_view offset_ids,
                 const std::function<void(const SendReport&)>& report);

// Adds KEYS, TAGS and the user's pairs to a property string, checked. The error names the property.
Status AppendProperties(const OutgoingMessage& message, std::string& properties);

}  // namespace mq::client
