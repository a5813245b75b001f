#include "store/index_scan.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/crc32.h"
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

void IndexScan::Begin(int32_t count, PhysicalOffset log_end) {
  count_ = std::clamp(count, 1, view_.entries());
  log_end_ = log_end;
  slots_.assign(static_cast<size_t>(view_.slots()), 0);
  slots_used_ = 0;
  next_ = 1;
  over_ = false;
  last_ = PhysicalOffset(0);
  crc_ = crc_at_mark_ = 0;
  next_slot_ = wrong_slots_ = slots_ahead_ = 0;
}

bool IndexScan::IsSound(const IndexEntry& entry) const {
  return entry.hash >= 0 && entry.position >= last_ && entry.position < log_end_ && entry.seconds >= 0 &&
         entry.previous == slots_[static_cast<size_t>(view_.SlotOf(entry.hash))];
}

bool IndexScan::StepEntries(int64_t& budget) {
  const int32_t from = next_;
  while (!over_ && next_ < count_ && budget > 0) {
    --budget;
    const IndexEntry entry = view_.LoadEntry(next_);
    if (!IsSound(entry)) {
      over_ = true;
      break;
    }
    int32_t& slot = slots_[static_cast<size_t>(view_.SlotOf(entry.hash))];
    if (slot == 0) ++slots_used_;
    slot = next_++;
    last_ = entry.position;
  }
  ExtendCrc(from, next_);
  over_ = over_ || next_ == count_;
  return over_;
}

void IndexScan::ExtendCrc(int32_t from, int32_t to) {
  const int32_t middle = std::clamp(mark_, from, to);
  crc_ = ExtendCrc32(crc_, view_.EntryBytes(from, middle));
  if (middle == mark_ && from < to) crc_at_mark_ = crc_;
  crc_ = ExtendCrc32(crc_, view_.EntryBytes(middle, to));
}

bool IndexScan::StepSlots(int64_t& budget) {
  for (; next_slot_ < view_.slots() && budget > 0; ++next_slot_) {
    --budget;
    const int32_t number = view_.LoadSlot(next_slot_);
    if (number == slots_[static_cast<size_t>(next_slot_)]) continue;
    ++(number >= next_ && number < view_.entries() ? slots_ahead_ : wrong_slots_);
  }
  return next_slot_ == view_.slots();
}

int32_t IndexScan::SoundCount(int32_t count, PhysicalOffset log_end) {
  Begin(count, log_end);
  int64_t all = INT64_MAX;
  StepEntries(all);
  return sound();
}

bool IndexScan::SlotsWithinCount() const {
  for (int32_t slot = 0; slot < view_.slots(); ++slot) {
    const int32_t number = view_.LoadSlot(slot);
    if (number < 0 || number >= header_.count) return false;
  }
  return true;
}

bool IndexScan::NeverSynced(int32_t number) const {
  constexpr int64_t kPage = 4096;
  const std::string_view bytes = view_.EntryBytes(number, number + 1);
  const int64_t start = view_.EntryStart(number);
  const auto in_first = static_cast<size_t>(std::min(kPage - start % kPage, kIndexEntryBytes));
  const auto is_zero = [](std::string_view part) { return part.find_first_not_of('\0') == std::string_view::npos; };
  return is_zero(bytes.substr(0, in_first)) || (in_first < bytes.size() && is_zero(bytes.substr(in_first)));
}

bool IndexScan::EndsAsACrashLeavesIt(int32_t count) const {
  if (next_ >= count || NeverSynced(next_)) return true;
  for (int32_t number = next_; number < std::min(count, view_.entries()); ++number) {
    if (view_.LoadEntry(number).position < log_end_ && !NeverSynced(number)) return false;
  }
  return true;
}

bool IndexScan::HeaderMayFollow(const IndexHeader& marked) const {
  const int32_t count = header_.count;
  if (count < marked.count || count > view_.entries() || header_.slots_used < marked.slots_used) return false;
  const bool fresh = marked.count == 1;
  if (!fresh && (header_.begin != marked.begin || header_.begin_timestamp != marked.begin_timestamp)) return false;
  if (header_ == marked) return true;
  // The rest of the header is written before the count.
  const bool cut_short = count < view_.entries() && view_.LoadEntry(count).position == header_.end;
  if (count == marked.count) return cut_short;
  return cut_short || view_.LoadEntry(count - 1).position == header_.end || NeverSynced(count - 1);
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
  view_.StoreEntry(0, IndexEntry());
  // A fresh file's header is all zero until its first entry.
  if (count == 1) header = IndexHeader();
  header.count = count;
  header.slots_used = slots_used_;
  view_.StoreHeader(header);
  view_.PublishCount(count == 1 ? 0 : count);
  header_ = header;
  // Last, and what was put right is durable whatever becomes of it: the next look finds nothing to do there.
  Status cleared = Ok();
  if (zero_rest && rest < file_.bytes() &&
      ::fallocate(file_.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, rest, file_.bytes() - rest) != 0 &&
      errno != EOPNOTSUPP && errno != ENOSYS) {
    cleared = ErrnoError(ErrorCode::kIo, "clear the end of " + file_.path());
  }
  MQ_TRY(file_.Sync(0, rest));
  return cleared;
}

Status IndexScan::RepairFromEntries(int32_t count, bool zero_rest, LogReader& log) {
  IndexHeader header = header_;
  const auto time_of = [&log](PhysicalOffset record, int64_t otherwise) {
    Slice slice;
    const auto message = log.ReadRecord(record, &slice);
    return message ? message->store_timestamp : otherwise;
  };
  if (count > 1) {
    const PhysicalOffset last = Entry(count - 1).position;
    const PhysicalOffset first = Entry(1).position;
    if (header.end != last) header.end_timestamp = time_of(last, header.end_timestamp);
    if (header.begin != first) header.begin_timestamp = time_of(first, header.begin_timestamp);
    header.begin = first;
    header.end = last;
  }
  return Repair(count, header, zero_rest);
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
