// Names every header of lib/store shares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/offsets.h"

namespace mq::store {

using protocol::PhysicalOffset;
using protocol::QueueOffset;

// One queue of one topic.
struct QueueName {
  std::string topic;
  int32_t queue_id = 0;
  auto operator<=>(const QueueName&) const = default;
};

inline constexpr int64_t kPageBytes = 4096;

}  // namespace mq::store
