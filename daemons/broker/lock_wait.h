// The store's lock at a start. A broker that is alive has it for good and is named at once; one that is gone leaves its
// helpers a share of it for as long as they finish what they are at (store_lock.h), and they are waited for.
#pragma once

#include "base/result.h"
#include "store/layout.h"
#include "store/store_lock.h"

namespace mq::broker {

// Blocks the calling thread, half a minute at most; says in the log for whom. kHeldByOther names the holder.
Result<store::StoreLock> WaitForLock(const store::StoreLayout& layout);

}  // namespace mq::broker
