// DumpIndex: one index file as it lies on disk (the layout is index_file.h's), for mq-storedump. Read-only and by reads
// instead of a map: a file that is cut meanwhile is an error, not a signal. Nothing in it is believed.
//
// Neither the number of slots nor of entries is in the file: they follow from its size where entries are four times
// the slots, as RocketMQ's defaults are, else from what the caller knows. Spec: mq-store(5), "Index file".
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/dump_file.h"
#include "store/index_file.h"

namespace mq::store {

class DumpIndex {
 public:
  // `slots` 0: worked out from the size. kCorruption when the size cannot be that of an index file.
  static Result<DumpIndex> Open(const std::string& path, int64_t slots);

  const std::string& path() const { return file_.path(); }
  std::string name() const;
  int64_t bytes() const { return file_.bytes(); }
  int64_t slots() const { return slots_; }
  int64_t entries() const { return entries_; }
  // The count as it is in the file: 0 where nothing was ever put.
  const IndexHeader& header() const { return header_; }
  // Reads the header anew, and what is asked for next.
  Status Refresh();
  // One past the last entry: the header's count, but never more than the file holds.
  int64_t end() const;

  Result<int32_t> Slot(int64_t slot);
  Result<IndexEntry> Entry(int64_t number);
  int64_t SlotByte(int64_t slot) const { return kIndexHeaderBytes + slot * kIndexSlotBytes; }
  int64_t EntryByte(int64_t number) const {
    return kIndexHeaderBytes + slots_ * kIndexSlotBytes + number * kIndexEntryBytes;
  }
  int64_t SlotOf(int32_t key_hash) const { return key_hash % slots_; }

 private:
  DumpFile file_;
  IndexHeader header_;
  int64_t slots_ = 0;
  int64_t entries_ = 0;
};

}  // namespace mq::store
