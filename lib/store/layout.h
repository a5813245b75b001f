// Every name below the store root, made and parsed in one place (mq-store(5), "Layout").
//
// RocketMQ's own names stay exactly RocketMQ's; what it does not know lives in mq/, which it ignores.
// Pure string work and directory reading: nothing here creates or changes a file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/types.h"

namespace mq::store {

// Where commit log files lie when it is not <root>/commitlog: storePathCommitLog and readOnlyCommitLogStorePaths.
struct LogPaths {
  std::vector<std::string> writable;   // sorted; empty: <root>/commitlog alone
  std::vector<std::string> read_only;  // files are read and deleted there, never made
  bool operator==(const LogPaths&) const = default;
};

class StoreLayout {
 public:
  explicit StoreLayout(std::string root, LogPaths log = {});

  const std::string& root() const { return root_; }
  // All directories that may hold commit log files: those for new files first. At least one.
  const std::vector<std::string>& CommitLogDirs() const { return log_dirs_; }
  // The first of them.
  const std::string& CommitLogDir() const { return log_dirs_.front(); }
  // Where new files may be made.
  std::span<const std::string> WritableLogDirs() const { return {log_dirs_.data(), writable_}; }
  // The file of that start: where it lies, or where one would be made if all directories had space.
  std::string CommitLogFile(PhysicalOffset file_start) const;
  // The directory for the new file number `number` (start / file size): by turns over the writable ones that are not
  // full; over all of them when every one is. `is_full` is asked only when there is a choice.
  std::string DirForNewLogFile(int64_t number, const std::function<bool(const std::string&)>& is_full) const;
  std::string ConsumeQueueDir() const { return root_ + "/consumequeue"; }
  std::string TopicQueuesDir(std::string_view topic) const;
  std::string QueueDir(std::string_view topic, int32_t queue_id) const;
  std::string IndexDir() const { return root_ + "/index"; }
  std::string IndexFile(std::string_view name) const { return IndexDir().append("/").append(name); }
  // Index files that belong to another log are moved here.
  std::string IndexSetAsideDir() const { return root_ + "/mq/index-set-aside"; }
  std::string ConfigDir() const { return root_ + "/config"; }
  std::string Checkpoint() const { return root_ + "/checkpoint"; }
  std::string Abort() const { return root_ + "/abort"; }
  std::string Lock() const { return root_ + "/lock"; }
  std::string MqDir() const { return root_ + "/mq"; }
  std::string Dispatched() const { return root_ + "/mq/dispatched"; }
  std::string Tombstones() const { return root_ + "/mq/tombstones"; }
  std::string Numbers() const { return root_ + "/mq/numbers"; }
  std::string Pid() const { return root_ + "/mq/pid"; }
  std::string LogPathsFile() const { return root_ + "/mq/log-paths"; }
  std::string Pool() const { return root_ + "/mq/pool"; }  // names the transient pool, while there is one
  // Socket names inside MqDir(); the sockets are bound through the opened directory.
  static constexpr std::string_view kControlSocket = "ctl.sock";
  static constexpr std::string_view kBrokerSocket = "broker.sock";

  // Makes root, the commit log's directories, consumequeue, index, config and mq where missing, each durable in its
  // parent.
  Status MakeDirectories() const;

 private:
  std::string root_;
  std::vector<std::string> log_dirs_;
  size_t writable_ = 1;
};

// "00000000001073741824": 20 decimal digits.
std::string MappedFileName(int64_t start);
// Nothing unless the name is exactly 20 digits and fits.
std::optional<int64_t> ParseMappedFileName(std::string_view name);

struct FileEntry {
  int64_t start = 0;  // from the name
  int64_t bytes = 0;  // as found
};

// The mapped files of a directory in order. Other names are skipped; a missing directory is empty.
Result<std::vector<FileEntry>> ListMappedFiles(const std::string& directory);

// The commit log's files of all its directories, in order. The same file in two of them is an error.
Result<std::vector<FileEntry>> ListLogFiles(const StoreLayout& layout);

// All <topic>/<queue id> directories, sorted. Names that are no queue are skipped, as RocketMQ does.
Result<std::vector<QueueName>> ListQueues(const StoreLayout& layout);

// The name of a topic's directory is its name: false for names that would leave the store ("", ".",
// "..", with '/' or NUL). Records from foreign stores are checked with it before a queue is made.
bool IsSafeTopicDirectory(std::string_view topic);

}  // namespace mq::store
