// LogEvidence: what is known of the log to have been durable, before anybody looks at the log itself: the checkpoint's
// times and position, and the position of mq-reputd's marker. Read by recovery alone. Spec: mq-store(5), "Recovery".
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.h"
#include "store/layout.h"
#include "store/types.h"

namespace mq::store {

struct LogEvidence {
  PhysicalOffset flushed;         // by the checkpoint; 0: it knows times alone
  PhysicalOffset marked;          // by the marker, whether or not the log agrees with it; 0: there is none that counts
  PhysicalOffset log_min{-1};     // where the log began, by the checkpoint: expiry has taken no more; -1: not known
  int64_t durable_timestamp = 0;  // every record stored at or before it was durable, by the checkpoint
  int64_t scan_timestamp = 0;     // a walk may begin with a file whose first record was stored at or before it
  bool distrusted = false;        // the checkpoint is in the future or damaged, and counts as none
  bool unknown = false;           // there is no checkpoint, or none to be trusted: anything may have been durable

  // The position that is said to have been durable; 0: nothing is known.
  PhysicalOffset said() const { return std::max(flushed, marked); }
};

// Changes nothing. An error only when the checkpoint is there and cannot be read.
Result<LogEvidence> ReadEvidence(const StoreLayout& layout);

}  // namespace mq::store
