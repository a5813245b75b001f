// ConsumeQueueReader: the broker's (and the tools') read access to the consume queues.
//
// Entries are written by mq-reputd (queue_writer.h) and read by the pull processor for everything older
// than the ring of recent appends. An entry counts only when its record ends at or below `dispatched`:
// bytes behind that may be left from before a crash. Nothing here writes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/positions.h"
#include "store/queue_entry.h"
#include "store/store_options.h"

namespace mq::store {

// Contiguous entries of one file.
struct QueueSpan {
  QueueOffset first;
  int64_t count = 0;
  const char* data = nullptr;
  FilePin pin;

  QueueEntry operator[](int64_t i) const { return LoadQueueEntry(data + i * kQueueEntryBytes); }
};

enum class TimeBoundary {
  kNearest,  // RocketMQ 4.9: the nearer neighbour, past the end the last message
  kLower,    // first message with store time >= t; past the end the maximum offset
  kUpper,    // last message with store time <= t; before the first the minimum offset
};

class ConsumeQueueReader {
 public:
  // `positions` may be null for a store without a broker: every entry below `end` counts.
  ConsumeQueueReader(const StoreOptions& options, const Positions* positions, PhysicalOffset end = PhysicalOffset(0));

  // Up to `max_count` visible entries from `offset` on, all of one file. Empty (count 0) when none is
  // there: not written yet, not dispatched yet, or its file is gone. An error is an operating error.
  // Pre-blank entries are included; the caller skips them.
  Result<QueueSpan> Read(std::string_view topic, int32_t queue_id, QueueOffset offset, int64_t max_count);

  // Entries as they lie in the file of `offset`, whether they make sense or not; none where there is no file.
  QueueSpan ReadWritten(std::string_view topic, int32_t queue_id, QueueOffset offset, int64_t max_count);

  // Smallest offset whose record is still in the log (first_record.h); the end of the queue when all its records have
  // expired. Nothing while no file says it: there is none, or mq-reputd has not looked at them yet.
  Result<std::optional<QueueOffset>> MinOffset(std::string_view topic, int32_t queue_id);
  // The same for a minimum of the caller's, always looked up.
  Result<std::optional<QueueOffset>> FirstFrom(std::string_view topic, int32_t queue_id, PhysicalOffset min);
  // One past the last visible entry.
  Result<QueueOffset> MaxOffset(std::string_view topic, int32_t queue_id);

  // Searches by store time among the visible entries below `max` (the broker's table, limited to what
  // may be read); reads the log for the times.
  Result<QueueOffset> OffsetByTime(std::string_view topic, int32_t queue_id, int64_t timestamp_ms,
                                   TimeBoundary boundary, QueueOffset max, LogReader& log);

  // A deleted topic's queues must not be served from old mappings: call it when `tombstones_applied` has
  // caught up, before the topic can be made again.
  void ForgetTopic(std::string_view topic);
  // Queue files were trimmed: nothing stays mapped; what is still there is mapped again on demand.
  void ForgetAll() { queues_.clear(); }

 private:
  struct Queue {
    MappedFileReader files;
    // Remembered while the log's minimum stays the same.
    std::optional<QueueOffset> min;
    PhysicalOffset min_for{-1};
    explicit Queue(MappedFileReader reader) : files(std::move(reader)) {}
  };
  // Nothing without files; `is_record`: it is that of a record, not the end.
  Result<std::optional<QueueOffset>> Search(std::string_view topic, int32_t queue_id, PhysicalOffset min,
                                            bool* is_record);
  Queue& QueueOf(std::string_view topic, int32_t queue_id);
  PhysicalOffset visible_end() const;
  // Before mq-reputd has checked the files they may still be removed: none is mapped.
  bool checked() const;
  PhysicalOffset log_min() const;
  int64_t entries_per_file() const { return options_.consume_queue_file_bytes / kQueueEntryBytes; }

  StoreOptions options_;
  StoreLayout layout_;
  const Positions* positions_;
  PhysicalOffset end_;
  std::unordered_map<std::string, Queue> queues_;
  std::string key_;  // reused
};

}  // namespace mq::store
