// mq-storedump from checked options to exit status.
#pragma once

#include "base/result.h"
#include "conf/settings.h"
#include "storedump/options.h"

namespace mq::storedump {

Result<int> Run(const conf::Settings& settings, const Options& options);

}  // namespace mq::storedump
