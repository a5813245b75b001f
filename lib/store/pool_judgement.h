// What there is of a transient pool when nobody runs, and what a start makes of it. Part of transient_pool.h: a start
// and a plan judge alike. Reads alone; under the store's lock, or of a store at rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/pool_name.h"
#include "store/store_options.h"
#include "store/transient_pool.h"
#include "store/types.h"

namespace mq::store {

// What a slot holds.
struct HeldSlot {
  int64_t start;
  int64_t from;
  int64_t to;
  const char* data;     // of the file's first byte
  int64_t records = 0;  // whole ones at or behind the position asked for
  std::string damage;   // where the first damage is, and what; empty: none
};

// What there is of a pool, and what a start makes of it.
struct PoolJudgement {
  enum class Kind {
    kNone,      // no sign of one
    kUnused,    // made or committed, and not named yet or any more: it would only take memory
    kTake,      // its bytes belong in the log
    kSetAside,  // a file at the store's own place that is not believed
    kForget,    // the store names one that is gone or not its own to touch
  };
  Kind kind = Kind::kNone;
  PoolName name;                              // of the file meant
  std::string why;                            // kSetAside, kForget
  bool adopt = false;                         // kTake: the store does not name it
  std::unique_ptr<TransientPoolReader> pool;  // kTake
  int64_t log_min = 0;                        // kTake: start of the log's first file
};

// `clean`: the last broker stopped cleanly, so that a pool without a name cannot be its.
Result<PoolJudgement> JudgePool(const StoreOptions& options, bool clean);

// The slots of a pool to be taken that go into the log, in its order, with from, to and records noted in `left`; and,
// as its loss, why the rest does not. A slot of a file that has been removed since was in it before.
std::vector<HeldSlot> SlotsToTake(const PoolJudgement& taken, LeftPool& left,
                                  PhysicalOffset count_from = PhysicalOffset(0));

}  // namespace mq::store
