// Headers of the questions for single messages: by key (12), by position (33), and for entries of a queue (321).
// Text fields are views into the frame (decoding) or into what the caller keeps alive (encoding).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"
#include "protocol/offsets.h"

namespace mq::protocol {

// 12. `by_id`: the key is a UNIQ_KEY (ext _UNIQUE_KEY_QUERY).
struct QueryMessageRequestHeader {
  std::string_view topic;
  std::string_view key;
  int32_t max_num = 0;
  int64_t begin_timestamp = 0;
  int64_t end_timestamp = 0;
  bool by_id = false;

  static Result<QueryMessageRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

struct QueryMessageResponseHeader {
  int64_t index_last_update_timestamp = 0;
  PhysicalOffset index_last_update_offset;

  static Result<QueryMessageResponseHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// 33.
struct ViewMessageRequestHeader {
  PhysicalOffset offset;

  static Result<ViewMessageRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// 321.
struct QueryConsumeQueueRequestHeader {
  std::string_view topic;
  int32_t queue_id = 0;
  QueueOffset index;
  int32_t count = 0;
  std::string_view consumer_group;

  static Result<QueryConsumeQueueRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

}  // namespace mq::protocol
