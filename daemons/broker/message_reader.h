// MessageReader: finds the messages of one queue from an offset on, for the pull processor.
//
// Entries come from the queue's ring of recent appends where it covers the offset, else from the consume queue on disk;
// the bytes stay in the mapped log: a result is a list of contiguous ranges with their pins, neighbours joined. An
// offset between the end of the consume queue on disk and the start of the ring is a *gap*: mq-reputd is on its way
// there, and the caller waits; the offset is never moved. An entry of a queue file that is not that of its record is
// damaged: the caller waits in the same way while EntryFinder looks for the record. One of the ring is right, so that
// its record is: that one is left out. What is damaged is kept in DamageMet. Loop thread only. Spec: mq-store(5),
// "Reading"; store statuses 11.2.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "broker/core.h"

namespace mq::broker {

// Do not rename: the names travel in the remark of pull replies.
enum class GetMessageStatus {
  kFound,
  kNoMatchedMessage,
  kMessageWasRemoving,
  kOffsetFoundNull,
  kOffsetOverflowBadly,
  kOffsetOverflowOne,
  kOffsetTooSmall,
  kNoMatchedLogicQueue,
  kNoMessageInQueue,
  kGap,  // ours, never sent
};
std::string_view GetMessageStatusName(GetMessageStatus status);

// The tags a consumer wants, by hash. No codes: everything.
struct TagFilter {
  std::vector<int32_t> codes;
  bool Matches(int64_t tags_code) const {
    if (codes.empty()) return true;
    for (const int32_t code : codes) {
      if (code == static_cast<int32_t>(tags_code)) return true;
    }
    return false;
  }
};

struct GetMessageResult {
  GetMessageStatus status = GetMessageStatus::kNoMessageInQueue;
  store::QueueOffset next;
  store::QueueOffset min;
  store::QueueOffset max;
  int64_t bytes = 0;
  int32_t messages = 0;
  bool failed = false;  // records that are there could not be read for now
  std::vector<store::Slice> ranges;
};

class MessageReader {
 public:
  explicit MessageReader(Core& core);

  // The result is reused by the next call.
  GetMessageResult& Get(Queue& queue, store::QueueOffset offset, int32_t max_messages, const TagFilter& filter);

  // Whether a message the filter wants lies in [from, max), as far as the ring can tell; true when it cannot.
  bool MayMatch(Queue& queue, store::QueueOffset from, const TagFilter& filter) const;

 private:
  struct Limits {
    int32_t messages;
    int64_t bytes;
    int64_t scan;  // entries looked at
  };
  // What became of an entry.
  enum class Taken {
    kPassed,   // it is in the batch, or not wanted
    kFull,     // the batch is full and this entry is not consumed
    kDamaged,  // it is not that of its record
  };
  Taken Take(const store::QueueEntry& entry, const TagFilter& filter, const Limits& limits, const Queue& queue,
             store::QueueOffset offset);
  bool TakeDamaged(Queue& queue, store::QueueOffset offset, const TagFilter& filter, const Limits& limits);
  bool HasSoundBehind(const Queue& queue, store::QueueOffset offset) const;
  bool IsPlausible(const store::QueueEntry& entry, store::PhysicalOffset before) const;
  bool ScanRing(Queue& queue, const TagFilter& filter, const Limits& limits, store::QueueOffset* at);
  bool ScanFiles(Queue& queue, const TagFilter& filter, const Limits& limits, store::QueueOffset* at);
  enum class Added { kYes, kFileGone, kDamaged, kFailed };
  Added AddRange(const store::QueueEntry& entry, const Queue& queue, store::QueueOffset offset);
  void ReportDamage(const Queue& queue, store::QueueOffset offset);
  void ReportFailure(store::PhysicalOffset position, const Error& error);
  bool BatchIsFull(store::PhysicalOffset position, int32_t bytes, const Limits& limits) const;

  Core& core_;
  GetMessageResult result_;
  store::PhysicalOffset range_end_;       // of the last range in result_
  store::PhysicalOffset range_file_end_;  // end of the file it lies in
  store::PhysicalOffset oldest_;          // no entry at or behind `result_.min` lies below it, unless it is damaged
  store::PhysicalOffset skip_below_;      // records of a vanished file
  bool removed_ = false;
  log::RateLimit damage_lines_{6};
  log::RateLimit failure_lines_{6};
  int64_t memory_bytes_;  // records this far behind the end count as on disk
};

}  // namespace mq::broker
