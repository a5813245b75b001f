#include "store/index_remake.h"

#include "store/index_scan.h"

namespace mq::store {

namespace {

// A record costs as much as that many entries that are only looked at.
constexpr int64_t kCostOfRecord = 16;

// How many keys of the record at `position` end the file.
Result<int32_t> KeysAtEnd(const StoreOptions& options, const MarkedIndexFile& file, PhysicalOffset position) {
  MQ_ASSIGN(const IndexScan scan, IndexScan::Open(options, StoreLayout(options.root).IndexFile(file.name)));
  int32_t keys = 0;
  while (keys + 1 < file.header.count && scan.Entry(file.header.count - 1 - keys).position == position) ++keys;
  return keys;
}

}  // namespace

Result<IndexRemake> IndexRemake::Start(const StoreOptions& options, LogReader& log, const MarkedIndexFile* before,
                                       const MarkedIndexFile& file) {
  IndexRemake remake;
  remake.log_ = &log;
  remake.last_ = file.header.end;
  IndexCheck from;
  if (before != nullptr) from.files.push_back(*before);
  from.files.push_back({file.name, IndexHeader(), 0});
  // Of expired records nothing is put: how many entries they had is not known, but that the file had room for all.
  const bool whole = file.header.begin >= log.min();
  if (whole && before != nullptr && before->header.end == file.header.begin) {
    from.resume_record = file.header.begin;
    MQ_ASSIGN(from.resume_keys, KeysAtEnd(options, *before, file.header.begin));
  }
  {
    MQ_ASSIGN(IndexScan scan, IndexScan::Open(options, StoreLayout(options.root).IndexFile(file.name)));
    scan.Begin(1, PhysicalOffset(0));
    MQ_TRY(scan.Repair(1, IndexHeader(), true));
  }
  remake.writer_ = std::make_unique<IndexWriter>(options, from);
  remake.writer_->StopAt(whole ? file.header.count : options.index_entries);
  remake.walk_ = std::make_unique<LogWalk>(log, whole ? file.header.begin : log.min());
  return remake;
}

Result<bool> IndexRemake::Step(int64_t& budget) {
  for (; budget > 0; budget -= kCostOfRecord) {
    MQ_ASSIGN(const protocol::MessageView* record, walk_->Next(log_->end()));
    if (record == nullptr || record->physical_offset > last_ || writer_->full()) {
      MQ_TRY(writer_->Sync());
      return true;
    }
    MQ_TRY(writer_->Put(*record));
  }
  return false;
}

}  // namespace mq::store
