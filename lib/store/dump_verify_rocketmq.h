// The part of dump_verify that names what only RocketMQ's broker minds: --for rocketmq. Facts: spec store 0.4.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "store/dump_verify.h"

namespace mq::store {

inline constexpr std::string_view kRocketmqRule = "rocketmq";
inline constexpr std::string_view kWouldNotStart = "RocketMQ's broker would not start";

// `queues`: those that ListQueues finds, `queue_bytes` the size of their files.
Status VerifyForRocketmq(const StoreLayout& layout, const std::vector<QueueName>& queues, int64_t queue_bytes,
                         const FaultSink& sink);

}  // namespace mq::store
