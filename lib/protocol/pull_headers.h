// Headers of PULL_MESSAGE (11) and of the questions about a queue (29, 30, 31, 32).
// Text fields are views into the frame (decoding) or into what the caller keeps alive (encoding).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"
#include "protocol/offsets.h"

namespace mq::protocol {

// Bits of a pull's sysFlag. Do not renumber.
namespace pull_flag {
inline constexpr int32_t kCommitOffset = 1;
inline constexpr int32_t kSuspend = 2;
inline constexpr int32_t kSubscription = 4;
inline constexpr int32_t kClassFilter = 8;
inline constexpr int32_t kLitePull = 16;
}  // namespace pull_flag

struct PullMessageRequestHeader {
  std::string_view consumer_group;
  std::string_view topic;
  int32_t queue_id = 0;
  QueueOffset queue_offset;
  int32_t max_msg_nums = 0;
  int32_t sys_flag = 0;
  ConsumerOffset commit_offset;
  int64_t suspend_timeout_ms = 0;
  std::string_view subscription;
  int64_t sub_version = 0;
  std::string_view expression_type;

  static Result<PullMessageRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

struct PullMessageResponseHeader {
  int64_t suggest_which_broker_id = 0;
  QueueOffset next_begin_offset;
  QueueOffset min_offset;
  QueueOffset max_offset;

  static Result<PullMessageResponseHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// 30, 31, 32: topic and queue.
struct QueueRequestHeader {
  std::string_view topic;
  int32_t queue_id = 0;

  static Result<QueueRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

enum class BoundaryType { kNone, kLower, kUpper };  // 5.x: `lower`, `upper`

struct SearchOffsetRequestHeader {
  std::string_view topic;
  int32_t queue_id = 0;
  int64_t timestamp = 0;
  BoundaryType boundary = BoundaryType::kNone;

  static Result<SearchOffsetRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// Reply of 29, 30, 31 (ext offset) and of 32 (ext timestamp).
struct OffsetResponseHeader {
  QueueOffset offset;

  static Result<OffsetResponseHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

struct StoretimeResponseHeader {
  int64_t timestamp = 0;

  static Result<StoretimeResponseHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

}  // namespace mq::protocol
