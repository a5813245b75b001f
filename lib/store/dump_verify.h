// Verification of a store: what store and RocketMQ rely on, checked in one walk over the log.
//
//   names and sizes   contiguous files of one size; nothing else where RocketMQ would refuse it
//   log               records and blanks tile every file; lengths, positions and checksums agree; queue offsets of a
//                     queue grow by one
//   queues            every record of the log has its entry and every entry its record, with size and tags code
//   index             chains and header of every file; every key of every record is filed
//   checkpoint, config  times and offsets within what log and queues hold
//
// Read-only, no daemon, no lock; memory is bounded by queues and one index file's slots, never by the log. With the
// positions of a live broker it looks at what is dispatched and leaves the rest alone. Findings are answers; an error
// is one of the operating system or a file cut while it is read. Invariants: mq-store(5). Used by mq-storedump.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/layout.h"
#include "store/positions.h"

namespace mq::store {

enum class Severity {
  kError,    // bytes are wrong or missing
  kWarning,  // the next start of a broker puts it right, or only some readers mind
};
std::string_view SeverityName(Severity severity);

struct Fault {
  std::string file;
  int64_t byte = 0;  // in that file
  Severity severity = Severity::kError;
  std::string_view rule;  // "I-3", or "rocketmq": what mq-store(5) calls it
  std::string text;
};
using FaultSink = std::function<void(const Fault&)>;

struct VerifyOptions {
  std::string root;
  LogPaths log_paths;
  const Positions* positions = nullptr;  // of a live broker
  bool for_rocketmq = false;             // also what only RocketMQ's broker minds
  std::vector<int64_t> delay_levels_ms;  // messageDelayLevel
  int64_t index_slots = 0;               // 0: worked out from the files' size
};

struct VerifyReport {
  uint64_t faults = 0;
  uint64_t records = 0;
  int64_t log_end = 0;
};

Result<VerifyReport> VerifyStore(const VerifyOptions& options, const FaultSink& sink);

}  // namespace mq::store
