#include "store/dump_summary.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"

namespace mq::store {

namespace {

constexpr int64_t kBlockBytes = 512;  // unit of st_blocks

Status AddTree(const std::string& path, FolderUsage& usage) {
  MQ_ASSIGN(const std::vector<std::string> names, ListDirectory(path));
  for (const std::string& name : names) {
    const std::string below = JoinPath(path, name);
    struct stat status;
    if (::lstat(below.c_str(), &status) != 0) continue;  // gone meanwhile
    if (S_ISDIR(status.st_mode)) {
      MQ_TRY(AddTree(below, usage));
    } else {
      ++usage.files;
      usage.bytes += status.st_size;
      usage.allocated += status.st_blocks * kBlockBytes;
    }
  }
  return Ok();
}

}  // namespace

void QueueSummary::Add(const LogItem& item) {
  const int64_t offset = item.message.queue_offset.value();
  min_offset = records == 0 ? offset : std::min(min_offset, offset);
  max_offset = records == 0 ? offset : std::max(max_offset, offset);
  if (records == 0) first_time = item.message.store_timestamp;
  last_time = item.message.store_timestamp;
  bytes += item.bytes;
  ++records;
}

Result<std::vector<FolderUsage>> UsageOf(const StoreLayout& layout, bool topics) {
  std::vector<FolderUsage> result;
  MQ_ASSIGN(const std::vector<std::string> names, ListDirectory(layout.root()));
  FolderUsage root;
  root.name = ".";
  for (const std::string& name : names) {
    const std::string path = JoinPath(layout.root(), name);
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) continue;
    if (!S_ISDIR(status.st_mode)) {
      ++root.files;
      root.bytes += status.st_size;
      root.allocated += status.st_blocks * kBlockBytes;
      continue;
    }
    FolderUsage usage;
    usage.name = name;
    MQ_TRY(AddTree(path, usage));
    result.push_back(std::move(usage));
  }
  for (const std::string& directory : layout.CommitLogDirs()) {
    if (directory == layout.root() + "/commitlog" || !PathExists(directory)) continue;
    FolderUsage usage;
    usage.name = directory;
    MQ_TRY(AddTree(directory, usage));
    result.push_back(std::move(usage));
  }
  result.push_back(std::move(root));
  if (!topics || !PathExists(layout.ConsumeQueueDir())) return result;
  MQ_ASSIGN(const std::vector<std::string> folders, ListDirectory(layout.ConsumeQueueDir()));
  for (const std::string& topic : folders) {
    FolderUsage usage;
    usage.name = "consumequeue/" + topic;
    const std::string path = JoinPath(layout.ConsumeQueueDir(), topic);
    struct stat status;
    if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    MQ_TRY(AddTree(path, usage));
    result.push_back(std::move(usage));
  }
  return result;
}

}  // namespace mq::store
