#include "store/entry_search.h"

#include <algorithm>
#include <optional>

#include "store/log_walk.h"
#include "store/record.h"
#include "store/tags_code.h"

namespace mq::store {

namespace {

// Looked for at once, at most: what was found is remembered one by one.
constexpr int64_t kMaxOffsets = 10000;

class Search {
 public:
  Search(const StoreOptions& options, const Positions& positions, const QueueName& name,
         const std::atomic<bool>& called_off)
      : options_(options),
        positions_(positions),
        name_(name),
        called_off_(called_off),
        files_(StoreLayout(options.root).QueueDir(name.topic, name.queue_id), options.consume_queue_file_bytes, 2),
        log_(options, &positions) {}

  Result<FoundEntries> Run(QueueOffset from, QueueOffset end) {
    FoundEntries found;
    found.from = from;
    found.to = end;
    // Loaded in this order: what lies below `end` was written before, so that all of it is dispatched when all is.
    const PhysicalOffset wrote(positions_.broker().wrote.load(std::memory_order_acquire));
    const PhysicalOffset dispatched(positions_.reputd().dispatched.load(std::memory_order_acquire));
    end = std::min(end, from + kMaxOffsets);
    PhysicalOffset upper = dispatched;
    bool bounded = false;
    for (QueueOffset at = from + 1; at < end && !bounded; ++at) {
      const auto entry = Sound(at);
      if (!entry) continue;
      bounded = true;
      upper = entry->physical_offset;
      found.to = at;
    }
    PhysicalOffset lower = LoadLogMin(positions_);
    for (QueueOffset at = from; at.value() > 0;) {
      at = at - 1;
      if (!Held(at)) break;
      if (const auto entry = Sound(at)) {
        lower = std::max(lower, entry->end());
        break;
      }
    }
    MQ_TRY(Walk(lower, upper, found));
    found.to = std::min(found.to, end);
    // Without a neighbour behind nobody knows which of the others are dispatched, unless all are.
    if (!bounded && dispatched < wrote) found.to = found.entries.empty() ? from : found.entries.rbegin()->first + 1;
    return found;
  }

 private:
  bool Held(QueueOffset at) { return files_.Get(at.value() * kQueueEntryBytes).has_value(); }

  std::optional<QueueEntry> Sound(QueueOffset at) {
    const int64_t position = at.value() * kQueueEntryBytes;
    const auto file = files_.Get(position);
    if (!file) return std::nullopt;
    const QueueEntry entry = LoadQueueEntry((*file)->data() + (position - (*file)->start()));
    if (!entry.IsRecord() || CompareEntry(log_, name_, at, entry) != EntryAgrees::kYes) return std::nullopt;
    return entry;
  }

  Status Walk(PhysicalOffset lower, PhysicalOffset upper, FoundEntries& found) {
    LogWalk walk(log_, lower);
    for (;;) {
      if (called_off_.load(std::memory_order_relaxed)) return MakeError(ErrorCode::kClosed, "the search is called off");
      MQ_ASSIGN(const protocol::MessageView* record, walk.Next(upper));
      if (record == nullptr) return Ok();
      if (record->queue_id != name_.queue_id || record->topic != name_.topic || !EntersQueue(record->sys_flag) ||
          record->queue_offset < found.from || record->queue_offset >= found.to) {
        continue;
      }
      found.entries.try_emplace(record->queue_offset, QueueEntry{record->physical_offset, record->size,
                                                                 QueueTagsCode(*record, options_.delay_levels_ms)});
    }
  }

  const StoreOptions& options_;
  const Positions& positions_;
  const QueueName& name_;
  const std::atomic<bool>& called_off_;
  MappedFileReader files_;
  LogReader log_;
};

}  // namespace

EntryAgrees CompareEntry(LogReader& log, const QueueName& name, QueueOffset offset, const QueueEntry& entry) {
  Slice slice;
  const auto record = log.ReadRecord(entry.physical_offset, &slice);
  if (!record) return EntryAgrees::kUnknown;
  if (record->size != entry.bytes) return EntryAgrees::kNo;
  const bool same = record->queue_offset == offset && record->queue_id == name.queue_id && record->topic == name.topic;
  return same || EntersManyQueues(*record) ? EntryAgrees::kYes : EntryAgrees::kNo;
}

Result<FoundEntries> SearchEntries(const StoreOptions& options, const Positions& positions, const QueueName& name,
                                   QueueOffset from, QueueOffset end, const std::atomic<bool>& called_off) {
  return Search(options, positions, name, called_off).Run(from, end);
}

}  // namespace mq::store
