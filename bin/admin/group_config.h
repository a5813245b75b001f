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

// kNotFound, with the nearest of the names.
Error NoSuchGroup(const std::string& group, const std::vector<std::string>& names);

// The members of a consumer group that a broker knows; nothing when none is connected to it.
using MembersOnBroker = Result<std::optional<protocol::ConsumerConnection>>;
std::vector<MembersOnBroker> MembersOn(Context& context, const std::vector<client::BrokerAddress>& brokers,
                                       const std::string& group);

}  // namespace mq::admin
