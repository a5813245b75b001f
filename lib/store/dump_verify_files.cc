#include "store/dump_verify_files.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "store/dump_queue.h"
#include "store/dump_verify_rocketmq.h"

namespace mq::store {

namespace {

// The size that most queue files have.
Result<int64_t> QueueFileBytes(const StoreLayout& layout, const std::vector<QueueName>& queues) {
  std::vector<int64_t> sizes;
  for (const QueueName& queue : queues) {
    MQ_ASSIGN(const std::vector<FileEntry> files, ListDumpFiles(layout.QueueDir(queue.topic, queue.queue_id)));
    for (const FileEntry& file : files) {
      if (file.bytes % kQueueEntryBytes == 0) sizes.push_back(file.bytes);
    }
  }
  return UsualSize(sizes);
}

}  // namespace

Status VerifyFolder(std::span<const std::string> directories, int64_t file_bytes, bool for_rocketmq,
                    const FaultSink& sink) {
  std::vector<std::pair<FoundFile, std::string>> all;
  for (const std::string& directory : directories) {
    MQ_ASSIGN(std::vector<FoundFile> found, ListFound(directory));
    for (FoundFile& file : found) all.emplace_back(std::move(file), directory);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first.name < b.first.name; });
  int64_t expected = -1;
  for (const auto& [file, directory] : all) {
    const std::string path = JoinPath(directory, file.name);
    const auto start = ParseMappedFileName(file.name);
    if (!start) {
      if (for_rocketmq) {
        sink({path, 0, Severity::kError, kRocketmqRule,
              (file.kind.empty() ? "a file of another name" : std::string(file.kind)) +
                  " is in this place: " + std::string(kWouldNotStart)});
      }
      continue;
    }
    if (!file.kind.empty()) {
      sink({path, 0, Severity::kError, "I-1", std::string(file.kind) + " has the name of a file of this folder"});
    } else if (file_bytes == 0 && file.bytes == 0) {
      sink({path, 0, Severity::kError, "I-1", "is empty"});
    } else if (file_bytes > 0 && file.bytes != file_bytes) {
      sink({path, file.bytes, Severity::kError, for_rocketmq ? kRocketmqRule : "I-1",
            "has " + std::to_string(file.bytes) + " bytes where its neighbours have " + std::to_string(file_bytes) +
                (for_rocketmq ? ": " + std::string(kWouldNotStart) : "")});
    }
    // Of a live store: the first file of all came after the sizes were looked at.
    if (file_bytes == 0) continue;
    if (*start % file_bytes != 0) {
      sink({path, 0, Severity::kError, "I-1", "its name is no multiple of the file size"});
    } else if (expected >= 0 && *start < expected) {
      sink({path, 0, Severity::kError, "I-1", "lies in two folders of the log"});
    } else if (expected >= 0 && *start != expected) {
      sink({path, 0, Severity::kError, "I-1",
            "follows a gap: a file that starts at " + std::to_string(expected) + " is missing"});
    }
    expected = *start + file_bytes;
  }
  return Ok();
}

Status VerifyNames(const VerifyOptions& options, const DumpLog& log, const FaultSink& sink) {
  const StoreLayout layout(options.root, options.log_paths);
  MQ_TRY(VerifyFolder(layout.CommitLogDirs(), log.file_bytes(), options.for_rocketmq, sink));
  MQ_ASSIGN(const std::vector<QueueName> queues, ListQueues(layout));
  MQ_ASSIGN(const int64_t queue_bytes, QueueFileBytes(layout, queues));
  for (const QueueName& queue : queues) {
    const std::string directory = layout.QueueDir(queue.topic, queue.queue_id);
    MQ_TRY(VerifyFolder({&directory, 1}, queue_bytes, options.for_rocketmq, sink));
  }
  return options.for_rocketmq ? VerifyForRocketmq(layout, queues, queue_bytes, sink) : Ok();
}

}  // namespace mq::store
