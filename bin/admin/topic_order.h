// Which topics keep order over the whole cluster: the name servers' KV namespace ORDER_TOPIC_CONFIG says so, as
// "broker-a:8;broker-b:8" under the topic's name, and brokers take it from there when they register.
#pragma once

#include <map>
#include <string>

#include "admin/context.h"
#include "protocol/topic_config.h"

namespace mq::admin {

// The value with these brokers' queues in place of what it says about them, or without them where the topic is not
// ordered; other brokers stay. Empty: nobody is left.
std::string OrderText(const std::string& old, const std::map<std::string, protocol::TopicConfig>& brokers);

// Brings every name server's entry in line with the topic as it is to be on these brokers (by name); true when that
// changes one. Nothing is written with --dry-run. Name servers that do not answer are failures of the outcome; kConfig
// when order is asked for and only a broker was named.
Result<bool> SetOrder(Context& context, const std::map<std::string, protocol::TopicConfig>& brokers, Outcome& outcome);

}  // namespace mq::admin
