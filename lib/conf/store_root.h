// Where the store is, and what a helper of a broker may be told: for the daemons that own parts of one store, and for
// who reads it.
#pragma once

#include <string>

#include "base/result.h"
#include "conf/settings.h"

namespace mq::conf {

// "store" in the home directory, where RocketMQ has it. kConfig when there is no home.
Result<std::string> DefaultStoreRoot();
// storePathRootDir without the slashes behind it, else the default.
Result<std::string> StoreRoot(const Settings& settings);

// A helper takes its settings from its broker; one given to the helper itself would be read and ignored. kConfig naming
// the first such setting and where it was given; the root of the store is the exception.
Status RefuseOwnSettings(const Settings& settings);

}  // namespace mq::conf
