// What the store needs to know of the settings: a plain struct, filled by each daemon from its own
// settings (the broker from broker.conf, the helpers from the broker's hello). No settings object,
// no socket and no loop reaches lib/store. Names and defaults are RocketMQ's (mq.conf(5)).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/layout.h"
#include "store/types.h"

namespace mq::store {

enum class FlushDiskType { kAsync, kSync };

// When old commit log files go (log_cleaner.h). Ratios are permille of the filesystem.
struct CleanOptions {
  std::vector<int32_t> hours = {4};                 // deleteWhen: local hours of the day
  int64_t reserved_ms = int64_t{72} * 3600 * 1000;  // fileReservedTime
  int64_t interval_ms = 10000;                      // cleanResourceInterval
  int64_t file_pause_ms = 100;                      // deleteCommitLogFilesInterval
  int32_t early_permille = 750;                     // diskMaxUsedSpaceRatio: not only at the hours
  int32_t force_permille = 850;                     // diskSpaceCleanForciblyRatio: whatever the age
  int32_t full_permille = 900;                      // diskSpaceWarningLevelRatio: appends are refused
  bool forcibly = true;                             // cleanFileForciblyEnable
};

struct StoreOptions {
  std::string root;    // storePathRootDir
  LogPaths log_paths;  // storePathCommitLog, readOnlyCommitLogStorePaths
  StoreLayout layout() const { return StoreLayout(root, log_paths); }

  int64_t commit_log_file_bytes = int64_t{1} << 30;  // mappedFileSizeCommitLog
  int64_t consume_queue_file_bytes = 6000000;        // mappedFileSizeConsumeQueue, rounded up to x20

  int32_t max_message_bytes = 4 * 1024 * 1024;  // maxMessageSize: the body alone
  bool check_crc_on_recover = true;             // checkCRCOnRecover
  FlushDiskType flush_disk_type = FlushDiskType::kAsync;

  int64_t flush_interval_ms = 500;             // flushIntervalCommitLog
  bool flush_timed = true;                     // flushCommitLogTimed: no flush between two intervals
  int32_t flush_least_pages = 4;               // flushCommitLogLeastPages
  int64_t flush_thorough_interval_ms = 10000;  // flushCommitLogThoroughInterval

  // Slots of the transient pool, one log file each; 0: appends go to the map.
  int32_t pool_slots = 0;                     // transientStorePoolSize
  int64_t commit_interval_ms = 200;           // commitIntervalCommitLog
  int32_t commit_least_pages = 4;             // commitCommitLogLeastPages
  int64_t commit_thorough_interval_ms = 200;  // commitCommitLogThoroughInterval

  int64_t queue_flush_interval_ms = 1000;            // flushIntervalConsumeQueue
  int32_t queue_flush_least_pages = 2;               // flushConsumeQueueLeastPages
  int64_t queue_flush_thorough_interval_ms = 60000;  // flushConsumeQueueThoroughInterval

  bool index_enable = true;          // messageIndexEnable
  int32_t index_slots = 5000000;     // maxHashSlotNum: slots of one index file
  int32_t index_entries = 20000000;  // maxIndexNum: entries of one index file, one of them unused

  int64_t warm_window_bytes = int64_t{64} << 20;  // pages made ready ahead of `wrote`
  bool warm_whole_file = false;                   // warmMapedFileEnable

  CleanOptions clean;

  // messageDelayLevel, level 1 first. Decides the tags code of SCHEDULE_TOPIC_XXXX entries.
  std::vector<int64_t> delay_levels_ms;

  // Creates the next commit log file itself instead of waiting for mq-flushd: tests and --once.
  bool self_allocate = false;
};

// Fills delay_levels_ms from "1s 5s 10s ...". The error names the piece that is wrong.
Result<std::vector<int64_t>> ParseDelayLevels(std::string_view text);
inline constexpr std::string_view kDefaultDelayLevels = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h";

// deleteWhen: hours separated by semicolons. The error names the piece that is no hour.
Result<std::vector<int32_t>> ParseHours(std::string_view text);

// The settings a helper needs as a flat text map, as the broker's hello carries them, and back. The error
// names the missing key or the value that is wrong.
std::map<std::string, std::string> EncodeOptions(const StoreOptions& options);
Result<StoreOptions> DecodeOptions(const std::map<std::string, std::string>& settings);

// Checks ranges and rounds consume_queue_file_bytes up to a multiple of 20.
Status NormalizeOptions(StoreOptions& options);

}  // namespace mq::store
