#include "store/dump_index.h"

#include <algorithm>

#include "base/bytes.h"

namespace mq::store {

namespace {

// RocketMQ's defaults are 5,000,000 slots and 20,000,000 entries, and small files keep to that ratio.
constexpr int64_t kUsualEntriesPerSlot = 4;

}  // namespace

Result<DumpIndex> DumpIndex::Open(const std::string& path, int64_t slots) {
  DumpIndex index;
  MQ_ASSIGN(index.file_, DumpFile::Open(path, 64 * 1024));
  const int64_t room = index.file_.bytes() - kIndexHeaderBytes;
  constexpr int64_t kUnit = kIndexSlotBytes + kUsualEntriesPerSlot * kIndexEntryBytes;
  if (slots == 0 && room > 0 && room % kUnit == 0) slots = room / kUnit;
  const int64_t left = room - slots * kIndexSlotBytes;
  if (slots <= 0 || left < kIndexEntryBytes || left % kIndexEntryBytes != 0) {
    return MakeError(ErrorCode::kCorruption, path + ": " + std::to_string(index.file_.bytes()) +
                                                 " bytes are not the size of an index file" +
                                                 (slots > 0 ? " of " + std::to_string(slots) + " slots" : ""))
        .WithHint("files made with other numbers than 1 slot for 4 entries need --index-slots");
  }
  index.slots_ = slots;
  index.entries_ = left / kIndexEntryBytes;
  MQ_TRY(index.Refresh());
  return index;
}

Status DumpIndex::Refresh() {
  file_.Forget();
  MQ_ASSIGN(const std::string_view bytes, file_.Read(0, kIndexHeaderBytes));
  header_ = LoadIndexHeader(bytes.data());
  return Ok();
}

std::string DumpIndex::name() const { return path().substr(path().rfind('/') + 1); }

int64_t DumpIndex::end() const { return std::clamp<int64_t>(header_.count, 1, entries_); }

Result<int32_t> DumpIndex::Slot(int64_t slot) {
  MQ_ASSIGN(const std::string_view bytes, file_.Read(SlotByte(slot), kIndexSlotBytes));
  return static_cast<int32_t>(LoadBe32(bytes.data()));
}

Result<IndexEntry> DumpIndex::Entry(int64_t number) {
  MQ_ASSIGN(const std::string_view bytes, file_.Read(EntryByte(number), kIndexEntryBytes));
  return LoadIndexEntry(bytes.data());
}

}  // namespace mq::store
