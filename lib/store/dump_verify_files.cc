#include "store/dump_verify_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strings.h"
#include "protocol/names.h"
#include "store/checkpoint.h"
#include "store/dump_index.h"

namespace mq::store {

namespace {

constexpr std::string_view kRocketmq = "rocketmq";

struct FolderCheck {
  int64_t file_bytes;        // what its files must have
  std::string_view refusal;  // what RocketMQ's broker does about anything else
};

// Everything in a folder of mapped files that is not one of them.
Status VerifyFolder(const std::string& directory, const FolderCheck& check, bool for_rocketmq, const FaultSink& sink) {
  auto names = ListDirectory(directory);
  if (!names && names.error().code == ErrorCode::kNotFound) return Ok();
  if (!names) return std::move(names).error();
  int64_t expected = -1;
  for (const std::string& name : *names) {
    const std::string path = JoinPath(directory, name);
    const auto start = ParseMappedFileName(name);
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) continue;  // gone meanwhile
    if (!start || !S_ISREG(status.st_mode)) {
      if (for_rocketmq) {
        sink({path, 0, Severity::kError, kRocketmq,
              std::string(S_ISDIR(status.st_mode) ? "a folder" : "a file of another name") +
                  " is in this place: " + std::string(check.refusal)});
      }
      continue;
    }
    if (status.st_size != check.file_bytes) {
      sink({path, status.st_size, Severity::kError, for_rocketmq ? kRocketmq : "I-1",
            "has " + std::to_string(status.st_size) + " bytes where its neighbours have " +
                std::to_string(check.file_bytes) + (for_rocketmq ? ": " + std::string(check.refusal) : "")});
    }
    if (check.file_bytes > 0 && *start % check.file_bytes != 0) {
      sink({path, 0, Severity::kError, "I-1", "its name is no multiple of the file size"});
    } else if (expected >= 0 && *start != expected) {
      sink({path, 0, Severity::kError, "I-1",
            "follows a gap: a file that starts at " + std::to_string(expected) + " is missing"});
    }
    expected = *start + check.file_bytes;
  }
  return Ok();
}

// The size that most queue files have.
Result<int64_t> QueueFileBytes(const StoreLayout& layout, const std::vector<QueueName>& queues) {
  std::map<int64_t, int> sizes;
  for (const QueueName& queue : queues) {
    MQ_ASSIGN(const std::vector<FileEntry> files, ListMappedFiles(layout.QueueDir(queue.topic, queue.queue_id)));
    for (const FileEntry& file : files) ++sizes[file.bytes];
  }
  int64_t bytes = 0;
  int most = 0;
  for (const auto& [size, count] : sizes) {
    if (count >= most && size > 0 && size % kQueueEntryBytes == 0) {
      most = count;
      bytes = size;
    }
  }
  return bytes;
}

// A queue of placeholders alone makes RocketMQ 4.9 believe that 2 GiB of log are dispatched.
Status VerifyPreBlankOnly(const StoreLayout& layout, const QueueName& name, const FaultSink& sink) {
  MQ_ASSIGN(DumpQueue queue, DumpQueue::Open(layout, name));
  MQ_ASSIGN(const int64_t end, queue.End());
  if (end == queue.first()) return Ok();
  MQ_ASSIGN(const std::optional<QueueEntry> last, queue.Entry(end - 1));
  if (!last || !last->IsPreBlank()) return Ok();
  sink({queue.PathOf(end - 1), queue.ByteOf(end - 1), Severity::kError, kRocketmq,
        "the queue holds placeholders only: RocketMQ would dispatch nothing below 2 GiB of log for any topic"});
  return Ok();
}

// A file that a start of RocketMQ reads: it, or its backup, must be JSON.
Result<json::Value> LoadConfig(const std::string& path, const FaultSink* sink) {
  auto text = ReadFile(path);
  if (!text) return std::move(text).error();
  auto value = json::Parse(*text);
  if (value && value->is_object()) return value;
  auto backup = ReadFile(path + ".bak");
  const bool backup_sound = backup && json::Parse(*backup).has_value();
  const std::string problem = value ? "is no JSON object" : value.error().what;
  if (sink != nullptr) {
    (*sink)({path, 0, backup_sound ? Severity::kWarning : Severity::kError, "config",
             problem + (backup_sound ? "; its .bak is sound and will be used" : "; there is no sound .bak either")});
  }
  return MakeError(ErrorCode::kCorruption, path + ": " + problem);
}

void VerifyOffsets(const std::string& path, const json::Value& config, const QueueVerifier& queues,
                   const FaultSink& sink) {
  const json::Value* table = config.Find("offsetTable");
  if (table == nullptr) return;
  for (const auto& [name, offsets] : table->members()) {
    const size_t at = name.find('@');
    if (at == std::string::npos) continue;
    for (const auto& [queue_id, offset] : offsets.members()) {
      const auto id = ParseInt64(queue_id);
      if (!id) continue;
      const auto range = queues.RangeOf(name.substr(0, at), static_cast<int32_t>(*id));
      // A queue without files says nothing: its messages may all have expired, or none has come yet.
      if (range.max < 0 || offset.AsInt() <= range.max) continue;
      sink({path, 0, Severity::kWarning, "offsets",
            "group " + name.substr(at + 1) + " has consumed " + name.substr(0, at) + "/" + queue_id + " up to " +
                std::to_string(offset.AsInt()) + ", beyond its end at " + std::to_string(range.max)});
    }
  }
}

void VerifyDelayOffsets(const std::string& path, const json::Value& config, const QueueVerifier& queues,
                        const FaultSink& sink) {
  const json::Value* table = config.Find("offsetTable");
  if (table == nullptr) return;
  for (const auto& [level, offset] : table->members()) {
    const auto number = ParseInt64(level);
    if (!number) continue;
    const auto range = queues.RangeOf(protocol::kScheduleTopic, static_cast<int32_t>(*number - 1));
    const int64_t min = std::max(range.min, int64_t{0});
    const int64_t max = std::max(range.max, int64_t{0});
    if (offset.AsInt() >= min && offset.AsInt() <= max) continue;
    sink({path, 0, Severity::kError, "I-15",
          "delay level " + level + " is delivered up to " + std::to_string(offset.AsInt()) +
              ", outside of its queue's " + std::to_string(min) + " to " + std::to_string(max)});
  }
}

void VerifyCheckpoint(const StoreLayout& layout, int64_t newest_time, const FaultSink& sink) {
  const std::string path = layout.Checkpoint();
  auto text = ReadFile(path);
  if (!text) return;  // none yet: nothing is known to be durable, which is always safe
  if (static_cast<int64_t>(text->size()) < 24) {
    sink({path, static_cast<int64_t>(text->size()), Severity::kWarning, "I-14", "is shorter than its three times"});
    return;
  }
  constexpr std::string_view kNames[] = {"physicMsgTimestamp", "logicsMsgTimestamp", "indexMsgTimestamp"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    const auto time = static_cast<int64_t>(LoadBe64(text->data() + i * 8));
    if (time >= 0 && time <= newest_time) continue;
    sink({path, static_cast<int64_t>(i * 8), Severity::kError, "I-14",
          std::string(kNames[i]) + " " + std::to_string(time) + " is later than the newest record, " +
              std::to_string(newest_time)});
  }
}

}  // namespace

Status VerifyNames(const VerifyOptions& options, const DumpLog& log, const FaultSink& sink) {
  const StoreLayout layout(options.root);
  const bool rocketmq = options.for_rocketmq;
  MQ_TRY(VerifyFolder(layout.CommitLogDir(), {log.file_bytes(), "RocketMQ's broker would not start"}, rocketmq, sink));
  MQ_ASSIGN(const std::vector<QueueName> queues, ListQueues(layout));
  MQ_ASSIGN(const int64_t queue_bytes, QueueFileBytes(layout, queues));
  for (const QueueName& queue : queues) {
    MQ_TRY(VerifyFolder(layout.QueueDir(queue.topic, queue.queue_id),
                        {queue_bytes, "RocketMQ's broker would not start"}, rocketmq, sink));
    if (rocketmq) MQ_TRY(VerifyPreBlankOnly(layout, queue, sink));
  }
  if (!rocketmq) return Ok();
  MQ_ASSIGN(const std::vector<IndexFileEntry> indexes, ListIndexFiles(layout));
  for (const IndexFileEntry& file : indexes) {
    const int64_t index_bytes = indexes.front().bytes;
    if (file.bytes == index_bytes) continue;
    sink({layout.IndexFile(file.name), file.bytes, Severity::kError, kRocketmq,
          "has " + std::to_string(file.bytes) + " bytes where its neighbours have " + std::to_string(index_bytes) +
              ": RocketMQ would extend it and read what is not there"});
  }
  return Ok();
}

std::vector<std::string> ConfiguredTopics(const StoreLayout& layout) {
  std::vector<std::string> topics;
  const auto config = LoadConfig(layout.ConfigDir() + "/topics.json", nullptr);
  const json::Value* table = config ? config->Find("topicConfigTable") : nullptr;
  if (table == nullptr) return topics;
  for (const auto& [name, value] : table->members()) topics.push_back(name);
  std::sort(topics.begin(), topics.end());
  return topics;
}

Status VerifyConfig(const VerifyOptions& options, const QueueVerifier& queues, bool has_records, int64_t newest_time,
                    const FaultSink& sink) {
  const StoreLayout layout(options.root);
  if (has_records) VerifyCheckpoint(layout, newest_time, sink);
  for (const std::string_view name :
       {"topics", "subscriptionGroup", "consumerOffset", "delayOffset", "consumerFilter"}) {
    const std::string path = layout.ConfigDir() + "/" + std::string(name) + ".json";
    if (!PathExists(path)) continue;
    const auto config = LoadConfig(path, &sink);
    if (!config) continue;  // said
    if (name == "consumerOffset" && options.positions == nullptr) VerifyOffsets(path, *config, queues, sink);
    if (name == "delayOffset" && options.positions == nullptr) VerifyDelayOffsets(path, *config, queues, sink);
  }
  return Ok();
}

}  // namespace mq::store
