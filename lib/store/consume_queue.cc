#include "store/consume_queue.h"

#include <algorithm>

#include "store/first_record.h"

namespace mq::store {

namespace {

// Per queue: the file being read and the one before it.
constexpr size_t kMappedFilesPerQueue = 2;
// Queues kept mapped at once; beyond it everything is forgotten and mapped again on demand.
constexpr size_t kMappedQueues = 4096;

}  // namespace

ConsumeQueueReader::ConsumeQueueReader(const StoreOptions& options, const Positions* positions, PhysicalOffset end)
    : options_(options), layout_(options.root), positions_(positions), end_(end) {}

ConsumeQueueReader::Queue& ConsumeQueueReader::QueueOf(std::string_view topic, int32_t queue_id) {
  key_.assign(topic).append("/").append(std::to_string(queue_id));
  auto it = queues_.find(key_);
  if (it != queues_.end()) return it->second;
  if (queues_.size() >= kMappedQueues) queues_.clear();
  MappedFileReader files(layout_.QueueDir(topic, queue_id), options_.consume_queue_file_bytes, kMappedFilesPerQueue);
  return queues_.emplace(key_, Queue(std::move(files))).first->second;
}

PhysicalOffset ConsumeQueueReader::visible_end() const {
  if (positions_ == nullptr) return end_;
  return PhysicalOffset(positions_->reputd().dispatched.load(std::memory_order_acquire));
}

bool ConsumeQueueReader::checked() const {
  return positions_ == nullptr || positions_->reputd().queues_checked.load(std::memory_order_acquire) != 0;
}

PhysicalOffset ConsumeQueueReader::log_min() const {
  return positions_ == nullptr ? PhysicalOffset(0) : LoadLogMin(*positions_);
}

namespace {

// How many of the `count` entries at `data` are visible: they come first, because positions grow. A pre-blank entry
// names none, so it is as visible as the nearest record in front of it.
int64_t CountVisible(const char* data, int64_t count, PhysicalOffset visible_end) {
  auto visible = [&](int64_t i) {
    QueueEntry entry = LoadQueueEntry(data + i * kQueueEntryBytes);
    while (entry.IsPreBlank() && i > 0) entry = LoadQueueEntry(data + --i * kQueueEntryBytes);
    return entry.IsPreBlank() || (entry.IsValid() && entry.end() <= visible_end);
  };
  if (count > 0 && visible(count - 1)) return count;
  int64_t low = 0;
  int64_t high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (visible(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

Result<QueueSpan> ConsumeQueueReader::Read(std::string_view topic, int32_t queue_id, QueueOffset offset,
                                           int64_t max_count) {
  QueueSpan span;
  span.first = offset;
  if (offset.value() < 0 || max_count <= 0 || !checked()) return span;
  const PhysicalOffset visible = visible_end();
  const int64_t position = offset.value() * kQueueEntryBytes;
  auto file = QueueOf(topic, queue_id).files.Get(position);
  if (!file) {
    if (file.error().code == ErrorCode::kNotFound) return span;
    return std::move(file).error();
  }
  const int64_t left = ((*file)->end() - position) / kQueueEntryBytes;
  span.data = (*file)->data() + (position - (*file)->start());
  span.count = CountVisible(span.data, std::min(left, max_count), visible);
  span.pin = std::move(*file);
  return span;
}

QueueSpan ConsumeQueueReader::ReadWritten(std::string_view topic, int32_t queue_id, QueueOffset offset,
                                          int64_t max_count) {
  QueueSpan span;
  span.first = offset;
  if (offset.value() < 0 || !checked()) return span;
  const int64_t position = offset.value() * kQueueEntryBytes;
  auto file = QueueOf(topic, queue_id).files.Get(position);
  if (!file) return span;
  span.count = std::min(((*file)->end() - position) / kQueueEntryBytes, max_count);
  span.data = (*file)->data() + (position - (*file)->start());
  span.pin = std::move(*file);
  return span;
}

Result<QueueOffset> ConsumeQueueReader::MaxOffset(std::string_view topic, int32_t queue_id) {
  MQ_ASSIGN(auto files, ListMappedFiles(layout_.QueueDir(topic, queue_id)));
  // A power cut may leave a file its name and not its size. Without positions nobody has removed it yet.
  if (positions_ == nullptr) std::erase_if(files, [](const FileEntry& file) { return file.bytes == 0; });
  for (auto it = files.rbegin(); it != files.rend(); ++it) {
    const QueueOffset first(it->start / kQueueEntryBytes);
    MQ_ASSIGN(QueueSpan span, Read(topic, queue_id, first, entries_per_file()));
    if (span.count > 0) return first + span.count;
  }
  return files.empty() ? QueueOffset(0) : QueueOffset(files.front().start / kQueueEntryBytes);
}

Result<std::optional<QueueOffset>> ConsumeQueueReader::MinOffset(std::string_view topic, int32_t queue_id) {
  const PhysicalOffset min = log_min();
  {
    const Queue& queue = QueueOf(topic, queue_id);
    if (queue.min && queue.min_for == min) return queue.min;
  }
  if (!checked()) return std::optional<QueueOffset>();
  bool is_record = false;
  MQ_ASSIGN(const auto first, Search(topic, queue_id, min, &is_record));
  if (is_record) {
    Queue& queue = QueueOf(topic, queue_id);
    queue.min = first;
    queue.min_for = min;
  }
  return first;
}

Result<std::optional<QueueOffset>> ConsumeQueueReader::FirstFrom(std::string_view topic, int32_t queue_id,
                                                                 PhysicalOffset min) {
  bool is_record = false;
  return Search(topic, queue_id, min, &is_record);
}

Result<std::optional<QueueOffset>> ConsumeQueueReader::Search(std::string_view topic, int32_t queue_id,
                                                              PhysicalOffset min, bool* is_record) {
  const std::string directory = layout_.QueueDir(topic, queue_id);
  MQ_ASSIGN(auto files, ListMappedFiles(directory));
  // A file that is trimmed under the search would look like the end of the queue: then it is searched again.
  for (;;) {
    if (files.empty()) return std::optional<QueueOffset>();
    const int64_t first_file = files.front().start;
    MQ_ASSIGN(QueueOffset end, MaxOffset(topic, queue_id));
    FirstRecord search(QueueOf(topic, queue_id).files, min);
    MQ_ASSIGN(const QueueOffset first, search.Find(QueueOffset(first_file / kQueueEntryBytes), end));
    MQ_ASSIGN(files, ListMappedFiles(directory));
    if (!files.empty() && files.front().start != first_file) continue;
    *is_record = first < end;
    return std::optional(first);
  }
}

void ConsumeQueueReader::ForgetTopic(std::string_view topic) {
  std::erase_if(queues_, [topic](const auto& entry) {
    const std::string& key = entry.first;
    const size_t slash = key.rfind('/');
    return std::string_view(key).substr(0, slash) == topic;
  });
}

namespace {

// Store time of the record at `offset`, or of the next one behind a gap; nothing when there is none.
class QueueTimes {
 public:
  QueueTimes(ConsumeQueueReader& queues, LogReader& log, std::string_view topic, int32_t queue_id, QueueOffset end)
      : queues_(queues), log_(log), topic_(topic), queue_id_(queue_id), end_(end) {}

  Result<std::optional<int64_t>> At(QueueOffset offset) {
    for (; offset < end_; ++offset) {
      MQ_ASSIGN(QueueSpan span, queues_.Read(topic_, queue_id_, offset, 1));
      if (span.count == 0) return std::optional<int64_t>();
      if (!span[0].IsRecord()) continue;
      auto time = log_.StoreTimestamp(span[0].physical_offset);
      if (time) return std::optional<int64_t>(*time);
      // Of an entry that is damaged, too: the next one will do.
      if (time.error().code == ErrorCode::kIo) return std::move(time).error();
    }
    return std::optional<int64_t>();
  }

  // First offset in [low, end) whose time is >= t (or > t).
  Result<QueueOffset> First(QueueOffset low, int64_t timestamp_ms, bool after) {
    QueueOffset high = end_;
    while (low < high) {
      const QueueOffset middle = low + (high - low) / 2;
      MQ_ASSIGN(std::optional<int64_t> time, At(middle));
      const bool reached = !time || (after ? *time > timestamp_ms : *time >= timestamp_ms);
      if (reached) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  ConsumeQueueReader& queues_;
  LogReader& log_;
  std::string_view topic_;
  int32_t queue_id_;
  QueueOffset end_;
};

}  // namespace

Result<QueueOffset> ConsumeQueueReader::OffsetByTime(std::string_view topic, int32_t queue_id, int64_t timestamp_ms,
                                                     TimeBoundary boundary, QueueOffset max, LogReader& log) {
  MQ_ASSIGN(const auto known_min, MinOffset(topic, queue_id));
  const QueueOffset min = known_min.value_or(QueueOffset(0));
  MQ_ASSIGN(QueueOffset visible, MaxOffset(topic, queue_id));
  const QueueOffset end = std::min(max, visible);
  if (min >= end) return boundary == TimeBoundary::kNearest ? min : std::max(min, end);
  QueueTimes times(*this, log, topic, queue_id, end);
  MQ_ASSIGN(QueueOffset at_or_after, times.First(min, timestamp_ms, false));
  if (boundary == TimeBoundary::kLower) return at_or_after;
  if (boundary == TimeBoundary::kUpper) {
    MQ_ASSIGN(QueueOffset after, times.First(min, timestamp_ms, true));
    return after > min ? after - 1 : min;
  }
  if (at_or_after == min) return min;
  if (at_or_after == end) return end - 1;
  MQ_ASSIGN(std::optional<int64_t> right, times.At(at_or_after));
  MQ_ASSIGN(std::optional<int64_t> left, times.At(at_or_after - 1));
  if (!right || !left) return at_or_after;
  if (*right == timestamp_ms) return at_or_after;
  return timestamp_ms - *left <= *right - timestamp_ms ? at_or_after - 1 : at_or_after;
}

}  // namespace mq::store
