// What brokers say about themselves (28): keys and values as texts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "admin/context.h"

namespace mq::admin {

using RuntimeInfo = std::map<std::string, std::string>;

// Of all of them, asked at once; in their order.
std::vector<Result<RuntimeInfo>> RuntimeInfos(Context& context, const std::vector<client::BrokerAddress>& brokers);

}  // namespace mq::admin
