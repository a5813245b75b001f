// Part of dump_verify: one index file by itself. Its header, and that slots and chains lead to every entry.
//
// A file that is being written is looked at with care: what a put has done halfway is no fault while its writer may
// live, and a warning after a kill.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/dump_index.h"
#include "store/dump_verify.h"

namespace mq::store {

class IndexFileVerifier {
 public:
  // `live`: its writer runs; `unclean`: nobody knows.
  IndexFileVerifier(bool live, bool unclean, const FaultSink& sink) : live_(live), unclean_(unclean), sink_(sink) {}

  // The files in order of their names.
  Status Check(DumpIndex& index);
  // Position of the oldest entry of all: records below it were filed in files that are gone. -1: no entry.
  int64_t first_offset() const { return first_offset_; }

 private:
  Status CheckHeader(DumpIndex& index);
  Status CheckEmpty(DumpIndex& index);
  Result<bool> IsHalfway(DumpIndex& index) const;
  Status CheckChains(DumpIndex& index);
  Status CheckSlots(DumpIndex& index, const std::vector<int32_t>& newest);
  void SaySlot(const DumpIndex& index, int64_t slot, int32_t value, int32_t expected, Severity severity);
  void Say(const DumpIndex& index, int64_t byte, Severity severity, std::string_view rule, std::string text);

  bool live_;
  bool unclean_;
  const FaultSink& sink_;
  int64_t first_offset_ = -1;
  int64_t last_end_offset_ = 0;
  int64_t last_end_time_ = 0;
  std::string empty_;  // the file before, when it holds no entry
  uint64_t said_ = 0;  // of this file
};

}  // namespace mq::store
