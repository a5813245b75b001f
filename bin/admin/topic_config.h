// What the files of mq-admin topic share: a topic's configuration on each broker, and how it is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/context.h"
#include "protocol/topic_config.h"

namespace mq::admin {

std::string PermText(int32_t perm);  // "rw", "r", "w", "-"
int32_t PermFromText(std::string_view text);

// The operand is a name a topic may have.
Status CheckTopicOperand(const Context& context);

// A missing topic, with the nearest name there is. There is no other hint: who asks about a topic or wants it gone does
// not want to create it.
Error WithNearestTopic(Context& context, Error error, const std::string& topic);

// The topic on each of the brokers; nothing where it is missing. Brokers that do not answer are errors.
using TopicOnBroker = Result<std::optional<protocol::TopicConfig>>;
std::vector<TopicOnBroker> TopicOn(Context& context, const std::vector<client::BrokerAddress>& brokers,
                                   const std::string& topic);

// Status kConfig, saying how many messages and for whom, when fewer read queues would hide messages that somebody has
// yet to consume, or when more queues would be written than read; nothing with --force.
struct TopicChange {
  client::BrokerAddress broker;
  protocol::TopicConfig old;
  protocol::TopicConfig wanted;
};
Status CheckNothingHidden(Context& context, const std::vector<TopicChange>& changes);

}  // namespace mq::admin
