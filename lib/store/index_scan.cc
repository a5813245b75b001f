#include "store/index_scan.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "store/record.h"

namespace mq::store {

IndexScan::IndexScan(MappedFile file, const StoreOptions& options)
    : file_(std::move(file)),
      view_(file_.mutable_data(), options.index_slots, options.index_entries),
      header_(view_.LoadHeader()) {}

Result<IndexScan> IndexScan::Open(const StoreOptions& options, const std::string& path) {
  MQ_ASSIGN(MappedFile file, MappedFile::OpenReadWrite(path, 0, IndexFileBytes(options)));
  return IndexScan(std::move(file), options);
}

int32_t IndexScan::SoundCount(int32_t count, PhysicalOffset log_end) {
  count = std::clamp(count, 1, view_.entries());
  slots_.assign(static_cast<size_t>(view_.slots()), 0);
  slots_used_ = 0;
  PhysicalOffset last(0);
  for (int32_t number = 1; number < count; ++number) {
    const IndexEntry entry = view_.LoadEntry(number);
    if (entry.hash < 0 || entry.position < last || entry.position >= log_end || entry.seconds < 0) return number;
    int32_t& slot = slots_[static_cast<size_t>(view_.SlotOf(entry.hash))];
    if (entry.previous != slot) return number;
    if (slot == 0) ++slots_used_;
    slot = number;
    last = entry.position;
  }
  return count;
}

bool IndexScan::SlotsWithinCount() const {
  for (int32_t slot = 0; slot < view_.slots(); ++slot) {
    const int32_t number = view_.LoadSlot(slot);
    if (number < 0 || number >= header_.count) return false;
  }
  return true;
}

Status IndexScan::Repair(int32_t count, IndexHeader header, bool zero_rest) {
  const int64_t rest = view_.EntryStart(count);
  // Pages written through a map need their blocks first: a full disk is an error here and not a signal.
  if (::fallocate(file_.fd(), 0, 0, view_.EntriesStart()) != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    return ErrnoError(ErrorCode::kIo, "allocate blocks of " + file_.path());
  }
  for (int32_t slot = 0; slot < view_.slots(); ++slot) {
    const int32_t right = slots_[static_cast<size_t>(slot)];
    if (view_.LoadSlot(slot) != right) view_.StoreSlot(slot, right);
  }
  // A fresh file's header is all zero until its first entry.
  if (count == 1) header = IndexHeader();
  header.count = count;
  header.slots_used = slots_used_;
  view_.StoreHeader(header);
  view_.PublishCount(count == 1 ? 0 : count);
  header_ = header;
  if (zero_rest &&
      ::fallocate(file_.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, rest, file_.bytes() - rest) != 0 &&
      errno != EOPNOTSUPP && errno != ENOSYS) {
    return ErrnoError(ErrorCode::kIo, "clear the end of " + file_.path());
  }
  return file_.Sync(0, rest);
}

Result<bool> IndexScan::AgreesWithLog(int32_t number, LogReader& log) const {
  const IndexEntry entry = view_.LoadEntry(number);
  Slice slice;
  const auto record = log.ReadRecord(entry.position, &slice);
  if (!record) {
    if (record.error().code == ErrorCode::kIo) return record.error();
    return entry.position < log.min();  // expired just now
  }
  bool found = false;
  ForEachIndexKey(record->properties, [&](std::string_view key) {
    found = IndexKeyHash(record->topic, key) == entry.hash;
    return !found;
  });
  return found;
}

}  // namespace mq::store
