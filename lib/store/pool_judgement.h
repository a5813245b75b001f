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
  int64_t copy_from;        // what lies below is in the log already
  const char* data;         // of the file's first byte
  int64_t records = 0;      // whole ones at or behind the position asked for
  int64_t damaged_at = -1;  // where the last damage is; -1: none
  std::string reason;       // and what it is
};

// What there is of a pool, and what a start makes of it.
struct PoolJudgement {
  enum class Kind {
    kNone,      // no sign of one
    kUnused,    // made or committed, and not named yet or any more: it would only take memory
    kTake,      // its bytes belong in the log
    kSetAside,  // a file at the store's own place that is not believed
    kForget,    // the store names one that is gone or not its own to touch
    kRefuse,    // a file of the log that it holds records for is missing
  };
  Kind kind = Kind::kNone;
  PoolName name;                              // of the file meant
  std::string why;                            // kSetAside, kForget, kRefuse
  std::string missing;                        // kRefuse: that file
  bool adopt = false;                         // kTake: the store does not name it
  std::unique_ptr<TransientPoolReader> pool;  // kTake
  std::vector<HeldSlot> slots;                // kTake: in the order of the log
  int wrong_slots = 0;                        // kTake: those whose numbers make no sense
};

// `clean`: the last broker stopped cleanly, so that a pool without a name cannot be its. Records at or behind
// `count_from` are counted.
Result<PoolJudgement> JudgePool(const StoreOptions& options, bool clean, PhysicalOffset count_from = PhysicalOffset(0));

// The slots of a pool to be taken that go into the log, with from, to and records noted in `left`; and, as its damage
// and its loss, what does not, and why.
std::vector<HeldSlot> SlotsToTake(const PoolJudgement& taken, LeftPool& left);

}  // namespace mq::store
