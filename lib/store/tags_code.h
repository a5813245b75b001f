// The third field of a consume queue entry: what brokers filter by, or when a delayed message is due.
// Written by reput, checked by dump_verify. Spec: mq-store(5), "Consume queue".
#pragma once

#include <cstdint>
#include <span>

#include "protocol/message.h"

namespace mq::store {

// Delayed messages: store time + delay of their level; others: Java's hash of TAGS, 0 without tags.
// `delay_levels_ms`: level 1 first.
int64_t QueueTagsCode(const protocol::MessageView& message, std::span<const int64_t> delay_levels_ms);

// Whether RocketMQ has put the record into further queues than its own, at offsets that its head does not name.
bool EntersManyQueues(const protocol::MessageView& message);

}  // namespace mq::store
