// What the next start of a broker would do to a store, worked out without doing it.
//
// Asks recovery, the check of the queues and reputd's marker the same questions that a start asks (recovery.h,
// queue_check.h), in the modes that change nothing. The store must be at rest: nothing is locked. What stops a broker
// from starting is the error. Used by mq-storedump --plan.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/recovery.h"
#include "store/store_options.h"

namespace mq::store {

struct PlanStep {
  std::string file;
  int64_t byte = 0;         // in that file
  std::string_view action;  // commit, fill, distrust, keep, lost, cut, derive, fall-back, refuse
  std::string text;
  bool of_log = false;  // log bytes are cut away, or are damaged already
};

struct RecoveryPlan {
  RecoverResult log;
  bool anything_lost = false;  // one of the steps is `of_log`, or loses what a transient pool held
  bool refused = false;        // one of the steps is "refuse": a broker would not start
  std::vector<PlanStep> steps;
};

Result<RecoveryPlan> PlanRecovery(const StoreOptions& options);

// The file sizes that a store was made with, as its files say, in place of the options' own.
Status TakeSizesFromFiles(StoreOptions& options);

}  // namespace mq::store
