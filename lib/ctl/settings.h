// What the broker tells its helpers in the hello: the store's settings, as a flat string map.
// The one place where StoreOptions meet the wire of ctl. Used by mq-broker, mq-flushd and mq-reputd.
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace mq::ctl {

using Settings = std::map<std::string, std::string>;

// The member or an error that names the missing key or the value that is no number.
Result<std::string> Text(const Settings& settings, std::string_view key);
Result<int64_t> Number(const Settings& settings, std::string_view key);
Result<bool> Flag(const Settings& settings, std::string_view key);

}  // namespace mq::ctl
