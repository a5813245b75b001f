// Who a member of a group is.
#pragma once

#include <string>

namespace mq::client {

// "ip@pid#nanoseconds", as RocketMQ's clients build it: unique per process and, within one, per call.
std::string MakeClientId();

}  // namespace mq::client
