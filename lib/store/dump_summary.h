// What a store holds, summed up for mq-storedump: per topic and queue from the log, and disk usage per folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/dump_log.h"
#include "store/layout.h"

namespace mq::store {

struct QueueSummary {
  int64_t records = 0;
  int64_t min_offset = 0;  // smallest and largest queue offset
  int64_t max_offset = 0;
  int64_t bytes = 0;
  int64_t first_time = 0;  // store times, in the order of the log
  int64_t last_time = 0;

  void Add(const LogItem& item);
};
using StoreSummary = std::map<QueueName, QueueSummary>;

struct FolderUsage {
  std::string name;  // below the store's root; "." for files of the root itself
  int64_t files = 0;
  int64_t bytes = 0;      // as files say
  int64_t allocated = 0;  // as the disk has it
};
// One entry a folder of the root, and one a topic below consumequeue when `topics`.
Result<std::vector<FolderUsage>> UsageOf(const StoreLayout& layout, bool topics);

}  // namespace mq::store
