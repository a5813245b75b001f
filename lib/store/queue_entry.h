// QueueEntry: what a consume queue says of one record. Spec: mq-store(5), "Consume queue".
//
//   entry, 20 bytes: i64 physical offset | i32 size of the record | i64 tags code
//   entry i of a queue lies at byte i * 20 of its file sequence
//   a pre-blank entry (offset 0, size 0x7FFFFFFF) stands for a queue offset without a record
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "store/types.h"

namespace mq::store {

inline constexpr int64_t kQueueEntryBytes = 20;
inline constexpr int32_t kPreBlankSize = 0x7FFFFFFF;

struct QueueEntry {
  PhysicalOffset physical_offset;
  int32_t bytes = 0;
  int64_t tags_code = 0;

  // Written at all (RocketMQ's test).
  bool IsValid() const { return physical_offset.value() >= 0 && bytes > 0; }
  bool IsPreBlank() const { return physical_offset.value() == 0 && bytes == kPreBlankSize; }
  bool IsRecord() const { return IsValid() && !IsPreBlank(); }
  // A damaged entry may name any position: the last there is, then.
  PhysicalOffset end() const {
    int64_t end = INT64_MAX;
    return __builtin_add_overflow(physical_offset.value(), bytes, &end) ? PhysicalOffset(INT64_MAX)
                                                                        : PhysicalOffset(end);
  }
};

inline QueueEntry LoadQueueEntry(const char* bytes) {
  return {PhysicalOffset(static_cast<int64_t>(LoadBe64(bytes))), static_cast<int32_t>(LoadBe32(bytes + 8)),
          static_cast<int64_t>(LoadBe64(bytes + 12))};
}

inline void StoreQueueEntry(char* bytes, const QueueEntry& entry) {
  StoreBe64(bytes, static_cast<uint64_t>(entry.physical_offset.value()));
  StoreBe32(bytes + 8, static_cast<uint32_t>(entry.bytes));
  StoreBe64(bytes + 12, static_cast<uint64_t>(entry.tags_code));
}

}  // namespace mq::store
