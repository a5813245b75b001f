// What mq-storedump was asked for, checked: an option that means nothing for the part or task is refused.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "conf/settings.h"
#include "store/dump_row.h"
#include "store/layout.h"
#include "store/rebuild.h"
#include "stream/writer.h"

namespace mq::storedump {

enum class Part { kCommitLog, kQueue, kIndex, kCheckpoint, kPositions, kConfig, kAll };
enum class Task { kPrint, kVerify, kPlan, kRebuild, kDiff, kSummary, kUsage, kHex };

struct Options {
  std::string root;
  store::LogPaths log_paths;
  store::StoreLayout layout() const { return store::StoreLayout(root, log_paths); }
  Part part = Part::kAll;
  Task task = Task::kPrint;
  std::string queue_topic;              // queue TOPIC QUEUE
  std::optional<int32_t> queue_number;  // without it all of the topic
  bool for_rocketmq = false;
  std::string other_root;       // --diff
  store::RebuildParts rebuild;  // --rebuild
  std::string rebuild_out;      // "": in place
  bool follow = false;
  int64_t hex_at = 0;

  int64_t from = -1;  // -1: from the first one
  int64_t to = std::numeric_limits<int64_t>::max();
  std::vector<std::string> topics;
  std::optional<int64_t> stored_from;  // a bound that is not given bounds nothing, whatever times a record claims
  std::optional<int64_t> stored_before;
  std::string grep;
  std::optional<std::string> key;

  bool pipe_format = false;  // writer says which; otherwise rows
  stream::WriterOptions writer;
  store::RowStyle rows = store::RowStyle::kText;
  bool redact = false;
  bool line_buffered = false;

  int64_t index_slots = 0;
  // Of what --rebuild builds; 0: as in the store.
  int64_t index_entries = 0;
  int64_t queue_bytes = 0;
  std::vector<int64_t> delay_levels_ms;
};

Result<Options> OptionsFrom(const conf::Settings& settings, int64_t now_ms, bool terminal);

}  // namespace mq::storedump
