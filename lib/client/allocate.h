// Which queues of a topic belong to which member of a group. Every member computes this by itself from the same two
// sorted lists, so no member has to be told. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/message.h"

namespace mq::client {

// The order of java.lang.String: by UTF-16 code unit. Java members sort client ids by it, so everybody must. It differs
// from the order of UTF-8 bytes only where one text has a character beyond U+FFFF and the other one from U+E000 on.
bool JavaLess(std::string_view a, std::string_view b);

// RocketMQ's AllocateMessageQueueAveragely (AVG): equal runs of the sorted queues, the first members one more when they
// do not divide evenly. `queues` sorted by topic, broker name and queue id; `clients` in any order. Nothing for a
// member that is not in the list, or for those beyond the number of queues.
std::vector<MessageQueue> AllocateAveragely(std::span<const MessageQueue> queues, std::vector<std::string> clients,
                                            std::string_view self);

}  // namespace mq::client
