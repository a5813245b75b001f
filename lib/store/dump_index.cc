#include "store/dump_index.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/bytes.h"
#include "base/file.h"
#include "base/java_hash.h"
#include "base/strings.h"
#include "protocol/properties.h"

namespace mq::store {

namespace {

// RocketMQ's defaults are 5,000,000 slots and 20,000,000 entries, and small files keep to that ratio.
constexpr int64_t kUsualEntriesPerSlot = 4;

DumpIndexHeader LoadHeader(const char* bytes) {
  DumpIndexHeader header;
  header.begin_timestamp = static_cast<int64_t>(LoadBe64(bytes));
  header.end_timestamp = static_cast<int64_t>(LoadBe64(bytes + 8));
  header.begin_physical_offset = static_cast<int64_t>(LoadBe64(bytes + 16));
  header.end_physical_offset = static_cast<int64_t>(LoadBe64(bytes + 24));
  header.slots_used = static_cast<int32_t>(LoadBe32(bytes + 32));
  header.count = static_cast<int32_t>(LoadBe32(bytes + 36));
  return header;
}

}  // namespace

Result<DumpIndex> DumpIndex::Open(const std::string& path, int64_t slots) {
  DumpIndex index;
  MQ_ASSIGN(index.file_, DumpFile::Open(path, 64 * 1024));
  const int64_t room = index.file_.bytes() - kHeaderBytes;
  constexpr int64_t kUnit = kSlotBytes + kUsualEntriesPerSlot * kEntryBytes;
  if (slots == 0 && room > 0 && room % kUnit == 0) slots = room / kUnit;
  const int64_t left = room - slots * kSlotBytes;
  if (slots <= 0 || left < kEntryBytes || left % kEntryBytes != 0) {
    return MakeError(ErrorCode::kCorruption, path + ": " + std::to_string(index.file_.bytes()) +
                                                 " bytes are not the size of an index file" +
                                                 (slots > 0 ? " of " + std::to_string(slots) + " slots" : ""))
        .WithHint("files made with other numbers than 1 slot for 4 entries need --index-slots");
  }
  index.slots_ = slots;
  index.entries_ = left / kEntryBytes;
  MQ_ASSIGN(const std::string_view bytes, index.file_.Read(0, kHeaderBytes));
  index.header_ = LoadHeader(bytes.data());
  return index;
}

std::string DumpIndex::name() const { return path().substr(path().rfind('/') + 1); }

int64_t DumpIndex::end() const { return std::clamp<int64_t>(header_.count, 1, entries_); }

Result<int32_t> DumpIndex::Slot(int64_t slot) {
  MQ_ASSIGN(const std::string_view bytes, file_.Read(SlotByte(slot), kSlotBytes));
  return static_cast<int32_t>(LoadBe32(bytes.data()));
}

Result<DumpIndexEntry> DumpIndex::Entry(int64_t number) {
  MQ_ASSIGN(const std::string_view bytes, file_.Read(EntryByte(number), kEntryBytes));
  DumpIndexEntry entry;
  entry.key_hash = static_cast<int32_t>(LoadBe32(bytes.data()));
  entry.physical_offset = static_cast<int64_t>(LoadBe64(bytes.data() + 4));
  entry.seconds = static_cast<int32_t>(LoadBe32(bytes.data() + 12));
  entry.previous = static_cast<int32_t>(LoadBe32(bytes.data() + 16));
  return entry;
}

std::vector<std::string_view> IndexKeysOf(std::string_view properties) {
  std::vector<std::string_view> keys;
  if (const auto id = protocol::FindProperty(properties, protocol::property::kUniqKey)) keys.push_back(*id);
  if (const auto list = protocol::FindProperty(properties, protocol::property::kKeys)) {
    for (const std::string_view key : SplitAny(*list, " ")) keys.push_back(key);
  }
  return keys;
}

Result<std::vector<std::string>> ListIndexPaths(const StoreLayout& layout) {
  std::vector<std::string> files;
  const std::string directory = layout.root() + "/index";
  auto names = ListDirectory(directory);
  if (!names && names.error().code == ErrorCode::kNotFound) return files;
  if (!names) return std::move(names).error();
  for (const std::string& name : *names) {
    if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos) {
      files.push_back(JoinPath(directory, name));
    }
  }
  return files;
}

}  // namespace mq::store
