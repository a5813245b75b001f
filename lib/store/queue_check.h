// Before reput starts in a new life of the store: which queue files can be kept, and up to where.
//
// Queue files may be ahead of the log (cut by recovery), behind it, damaged by a power cut, or gone. What
// the believed marker names was durable, so everything behind it is cut off and derived again; a file the
// marker needs that is missing or wrong lowers the starting point. Used by Reput::Open alone.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/dispatched_marker.h"
#include "store/queue_writer.h"
#include "store/store_options.h"
#include "store/tombstones.h"

namespace mq::store {

struct QueueCheck {
  PhysicalOffset start;                   // dispatch begins here
  std::map<QueueName, KeptQueue> queues;  // each cut to its end
  std::map<QueueName, QueueOffset> lost;  // where the marker says those ended of which not everything is kept
  uint64_t rebuilt_queues = 0;            // lost or damaged: derived again
  uint64_t removed_files = 0;
};

enum class QueueCheckMode {
  kCut,       // first start with these positions: cut and remove. Nobody may have mapped the files yet.
  kLookOnly,  // reputd came back in the same life: entries behind the marker are being read as valid, and
              // are written again with the same bytes
};

// One queue that the marker names, as CheckQueues would judge it: what is whole of it; nothing when it is lost and has
// to be derived again. Changes nothing. For the broker, while mq-reputd is not there yet.
Result<std::optional<MarkedQueue>> LookAtMarked(const StoreOptions& options, PhysicalOffset log_min,
                                                const DispatchedMarker& marker, const QueueName& name,
                                                const MarkedQueue& marked);

// Changes only files below consumequeue/.
Result<QueueCheck> CheckQueues(const StoreOptions& options, PhysicalOffset log_min,
                               const std::optional<DispatchedMarker>& marker, const Tombstones& tombstones,
                               QueueCheckMode mode);

}  // namespace mq::store
