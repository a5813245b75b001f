#include "store/dump_queue.h"

#include <algorithm>

#include "base/file.h"
#include "store/dump_file.h"

namespace mq::store {

namespace {

// 204 entries: small, because a store may have tens of thousands of queues.
constexpr int64_t kBlockBytes = 4080;
static_assert(kBlockBytes % kQueueEntryBytes == 0);

}  // namespace

Result<DumpQueue> DumpQueue::Open(const StoreLayout& layout, const QueueName& name) {
  DumpQueue queue;
  queue.name_ = name;
  // A topic of a record of a damaged store may be no name of a folder.
  if (!IsSafeTopicDirectory(name.topic)) return queue;
  queue.directory_ = layout.QueueDir(name.topic, name.queue_id);
  MQ_TRY(queue.Refresh());
  return queue;
}

Status DumpQueue::Refresh() {
  block_.clear();
  if (directory_.empty()) return Ok();
  MQ_ASSIGN(files_, ListDumpFiles(directory_));
  return Ok();
}

const FileEntry* DumpQueue::FileOf(int64_t byte) const {
  const auto next = std::upper_bound(files_.begin(), files_.end(), byte,
                                     [](int64_t value, const FileEntry& file) { return value < file.start; });
  if (next == files_.begin()) return nullptr;
  const FileEntry& file = *(next - 1);
  return byte + kQueueEntryBytes <= file.start + file.bytes ? &file : nullptr;
}

Status DumpQueue::Fill(const FileEntry& file, int64_t byte) {
  block_.clear();
  auto opened = DumpFile::Open(JoinPath(directory_, MappedFileName(file.start)), kBlockBytes);
  if (!opened && opened.error().code == ErrorCode::kNotFound) return Ok();  // trimmed meanwhile
  if (!opened) return std::move(opened).error();
  const int64_t at = byte - file.start;
  // An entry of a queue that is being destroyed may be gone, which is no more than an entry that is not there.
  if (at + kQueueEntryBytes > opened->bytes()) {
    return MakeError(ErrorCode::kCorruption, opened->path() + ": the file was cut to " +
                                                 std::to_string(opened->bytes()) + " bytes while it was read");
  }
  MQ_ASSIGN(const std::string_view bytes, opened->Read(at, std::min(kBlockBytes, opened->bytes() - at)));
  block_ = bytes;
  block_start_ = byte;
  return Ok();
}

Result<std::optional<QueueEntry>> DumpQueue::Entry(int64_t index) {
  const int64_t byte = index * kQueueEntryBytes;
  const bool held =
      byte >= block_start_ && byte + kQueueEntryBytes <= block_start_ + static_cast<int64_t>(block_.size());
  if (!held) {
    const FileEntry* file = FileOf(byte);
    if (file == nullptr) return std::optional<QueueEntry>();
    MQ_TRY(Fill(*file, byte));
    if (block_.empty()) return std::optional<QueueEntry>();
  }
  return std::optional<QueueEntry>(LoadQueueEntry(block_.data() + (byte - block_start_)));
}

// Within a file entries are written in order, so the last valid one of the last file that has any ends the queue.
Result<int64_t> DumpQueue::End() {
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    int64_t end = -1;
    const int64_t first = file->start / kQueueEntryBytes;
    for (int64_t index = first; index < first + file->bytes / kQueueEntryBytes; ++index) {
      MQ_ASSIGN(const std::optional<QueueEntry> entry, Entry(index));
      if (!entry) break;
      if (entry->IsValid()) end = index + 1;
    }
    if (end >= 0) return end;
  }
  return first();
}

std::string DumpQueue::PathOf(int64_t index) const {
  const FileEntry* file = FileOf(index * kQueueEntryBytes);
  return file == nullptr ? directory_ : JoinPath(directory_, MappedFileName(file->start));
}

int64_t DumpQueue::ByteOf(int64_t index) const {
  const FileEntry* file = FileOf(index * kQueueEntryBytes);
  return file == nullptr ? 0 : index * kQueueEntryBytes - file->start;
}

}  // namespace mq::store
