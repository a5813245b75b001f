#include "store/store_options.h"

#include <charconv>

#include "base/strings.h"
#include "store/transient_pool.h"

namespace mq::store {

Result<std::vector<int64_t>> ParseDelayLevels(std::string_view text) {
  std::vector<int64_t> levels;
  for (std::string_view piece : SplitAny(text, " \t")) {
    auto ms = ParseDurationMs(piece);
    if (!ms || *ms < 0) {
      return MakeError(ErrorCode::kConfig,
                       "messageDelayLevel: '" + std::string(piece) + "' is no time like 10s, 5m or 1h");
    }
    levels.push_back(*ms);
  }
  return levels;
}

Result<std::vector<int32_t>> ParseHours(std::string_view text) {
  std::vector<int32_t> hours;
  for (std::string_view piece : SplitAny(text, "; ")) {
    const auto hour = ParseInt64(piece);
    if (!hour || *hour < 0 || *hour > 23) {
      return MakeError(ErrorCode::kConfig, "deleteWhen: '" + std::string(piece) + "' is no hour from 0 to 23");
    }
    hours.push_back(static_cast<int32_t>(*hour));
  }
  if (hours.empty()) return MakeError(ErrorCode::kConfig, "deleteWhen names no hour from 0 to 23");
  return hours;
}

namespace {

Status CheckRange(const char* name, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return Ok();
  return MakeError(ErrorCode::kConfig, std::string(name) + ": " + std::to_string(value) + " is not within " +
                                           std::to_string(low) + " .. " + std::to_string(high));
}

using Settings = std::map<std::string, std::string>;

Result<const std::string*> Member(const Settings& settings, const std::string& key) {
  auto it = settings.find(key);
  if (it == settings.end()) return MakeError(ErrorCode::kProtocol, "the broker's hello lacks the setting " + key);
  return &it->second;
}

template <class Integer>
Status ReadNumber(const Settings& settings, const std::string& key, Integer* out) {
  MQ_ASSIGN(const std::string* text, Member(settings, key));
  const char* end = text->data() + text->size();
  auto [stop, error] = std::from_chars(text->data(), end, *out);
  if (error != std::errc() || stop != end) {
    return MakeError(ErrorCode::kProtocol, "the broker's hello: " + key + " is no number: '" + *text + "'");
  }
  return Ok();
}

Status ReadFlag(const Settings& settings, const std::string& key, bool* out) {
  int number = 0;
  MQ_TRY(ReadNumber(settings, key, &number));
  *out = number != 0;
  return Ok();
}

// Directories, a line each: no file name that a setting can give holds one.
std::string Lines(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + "\n";
  return text;
}

Status ReadLines(const Settings& settings, const std::string& key, std::vector<std::string>* out) {
  MQ_ASSIGN(const std::string* text, Member(settings, key));
  for (std::string_view line : Split(*text, '\n')) {
    if (!line.empty()) out->emplace_back(line);
  }
  return Ok();
}

}  // namespace

Status NormalizeOptions(StoreOptions& options) {
  constexpr int64_t kLargestFile = (int64_t{1} << 31) - 1;  // RocketMQ's file sizes are Java ints
  if (options.root.empty()) return MakeError(ErrorCode::kConfig, "storePathRootDir is empty");
  MQ_TRY(CheckRange("mappedFileSizeCommitLog", options.commit_log_file_bytes, 4096, kLargestFile));
  MQ_TRY(CheckRange("mappedFileSizeConsumeQueue", options.consume_queue_file_bytes, 20, kLargestFile));
  options.consume_queue_file_bytes = (options.consume_queue_file_bytes + 19) / 20 * 20;
  MQ_TRY(CheckRange("maxMessageSize", options.max_message_bytes, 10, kLargestFile - 65536));
  MQ_TRY(CheckRange("flushIntervalCommitLog", options.flush_interval_ms, 1, 3600000));
  MQ_TRY(CheckRange("flushCommitLogLeastPages", options.flush_least_pages, 0, 1 << 20));
  MQ_TRY(CheckRange("flushCommitLogThoroughInterval", options.flush_thorough_interval_ms, 1, 86400000));
  MQ_TRY(CheckRange("transientStorePoolSize", options.pool_slots, 0, kMaxPoolSlots));
  MQ_TRY(CheckRange("commitIntervalCommitLog", options.commit_interval_ms, 1, 3600000));
  MQ_TRY(CheckRange("commitCommitLogLeastPages", options.commit_least_pages, 0, 1 << 20));
  MQ_TRY(CheckRange("commitCommitLogThoroughInterval", options.commit_thorough_interval_ms, 1, 86400000));
  MQ_TRY(CheckRange("flushIntervalConsumeQueue", options.queue_flush_interval_ms, 1, 3600000));
  MQ_TRY(CheckRange("flushConsumeQueueLeastPages", options.queue_flush_least_pages, 0, 1 << 20));
  MQ_TRY(CheckRange("flushConsumeQueueThoroughInterval", options.queue_flush_thorough_interval_ms, 1, 86400000));
  MQ_TRY(CheckRange("maxHashSlotNum", options.index_slots, 1, int64_t{1} << 28));
  MQ_TRY(CheckRange("maxIndexNum", options.index_entries, 2, int64_t{1} << 26));
  const int64_t index_bytes = int64_t{options.index_slots} * 4 + int64_t{options.index_entries} * 20 + 40;
  MQ_TRY(CheckRange("maxHashSlotNum * 4 + maxIndexNum * 20 + 40 (an index file)", index_bytes, 1, kLargestFile));
  MQ_TRY(CheckRange("warm window", options.warm_window_bytes, 0, kLargestFile));
  if (options.delay_levels_ms.empty()) {
    MQ_ASSIGN(options.delay_levels_ms, ParseDelayLevels(kDefaultDelayLevels));
  }
  return Ok();
}

Settings EncodeOptions(const StoreOptions& options) {
  Settings settings;
  auto number = [&settings](const char* key, int64_t value) { settings[key] = std::to_string(value); };
  settings["storePathRootDir"] = options.root;
  settings["storePathCommitLog"] = Lines(options.log_paths.writable);
  settings["readOnlyCommitLogStorePaths"] = Lines(options.log_paths.read_only);
  number("mappedFileSizeCommitLog", options.commit_log_file_bytes);
  number("mappedFileSizeConsumeQueue", options.consume_queue_file_bytes);
  number("maxMessageSize", options.max_message_bytes);
  number("checkCRCOnRecover", options.check_crc_on_recover ? 1 : 0);
  number("syncFlush", options.flush_disk_type == FlushDiskType::kSync ? 1 : 0);
  number("flushIntervalCommitLog", options.flush_interval_ms);
  number("flushCommitLogTimed", options.flush_timed ? 1 : 0);
  number("flushCommitLogLeastPages", options.flush_least_pages);
  number("flushCommitLogThoroughInterval", options.flush_thorough_interval_ms);
  number("transientStorePoolSize", options.pool_slots);
  number("commitIntervalCommitLog", options.commit_interval_ms);
  number("commitCommitLogLeastPages", options.commit_least_pages);
  number("commitCommitLogThoroughInterval", options.commit_thorough_interval_ms);
  number("flushIntervalConsumeQueue", options.queue_flush_interval_ms);
  number("flushConsumeQueueLeastPages", options.queue_flush_least_pages);
  number("flushConsumeQueueThoroughInterval", options.queue_flush_thorough_interval_ms);
  number("messageIndexEnable", options.index_enable ? 1 : 0);
  number("maxHashSlotNum", options.index_slots);
  number("maxIndexNum", options.index_entries);
  number("warmWindow", options.warm_window_bytes);
  number("warmMapedFileEnable", options.warm_whole_file ? 1 : 0);
  std::string hours;
  for (int32_t hour : options.clean.hours) hours += (hours.empty() ? "" : ";") + std::to_string(hour);
  settings["deleteWhen"] = hours;
  number("fileReservedTime", options.clean.reserved_ms);
  number("cleanResourceInterval", options.clean.interval_ms);
  number("deleteCommitLogFilesInterval", options.clean.file_pause_ms);
  number("diskMaxUsedSpaceRatio", options.clean.early_permille);
  number("diskSpaceCleanForciblyRatio", options.clean.force_permille);
  number("diskSpaceWarningLevelRatio", options.clean.full_permille);
  number("cleanFileForciblyEnable", options.clean.forcibly ? 1 : 0);
  std::string levels;
  for (int64_t ms : options.delay_levels_ms) levels += (levels.empty() ? "" : " ") + std::to_string(ms) + "ms";
  settings["messageDelayLevel"] = levels;
  return settings;
}

Result<StoreOptions> DecodeOptions(const Settings& settings) {
  StoreOptions options;
  bool sync = false;
  MQ_ASSIGN(const std::string* root, Member(settings, "storePathRootDir"));
  options.root = *root;
  MQ_TRY(ReadLines(settings, "storePathCommitLog", &options.log_paths.writable));
  MQ_TRY(ReadLines(settings, "readOnlyCommitLogStorePaths", &options.log_paths.read_only));
  MQ_TRY(ReadNumber(settings, "mappedFileSizeCommitLog", &options.commit_log_file_bytes));
  MQ_TRY(ReadNumber(settings, "mappedFileSizeConsumeQueue", &options.consume_queue_file_bytes));
  MQ_TRY(ReadNumber(settings, "maxMessageSize", &options.max_message_bytes));
  MQ_TRY(ReadFlag(settings, "checkCRCOnRecover", &options.check_crc_on_recover));
  MQ_TRY(ReadFlag(settings, "syncFlush", &sync));
  options.flush_disk_type = sync ? FlushDiskType::kSync : FlushDiskType::kAsync;
  MQ_TRY(ReadNumber(settings, "flushIntervalCommitLog", &options.flush_interval_ms));
  MQ_TRY(ReadFlag(settings, "flushCommitLogTimed", &options.flush_timed));
  MQ_TRY(ReadNumber(settings, "flushCommitLogLeastPages", &options.flush_least_pages));
  MQ_TRY(ReadNumber(settings, "flushCommitLogThoroughInterval", &options.flush_thorough_interval_ms));
  MQ_TRY(ReadNumber(settings, "transientStorePoolSize", &options.pool_slots));
  MQ_TRY(ReadNumber(settings, "commitIntervalCommitLog", &options.commit_interval_ms));
  MQ_TRY(ReadNumber(settings, "commitCommitLogLeastPages", &options.commit_least_pages));
  MQ_TRY(ReadNumber(settings, "commitCommitLogThoroughInterval", &options.commit_thorough_interval_ms));
  MQ_TRY(ReadNumber(settings, "flushIntervalConsumeQueue", &options.queue_flush_interval_ms));
  MQ_TRY(ReadNumber(settings, "flushConsumeQueueLeastPages", &options.queue_flush_least_pages));
  MQ_TRY(ReadNumber(settings, "flushConsumeQueueThoroughInterval", &options.queue_flush_thorough_interval_ms));
  MQ_TRY(ReadFlag(settings, "messageIndexEnable", &options.index_enable));
  MQ_TRY(ReadNumber(settings, "maxHashSlotNum", &options.index_slots));
  MQ_TRY(ReadNumber(settings, "maxIndexNum", &options.index_entries));
  MQ_TRY(ReadNumber(settings, "warmWindow", &options.warm_window_bytes));
  MQ_TRY(ReadFlag(settings, "warmMapedFileEnable", &options.warm_whole_file));
  MQ_ASSIGN(const std::string* hours, Member(settings, "deleteWhen"));
  MQ_ASSIGN(options.clean.hours, ParseHours(*hours));
  MQ_TRY(ReadNumber(settings, "fileReservedTime", &options.clean.reserved_ms));
  MQ_TRY(ReadNumber(settings, "cleanResourceInterval", &options.clean.interval_ms));
  MQ_TRY(ReadNumber(settings, "deleteCommitLogFilesInterval", &options.clean.file_pause_ms));
  MQ_TRY(ReadNumber(settings, "diskMaxUsedSpaceRatio", &options.clean.early_permille));
  MQ_TRY(ReadNumber(settings, "diskSpaceCleanForciblyRatio", &options.clean.force_permille));
  MQ_TRY(ReadNumber(settings, "diskSpaceWarningLevelRatio", &options.clean.full_permille));
  MQ_TRY(ReadFlag(settings, "cleanFileForciblyEnable", &options.clean.forcibly));
  MQ_ASSIGN(const std::string* levels, Member(settings, "messageDelayLevel"));
  MQ_ASSIGN(options.delay_levels_ms, ParseDelayLevels(*levels));
  MQ_TRY(NormalizeOptions(options));
  return options;
}

}  // namespace mq::store
