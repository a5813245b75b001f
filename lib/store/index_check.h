// Before reputd puts into the index: which index files can be kept, up to which entry, and from which record of the log
// on keys are still missing.
//
// What the believed marker names was durable, so in a new life of the store everything behind it is taken back and put
// again with the same bytes. Without a marker (RocketMQ's own store, or the marker is lost) every entry is looked at
// and samples are compared with the log: files that belong to another log are set aside, a damaged one is cut at its
// last good entry. Slots are never believed: they follow from the entries. Used by IndexFollower alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/dispatched_marker.h"
#include "store/store_options.h"

namespace mq::store {

struct IndexCheck {
  std::vector<MarkedIndexFile> files;  // kept, in order, each with its header
  PhysicalOffset position;             // records below it are in the files
  // The record last put, and how many of its keys were: it may have been the last thing before a kill.
  PhysicalOffset resume_record{-1};
  int32_t resume_keys = 0;
};

enum class IndexCheckMode {
  kRollBack,  // a new life of the store: back to the marker
  kGoOn,      // reputd came back in the same life: the files go on where they are, readers notice nothing
  kRebuild,   // believe nothing
};

// `log` reads up to `log_end`. Changes only index files. An error is an operating error: nothing is decided.
Result<IndexCheck> CheckIndex(const StoreOptions& options, PhysicalOffset log_min, PhysicalOffset log_end,
                              const std::optional<MarkedIndex>& marked, IndexCheckMode mode, LogReader& log);

}  // namespace mq::store
