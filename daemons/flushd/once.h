// mq-flushd --once: without a broker, under the store's lock, everything in the log is made durable and the
// checkpoint says so. For stores that were copied, or that a killed broker has left.
#pragma once

#include "base/result.h"
#include "store/store_options.h"

namespace mq::flushd {

Status FlushOnce(const store::StoreOptions& options);

}  // namespace mq::flushd
