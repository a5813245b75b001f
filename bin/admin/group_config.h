// What the files of mq-admin group and offset share: which groups there are, and who is online.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admin/context.h"
#include "protocol/connections.h"
#include "protocol/group_config.h"

namespace mq::admin {

using GroupsOnBroker = Result<protocol::SubscriptionGroupTable>;

// The groups of each broker, asked at once; in the order of the brokers.
std::vector<GroupsOnBroker> GroupsOn(Context& context, const std::vector<client::BrokerAddress>& brokers);

// The names of all groups of all brokers, sorted; brokers that do not answer are failures of the outcome.
std::vector<std::string> NamesOf(const std::vector<client::BrokerAddress>& masters,
                                 const std::vector<GroupsOnBroker>& groups, Outcome& outcome);

// kNotFound, with the nearest of the names.
Error NoSuchGroup(const std::string& group, const std::vector<std::string>& names);

// The members of a consumer group that a broker knows; nothing when none is connected to it.
using MembersOnBroker = Result<std::optional<protocol::ConsumerConnection>>;
std::vector<MembersOnBroker> MembersOn(Context& context, const std::vector<client::BrokerAddress>& brokers,
                                       const std::string& group);

}  // namespace mq::admin
