// The index file: a hash table in a file, from topic and key to positions in the commit log.
//
//   header, 40 bytes: i64 begin time | i64 end time | i64 begin position | i64 end position
//                     i32 slots in use | i32 next entry number (starts at 1)
//   slots: i32 each, the newest entry of the slot (0: none)
//   entries, 20 bytes each: i32 key hash | i64 position | i32 seconds since begin time | i32 previous entry of the slot
//   entry 0 is never used                                                          (mq-store(5), "Index file")
//
// Written by mq-reputd alone (index_writer.h), read by the broker (index_reader.h). Slots and the count are stored with
// release and loaded with acquire: whoever sees an entry's number sees its bytes. A full slot chain runs from the
// newest entry to older ones, so numbers only fall along it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "protocol/message.h"
#include "protocol/properties.h"
#include "store/layout.h"
#include "store/store_options.h"

namespace mq::store {

inline constexpr int64_t kIndexHeaderBytes = 40;
inline constexpr int64_t kIndexSlotBytes = 4;
inline constexpr int64_t kIndexEntryBytes = 20;

struct IndexHeader {
  int64_t begin_timestamp = 0;
  int64_t end_timestamp = 0;
  PhysicalOffset begin;
  PhysicalOffset end;  // of the last record that was put
  int32_t slots_used = 0;
  int32_t count = 1;  // next entry number
  bool operator==(const IndexHeader&) const = default;
};

struct IndexEntry {
  int32_t hash = 0;
  PhysicalOffset position;
  int32_t seconds = 0;
  int32_t previous = 0;
};

// From the bytes of a header or an entry as they lie in the file; the count as it is there (0: nothing was ever put).
IndexHeader LoadIndexHeader(const char* bytes);
IndexEntry LoadIndexEntry(const char* bytes);

// The mapped bytes of one index file and where things lie in them. A view: the mapping is somebody else's.
class IndexView {
 public:
  IndexView() = default;
  IndexView(char* data, int32_t slots, int32_t entries) : data_(data), slots_(slots), entries_(entries) {}

  static int64_t FileBytes(int64_t slots, int64_t entries) {
    return kIndexHeaderBytes + slots * kIndexSlotBytes + entries * kIndexEntryBytes;
  }
  int64_t EntriesStart() const { return kIndexHeaderBytes + int64_t{slots_} * kIndexSlotBytes; }
  int64_t EntryStart(int32_t number) const { return EntriesStart() + int64_t{number} * kIndexEntryBytes; }
  int32_t slots() const { return slots_; }
  int32_t entries() const { return entries_; }
  int32_t SlotOf(int32_t hash) const { return hash % slots_; }

  // The count, loaded first, is at least 1.
  IndexHeader LoadHeader() const;
  // Everything but the count, which PublishCount stores after it.
  void StoreHeader(const IndexHeader& header);
  int32_t LoadCount() const { return Load(36); }
  void PublishCount(int32_t count) { Store(36, count); }
  int32_t LoadSlot(int32_t slot) const { return Load(SlotStart(slot)); }
  void StoreSlot(int32_t slot, int32_t number) { Store(SlotStart(slot), number); }
  IndexEntry LoadEntry(int32_t number) const { return LoadIndexEntry(data_ + EntryStart(number)); }
  void StoreEntry(int32_t number, const IndexEntry& entry);
  // The bytes of the entries [from, to).
  std::string_view EntryBytes(int32_t from, int32_t to) const {
    return {data_ + EntryStart(from), static_cast<size_t>(EntryStart(to) - EntryStart(from))};
  }

 private:
  static int64_t SlotStart(int32_t slot) { return kIndexHeaderBytes + int64_t{slot} * kIndexSlotBytes; }
  int32_t Load(int64_t at) const {
    const auto raw =
        std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(data_ + at)).load(std::memory_order_acquire);
    return static_cast<int32_t>(LoadBe32(reinterpret_cast<const char*>(&raw)));
  }
  void Store(int64_t at, int32_t value) {
    uint32_t raw = 0;
    StoreBe32(reinterpret_cast<char*>(&raw), static_cast<uint32_t>(value));
    std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(data_ + at)).store(raw, std::memory_order_release);
  }

  char* data_ = nullptr;
  int32_t slots_ = 0;
  int32_t entries_ = 0;
};

inline int64_t IndexFileBytes(const StoreOptions& options) {
  return IndexView::FileBytes(options.index_slots, options.index_entries);
}

// |Java's hash of topic#key|, 0 where there is no absolute value.
int32_t IndexKeyHash(std::string_view topic, std::string_view key);
// The same from the hash of "topic#" (JavaHash), for many keys of one topic.
int32_t IndexKeyHash(uint32_t topic_hash, std::string_view key);

// An entry's seconds: from the begin time of its file, as it was when the entry was put, to the record's store time.
inline int32_t IndexSeconds(int64_t begin_timestamp, int64_t store_timestamp) {
  if (begin_timestamp <= 0) return 0;
  const int64_t seconds = (store_timestamp - begin_timestamp) / 1000;
  return static_cast<int32_t>(std::clamp<int64_t>(seconds, 0, INT32_MAX));
}

// Does the record take part? Rolled-back halves do not.
inline bool EntersIndex(int32_t sys_flag) {
  return (sys_flag & protocol::sys_flag::kTransactionMask) != protocol::sys_flag::kTransactionRollback;
}

// The keys of a record in the order in which they are put: UNIQ_KEY, then each word of KEYS (repeated words too).
// `visit` returns false to stop.
template <class Visitor>
void ForEachIndexKey(std::string_view properties, Visitor visit) {
  if (const auto id = protocol::FindProperty(properties, protocol::property::kUniqKey)) {
    if (!visit(*id)) return;
  }
  const auto keys = protocol::FindProperty(properties, protocol::property::kKeys);
  if (!keys) return;
  std::string_view rest = *keys;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0 && !visit(rest.substr(0, end))) return;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

// The name of a file made at that time: 17 digits of local time, yyyyMMddHHmmssSSS; later than `last` in any case
// (a clock that steps back, two files in a millisecond). `last` may be empty.
std::string IndexFileName(int64_t now_ms, std::string_view last);
bool IsIndexFileName(std::string_view name);

struct IndexFileEntry {
  std::string name;
  int64_t bytes = 0;
};
// Index files in order of their names; other names are skipped, a missing directory is empty.
Result<std::vector<IndexFileEntry>> ListIndexFiles(const StoreLayout& layout);

}  // namespace mq::store
