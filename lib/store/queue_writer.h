// QueueWriters: the one writer of the consume queues; owned by reput in mq-reputd.
//
// Entries are addressed by queue offset, so writing the same record twice gives the same bytes: replay
// after any kill is harmless. Gaps in numbering are filled with pre-blank entries, so that entry i always
// belongs to queue offset i. Files are made at full size; blocks are allocated before they are written
// through the map. *Durable* only after Sync.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/consume_queue.h"
#include "store/dispatched_marker.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/store_options.h"

namespace mq::store {

class QueueWriter {
 public:
  QueueWriter(const StoreOptions& options, std::string directory, MarkedQueue start, bool has_files);

  // Writes the entry at `offset`; below the end: already built, nothing changes; above it: the gap is
  // filled first and counted in `gaps`.
  Status Put(QueueOffset offset, const QueueEntry& entry, uint64_t* gaps);
  // Durable up to the present end.
  Status Sync();
  bool dirty() const { return dirty_from_ < end_bytes(); }
  int64_t dirty_bytes() const { return end_bytes() - dirty_from_; }
  MarkedQueue marked() const { return {first_, end_}; }
  // The files below `min` may be gone.
  void set_first(int64_t first) { first_ = first; }
  const std::string& directory() const { return directory_; }

 private:
  int64_t end_bytes() const { return end_.value() * kQueueEntryBytes; }
  Status OpenFileFor(int64_t position);
  Status WriteEntry(int64_t position, const QueueEntry& entry);
  Status AllocateAhead(int64_t position_in_file);

  const StoreOptions& options_;
  std::string directory_;
  std::unique_ptr<MappedFile> file_;
  int64_t allocated_in_file_ = 0;
  int64_t first_ = 0;
  QueueOffset end_;
  int64_t dirty_from_ = 0;
  bool has_files_ = false;
  bool new_files_ = false;
};

class QueueWriters {
 public:
  explicit QueueWriters(const StoreOptions& options);

  // Takes over the queues of a believed marker; without one the table starts empty.
  void Start(const std::map<QueueName, MarkedQueue>& queues);
  Result<QueueWriter*> GetOrCreate(std::string_view topic, int32_t queue_id);
  // Removes all files of a topic and forgets its queues.
  Status RemoveTopic(std::string_view topic);
  // Unlinks files whose records are all below `log_min`, never the last file of a queue.
  Status Trim(PhysicalOffset log_min);

  // Syncs queues with at least `least_pages` dirty pages; 0 = all dirty ones.
  Status Sync(int32_t least_pages);
  std::map<QueueName, MarkedQueue> Marked() const;
  uint64_t gaps() const { return gaps_; }
  uint64_t* gaps_counter() { return &gaps_; }

 private:
  struct Key {
    std::string_view topic;
    int32_t queue_id;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const noexcept {
      return std::hash<std::string_view>()(key.topic) ^ (static_cast<size_t>(key.queue_id) * 0x9E3779B97F4A7C15u);
    }
  };
  struct Slot {
    std::string topic;
    QueueWriter writer;
  };
  StoreOptions options_;
  StoreLayout layout_;
  std::unordered_map<Key, std::unique_ptr<Slot>, KeyHash> queues_;
  uint64_t gaps_ = 0;
};

}  // namespace mq::store
