// mq-reputd --once: without a broker, under the store's lock, consume queues and index are brought up to the end of
// the log; with rebuild they are derived anew from its first record.
#pragma once

#include "base/result.h"
#include "store/store_options.h"

namespace mq::reputd {

Status DispatchOnce(const store::StoreOptions& options, bool rebuild);

}  // namespace mq::reputd
