// DumpIndex: one index file as it lies on disk, for mq-storedump. Read-only, nothing is believed.
//
//   header 40: i64 begin time | i64 end time | i64 begin offset | i64 end offset | i32 slots in use | i32 count
//   slots    : i32 each, the newest entry of the slot, 0 = none
//   entries  : i32 key hash | i64 physical offset | i32 seconds since begin time | i32 previous entry; 20 each, the
//              first is number 1
//
// Neither the number of slots nor of entries is in the file: they follow from its size where entries are four times
// the slots, as RocketMQ's defaults are, else from what the caller knows. Spec: mq-store(5), "Index file".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/dump_file.h"
#include "store/layout.h"

namespace mq::store {

struct DumpIndexHeader {
  int64_t begin_timestamp = 0;
  int64_t end_timestamp = 0;
  int64_t begin_physical_offset = 0;
  int64_t end_physical_offset = 0;
  int32_t slots_used = 0;
  int32_t count = 0;  // number of the next free entry; 0 in a file nothing was put into
};

struct DumpIndexEntry {
  int32_t key_hash = 0;
  int64_t physical_offset = 0;
  int32_t seconds = 0;
  int32_t previous = 0;
};

class DumpIndex {
 public:
  static constexpr int64_t kHeaderBytes = 40;
  static constexpr int64_t kSlotBytes = 4;
  static constexpr int64_t kEntryBytes = 20;

  // `slots` 0: worked out from the size. kCorruption when the size cannot be that of an index file.
  static Result<DumpIndex> Open(const std::string& path, int64_t slots);

  const std::string& path() const { return file_.path(); }
  std::string name() const;
  int64_t bytes() const { return file_.bytes(); }
  int64_t slots() const { return slots_; }
  int64_t entries() const { return entries_; }
  const DumpIndexHeader& header() const { return header_; }
  // One past the last entry: the header's count, but never more than the file holds.
  int64_t end() const;

  Result<int32_t> Slot(int64_t slot);
  Result<DumpIndexEntry> Entry(int64_t number);
  int64_t SlotByte(int64_t slot) const { return kHeaderBytes + slot * kSlotBytes; }
  int64_t EntryByte(int64_t number) const { return kHeaderBytes + slots_ * kSlotBytes + number * kEntryBytes; }
  int64_t SlotOf(int32_t key_hash) const { return key_hash % slots_; }

 private:
  DumpFile file_;
  DumpIndexHeader header_;
  int64_t slots_ = 0;
  int64_t entries_ = 0;
};

// The keys a record with these properties is filed under, in order.
std::vector<std::string_view> IndexKeysOf(std::string_view properties);
// The index files of a store by name, which is by age; other names are not index files.
Result<std::vector<std::string>> ListIndexPaths(const StoreLayout& layout);

}  // namespace mq::store
