// Queues and index from a log without a broker: for mq-reputd --once and mq-storedump --rebuild.
//
// The store must be at rest. What is built is what a broker's mq-reputd would have built (reput.h), byte for byte;
// names of index files are those of the time.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/recovery.h"
#include "store/store_options.h"

namespace mq::store {

struct Derived {
  PhysicalOffset from;  // first record that was dispatched
  PhysicalOffset to;
  int64_t records = 0;
  uint64_t gaps = 0;  // queue gaps filled
};

// Brings queues and index of the store up to `found.end`; with `rebuild` they are built anew. Durable, with its marker,
// when it returns. The caller holds the store's lock and has made the log durable.
Result<Derived> DeriveAtRest(const StoreOptions& options, const RecoverResult& found, bool rebuild);

struct RebuildParts {
  bool queues = false;
  bool index = false;
};

// Builds the parts into `out`/consumequeue and `out`/index, durable when it returns, and changes nothing of the store.
// `out` must be missing or empty. No lock is taken: what is written meanwhile is left out.
Result<Derived> RebuildInto(const StoreOptions& options, const RebuildParts& parts, const std::string& out);

// The same, and then puts them in the place of the store's own. The caller holds the store's lock. A kill at any point
// leaves a store that the next start repairs; what is half built or replaced then lies in mq/rebuild and is removed by
// the next RebuildInPlace.
Result<Derived> RebuildInPlace(const StoreOptions& options, const RebuildParts& parts);

}  // namespace mq::store
