#include "store/index_file_check.h"

#include <algorithm>

namespace mq::store {

namespace {

// A record of the log costs as much as that many entries of a file.
constexpr int64_t kCostOfRecord = 16;

}  // namespace

IndexFileCheck::IndexFileCheck(LogReader& log, PhysicalOffset log_end, IndexScan scan, MarkedIndexFile file,
                               Extent extent)
    : log_(&log), log_end_(log_end), scan_(std::move(scan)), file_(std::move(file)), extent_(extent) {
  count_ = file_.header.count;
  if (extent_ == Extent::kLive) count_ = std::max(count_, scan_.header().count);
  scan_.MarkCrcAt(file_.header.count);
  scan_.Begin(count_, log_end_);
}

Result<IndexFileCheck> IndexFileCheck::Open(const StoreOptions& options, LogReader& log, PhysicalOffset log_end,
                                            MarkedIndexFile file, Extent extent) {
  MQ_ASSIGN(IndexScan scan, IndexScan::Open(options, StoreLayout(options.root).IndexFile(file.name)));
  return IndexFileCheck(log, log_end, std::move(scan), std::move(file), extent);
}

void IndexFileCheck::EndEntries() {
  sound_ = scan_.all_sound();
  // A count that has fallen: entries that were there would be put once more.
  if (extent_ == Extent::kLive && scan_.header().count < file_.header.count) sound_ = false;
  if (file_.crc && scan_.crc_at_mark() != *file_.crc) sound_ = false;
  if (const int32_t marked = file_.header.count; sound_ && marked > 1) {
    sound_ = scan_.Entry(1).position == file_.header.begin && scan_.Entry(marked - 1).position == file_.header.end;
  }
  phase_ = sound_ ? Phase::kSlots : Phase::kDone;
}

Result<bool> IndexFileCheck::Step(int64_t& budget) {
  if (phase_ == Phase::kEntries && scan_.StepEntries(budget)) EndEntries();
  if (phase_ == Phase::kSlots && scan_.StepSlots(budget)) phase_ = file_.crc ? Phase::kDone : Phase::kLog;
  if (phase_ == Phase::kLog) {
    MQ_ASSIGN(const bool over, StepLog(budget));
    if (over) phase_ = Phase::kDone;
  }
  return phase_ == Phase::kDone;
}

int32_t IndexFileCheck::FirstNotExpired() const {
  int32_t first = 1;
  int32_t high = count_;
  while (first < high) {
    const int32_t middle = first + (high - first) / 2;
    if (scan_.Entry(middle).position < log_->min()) {
      first = middle + 1;
    } else {
      high = middle;
    }
  }
  return first;
}

Result<bool> IndexFileCheck::StepLog(int64_t& budget) {
  if (walk_ == nullptr) {
    number_ = FirstNotExpired();
    if (number_ >= count_) return true;
    behind_ = scan_.Entry(number_).position;
    walk_ = std::make_unique<LogWalk>(*log_, behind_);
  }
  for (; budget > 0; budget -= kCostOfRecord) {
    if (number_ >= count_) return true;
    MQ_ASSIGN(const protocol::MessageView* record, walk_->Next(log_end_));
    // What is left points into a stretch of the log that is damaged itself.
    if (record == nullptr) return true;
    if (!RecordAgrees(*record)) {
      sound_ = false;
      return true;
    }
    behind_ = walk_->position();
  }
  return false;
}

// Every key of the record has an entry, and every entry of it a key; the entry's seconds are right.
bool IndexFileCheck::RecordAgrees(const protocol::MessageView& record) {
  const PhysicalOffset at = record.physical_offset;
  while (number_ < count_ && scan_.Entry(number_).position < at) {
    // Inside a record is none; between two there may be damage, whose records nobody can compare.
    if (scan_.Entry(number_).position < behind_) return false;
    ++number_;
  }
  hashes_.clear();
  if (EntersIndex(record.sys_flag)) {
    ForEachIndexKey(record.properties, [&](std::string_view key) {
      hashes_.push_back(IndexKeyHash(record.topic, key));
      return true;
    });
  }
  const IndexHeader& header = scan_.header();
  const int32_t first = number_;
  for (; number_ < count_ && scan_.Entry(number_).position == at; ++number_) {
    const IndexEntry entry = scan_.Entry(number_);
    if (std::find(hashes_.begin(), hashes_.end(), entry.hash) == hashes_.end()) return false;
    // The first entry's seconds count from the end of the file before, which may have expired.
    if (number_ > 1 && entry.seconds != IndexSeconds(header.begin_timestamp, record.store_timestamp)) return false;
  }
  // Other keys of a file's first and last record may be in its neighbours.
  if (first == 1 || number_ >= count_) return true;
  return std::all_of(hashes_.begin(), hashes_.end(), [&](int32_t hash) {
    for (int32_t number = first; number < number_; ++number) {
      if (scan_.Entry(number).hash == hash) return true;
    }
    return false;
  });
}

bool IndexFileCheck::rest_damaged() const {
  if (scan_.wrong_slots() > 0) return true;
  if (extent_ == Extent::kAtLeast) return !scan_.HeaderMayFollow(file_.header);
  return extent_ == Extent::kWhole && (scan_.slots_ahead() > 0 || !(scan_.header() == file_.header));
}

Result<MarkedIndexFile> IndexFileCheck::PutRight() {
  const bool slots_right = scan_.wrong_slots() == 0 && scan_.slots_ahead() == 0;
  if (extent_ == Extent::kLive) {
    // The count may be one ahead of the positions in the header: the entries say how far the file goes.
    MQ_TRY(scan_.RepairFromEntries(count_, false, *log_));
  } else if (!slots_right || !(scan_.header() == file_.header)) {
    MQ_TRY(scan_.Repair(count_, file_.header, extent_ == Extent::kAtLeast));
  }
  return MarkedIndexFile{file_.name, scan_.header(), scan_.crc()};
}

}  // namespace mq::store
