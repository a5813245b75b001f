// Locks of queues for orderly consumers: LockBatchRequestBody and its answer (41), UnlockBatchRequestBody (42).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/message_queue.h"

namespace mq::protocol {

// 41 and 42 are asked with the same body.
struct LockBatchRequestBody {
  std::string group;
  std::string client_id;
  std::vector<MessageQueue> queues;
  bool operator==(const LockBatchRequestBody&) const = default;
};
std::string EncodeLockRequest(const LockBatchRequestBody& body);
Result<LockBatchRequestBody> DecodeLockRequest(std::string_view body);

// The queues that are locked for the asker.
std::string EncodeLockResponse(const std::vector<MessageQueue>& locked);
Result<std::vector<MessageQueue>> DecodeLockResponse(std::string_view body);

}  // namespace mq::protocol
