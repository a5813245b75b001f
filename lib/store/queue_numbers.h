// The numbers that queue files know to have been given. They outlive the records they were given to: where the log has
// lost some (expired, or damaged below the last flush), new messages must not get them again.
//
// Asked by the broker for its queue-offset table, and by mq-reputd before it cuts the files, so that both agree.
#pragma once

#include <map>

#include "base/result.h"
#include "store/layout.h"
#include "store/store_options.h"
#include "store/tombstones.h"
#include "store/types.h"

namespace mq::store {

// Of each queue one more than the largest offset of an entry whose record ends at or below `log_end`; queues that only
// a topic's former life has left are passed over. Reads a few pages of each queue, changes nothing.
Result<std::map<QueueName, QueueOffset>> NumbersOfEntries(const StoreOptions& options, PhysicalOffset log_end,
                                                          const Tombstones& tombstones);

}  // namespace mq::store
