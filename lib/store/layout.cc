#include "store/layout.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>

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

StoreLayout::StoreLayout(std::string root, LogPaths log) : root_(std::move(root)), log_dirs_(std::move(log.writable)) {
  if (log_dirs_.empty()) log_dirs_.push_back(root_ + "/commitlog");
  writable_ = log_dirs_.size();
  log_dirs_.insert(log_dirs_.end(), log.read_only.begin(), log.read_only.end());
}

std::string StoreLayout::CommitLogFile(PhysicalOffset file_start) const {
  const std::string name = MappedFileName(file_start.value());
  if (log_dirs_.size() > 1) {
    for (const std::string& directory : log_dirs_) {
      if (std::string path = JoinPath(directory, name); PathExists(path)) return path;
    }
  }
  return JoinPath(CommitLogDir(), name);
}

std::string StoreLayout::DirForNewLogFile(int64_t number,
                                          const std::function<bool(const std::string&)>& is_full) const {
  std::vector<std::string> choice;
  if (writable_ > 1) {
    for (const std::string& directory : WritableLogDirs()) {
      if (!is_full(directory)) choice.push_back(directory);
    }
  }
  if (choice.empty()) choice.assign(WritableLogDirs().begin(), WritableLogDirs().end());
  return choice[static_cast<size_t>(number) % choice.size()];
}
std::string StoreLayout::TopicQueuesDir(std::string_view topic) const {
  return ConsumeQueueDir().append("/").append(topic);
}
std::string StoreLayout::QueueDir(std::string_view topic, int32_t queue_id) const {
  return TopicQueuesDir(topic).append("/").append(std::to_string(queue_id));
}

Status StoreLayout::MakeDirectories() const {
  for (const std::string& directory : {root_, ConsumeQueueDir(), IndexDir(), ConfigDir(), MqDir()}) {
    MQ_TRY(mq::MakeDirectories(directory));
  }
  for (const std::string& directory : WritableLogDirs()) MQ_TRY(mq::MakeDirectories(directory));
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
    const auto bytes = FileSize(directory + "/" + name);
    if (bytes) {
      files.push_back({*start, *bytes});
    } else if (bytes.error().code != ErrorCode::kNotFound) {
      return bytes.error();
    }  // else it has expired just now
  }
  std::sort(files.begin(), files.end(), [](const FileEntry& a, const FileEntry& b) { return a.start < b.start; });
  return files;
}

Result<std::vector<FileEntry>> ListLogFiles(const StoreLayout& layout) {
  if (layout.CommitLogDirs().size() == 1) return ListMappedFiles(layout.CommitLogDir());
  std::map<int64_t, std::pair<FileEntry, std::string>> found;
  for (const std::string& directory : layout.CommitLogDirs()) {
    MQ_ASSIGN(const auto files, ListMappedFiles(directory));
    for (const FileEntry& file : files) {
      const auto [other, added] = found.try_emplace(file.start, file, directory);
      if (added) continue;
      return MakeError(ErrorCode::kCorruption, "the commit log file " + MappedFileName(file.start) + " lies in both " +
                                                   other->second.second + " and " + directory);
    }
  }
  std::vector<FileEntry> files;
  for (const auto& [start, entry] : found) files.push_back(entry.first);
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
