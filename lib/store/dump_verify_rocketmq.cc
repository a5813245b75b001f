#include "store/dump_verify_rocketmq.h"

#include <algorithm>
#include <string>

#include "base/file.h"
#include "base/strings.h"
#include "store/dump_queue.h"
#include "store/dump_verify_files.h"
#include "store/index_file.h"

namespace mq::store {

namespace {

// A queue of placeholders alone makes RocketMQ 4.9 believe that 2 GiB of log are dispatched.
Status VerifyPreBlankOnly(const StoreLayout& layout, const QueueName& name, const FaultSink& sink) {
  MQ_ASSIGN(DumpQueue queue, DumpQueue::Open(layout, name));
  MQ_ASSIGN(const int64_t end, queue.End());
  if (end == queue.first()) return Ok();
  MQ_ASSIGN(const std::optional<QueueEntry> last, queue.Entry(end - 1));
  if (!last || !last->IsPreBlank()) return Ok();
  sink({queue.PathOf(end - 1), queue.ByteOf(end - 1), Severity::kError, kRocketmqRule,
        "the queue holds placeholders only: RocketMQ would dispatch nothing below 2 GiB of log for any topic"});
  return Ok();
}

// A number as Java reads one of 32 bits: a sign and leading zeros are fine.
bool IsJavaInt(std::string_view name) {
  if (name.starts_with('+')) name.remove_prefix(1);
  const auto number = ParseInt64(name);
  return number && *number >= INT32_MIN && *number <= INT32_MAX;
}

// Folders that RocketMQ takes for queues and a broker of ours does not: "-1", "+2", "007".
Status VerifyOddQueues(const StoreLayout& layout, const std::vector<QueueName>& queues, int64_t queue_bytes,
                       const FaultSink& sink) {
  MQ_ASSIGN(const std::vector<FoundFile> topics, ListFound(layout.ConsumeQueueDir()));
  for (const FoundFile& topic : topics) {
    MQ_ASSIGN(const std::vector<FoundFile> folders, ListFound(layout.TopicQueuesDir(topic.name)));
    for (const FoundFile& folder : folders) {
      if (!IsJavaInt(folder.name)) continue;
      const std::string path = JoinPath(layout.TopicQueuesDir(topic.name), folder.name);
      if (folder.kind.empty()) {
        sink({path, 0, Severity::kError, kRocketmqRule,
              "a file has the name of a queue's folder: " + std::string(kWouldNotStart)});
        continue;
      }
      const bool known = std::any_of(queues.begin(), queues.end(), [&](const QueueName& queue) {
        return queue.topic == topic.name && std::to_string(queue.queue_id) == folder.name;
      });
      if (!known) MQ_TRY(VerifyFolder({&path, 1}, queue_bytes, true, sink));
    }
  }
  return Ok();
}

// RocketMQ maps every file of index/ whose name is a number, and extends it to the size of an index file.
Status VerifyIndexNames(const StoreLayout& layout, const FaultSink& sink) {
  MQ_ASSIGN(const std::vector<FoundFile> found, ListFound(layout.IndexDir()));
  std::vector<int64_t> sizes;
  for (const FoundFile& file : found) {
    if (IsIndexFileName(file.name) && file.kind.empty()) sizes.push_back(file.bytes);
  }
  const int64_t index_bytes = UsualSize(sizes);
  for (const FoundFile& file : found) {
    if (!ParseInt64(file.name)) continue;
    const std::string path = layout.IndexFile(file.name);
    if (!file.kind.empty()) {
      sink({path, 0, Severity::kError, kRocketmqRule,
            std::string(file.kind) + " has the name of an index file: " + std::string(kWouldNotStart)});
    } else if (file.bytes != index_bytes) {
      const std::string others =
          index_bytes > 0 ? " where index files have " + std::to_string(index_bytes) : " and is no index file";
      sink({path, file.bytes, Severity::kError, kRocketmqRule,
            "has " + std::to_string(file.bytes) + " bytes" + others +
                ": RocketMQ would extend it and read what is not there"});
    }
  }
  return Ok();
}

}  // namespace

Status VerifyForRocketmq(const StoreLayout& layout, const std::vector<QueueName>& queues, int64_t queue_bytes,
                         const FaultSink& sink) {
  for (const QueueName& queue : queues) MQ_TRY(VerifyPreBlankOnly(layout, queue, sink));
  MQ_TRY(VerifyOddQueues(layout, queues, queue_bytes, sink));
  return VerifyIndexNames(layout, sink);
}

}  // namespace mq::store
