// Comparison of two stores for mq-storedump: what is in both, what differs, what only one of them has.
//
// Records are matched by their position, queue entries by topic, queue and offset, keys of the index by the position
// and the hash that they were put with (which is what every query rests on; names and sizes of index files may differ).
// Both stores are read as dump_log, dump_queue and dump_index read them: copied, damaged, or live up to a limit. Memory
// does not grow with the stores.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/layout.h"

namespace mq::store {

struct DiffSide {
  StoreLayout layout;
  std::optional<PhysicalOffset> limit;  // nothing of the log at or behind it: `wrote` of a live broker
  int64_t index_slots = 0;              // 0: worked out from the files' size
};

struct DiffCounts {
  int64_t equal = 0;
  int64_t differ = 0;
  int64_t only_first = 0;        // in the first store alone
  int64_t only_second = 0;       // in the second store alone
  std::string first_difference;  // where and what, "" when equal

  bool same() const { return differ + only_first + only_second == 0; }
  // Counts what one part of a whole gave.
  void Add(const DiffCounts& part);
};

// Stops early, with what was counted so far, when `go_on` says so.
using DiffGoOn = std::function<bool()>;

Result<DiffCounts> DiffLogs(const DiffSide& first, const DiffSide& second, const DiffGoOn& go_on);
// Of one topic, or of one queue of it; of all with an empty topic. `each` gets every queue that is in either store.
using DiffQueueSink = std::function<Status(const QueueName&, const DiffCounts&)>;
Result<DiffCounts> DiffQueues(const DiffSide& first, const DiffSide& second, const std::string& topic,
                              std::optional<int32_t> queue_id, const DiffGoOn& go_on, const DiffQueueSink& each);
Result<DiffCounts> DiffIndexes(const DiffSide& first, const DiffSide& second, const DiffGoOn& go_on);

}  // namespace mq::store
