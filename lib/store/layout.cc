#include "store/layout.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/file.h"

namespace mq::store {

std::string MappedFileName(int64_t start) {
  char name[24];
  std::snprintf(name, sizeof name, "%020lld", static_cast<long long>(start));
  return name;
}

std::optional<int64_t> ParseMappedFileName(std::string_view name) {
  if (name.size() != 20) return std::nullopt;
  int64_t start = 0;
  auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), start);
  if (error != std::errc() || stop != name.data() + name.size() || start < 0 || name[0] == '-') return std::nullopt;
  return start;
}

std::string StoreLayout::CommitLogFile(PhysicalOffset file_start) const {
  return CommitLogDir() + "/" + MappedFileName(file_start.value());
}
std::string StoreLayout::TopicQueuesDir(std::string_view topic) const {
  return ConsumeQueueDir().append("/").append(topic);
}
std::string StoreLayout::QueueDir(std::string_view topic, int32_t queue_id) const {
  return TopicQueuesDir(topic).append("/").append(std::to_string(queue_id));
}

Status StoreLayout::MakeDirectories() const {
  for (const std::string& directory : {root_, CommitLogDir(), ConsumeQueueDir(), IndexDir(), ConfigDir(), MqDir()}) {
    MQ_TRY(mq::MakeDirectories(directory));
  }
  return Ok();
}

namespace {

// Names in a directory; a missing directory (or a plain file of that name) has none.
Result<std::vector<std::string>> NamesOrNone(const std::string& directory) {
  auto names = ListDirectory(directory);
  if (!names && (names.error().code == ErrorCode::kNotFound || names.error().sys_errno == ENOTDIR)) {
    return std::vector<std::string>();
  }
  return names;
}

}  // namespace

Result<std::vector<FileEntry>> ListMappedFiles(const std::string& directory) {
  MQ_ASSIGN(auto names, NamesOrNone(directory));
  std::vector<FileEntry> files;
  for (const std::string& name : names) {
    auto start = ParseMappedFileName(name);
    if (!start) continue;
    MQ_ASSIGN(int64_t bytes, FileSize(directory + "/" + name));
    files.push_back({*start, bytes});
  }
  std::sort(files.begin(), files.end(), [](const FileEntry& a, const FileEntry& b) { return a.start < b.start; });
  return files;
}

Result<std::vector<QueueName>> ListQueues(const StoreLayout& layout) {
  MQ_ASSIGN(auto topics, NamesOrNone(layout.ConsumeQueueDir()));
  std::vector<QueueName> queues;
  for (const std::string& topic : topics) {
    MQ_ASSIGN(auto ids, NamesOrNone(layout.TopicQueuesDir(topic)));
    for (const std::string& id : ids) {
      int32_t queue_id = 0;
      auto [stop, error] = std::from_chars(id.data(), id.data() + id.size(), queue_id);
      if (error == std::errc() && stop == id.data() + id.size() && queue_id >= 0) queues.push_back({topic, queue_id});
    }
  }
  std::sort(queues.begin(), queues.end());
  return queues;
}

bool IsSafeTopicDirectory(std::string_view topic) {
  if (topic.empty() || topic == "." || topic == "..") return false;
  return topic.find('/') == std::string_view::npos && topic.find('\0') == std::string_view::npos;
}

}  // namespace mq::store
