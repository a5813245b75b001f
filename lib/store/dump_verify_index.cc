#include "store/dump_verify_index.h"

#include <algorithm>

#include "base/file.h"
#include "store/dump_verify_index_file.h"
#include "store/index_file.h"

namespace mq::store {

namespace {

constexpr uint64_t kSaidOfOneKind = 50;  // more are counted

}  // namespace

Status IndexVerifier::Open() {
  MQ_ASSIGN(const std::vector<FoundFile> found, ListFound(layout_.IndexDir()));
  std::vector<int64_t> sizes;
  for (const FoundFile& file : found) {
    if (IsIndexFileName(file.name) && file.kind.empty()) sizes.push_back(file.bytes);
  }
  const int64_t usual_bytes = UsualSize(sizes);
  IndexFileVerifier files(live_, unclean_, sink_);
  for (const FoundFile& file : found) {
    if (!IsIndexFileName(file.name)) continue;
    const std::string path = layout_.IndexFile(file.name);
    if (!file.kind.empty()) {
      sink_({path, 0, Severity::kError, "I-13", "is " + std::string(file.kind) + " and no index file"});
      ++broken_files_;
    } else {
      MQ_TRY(OpenFile(path, file.bytes, usual_bytes, files));
    }
  }
  first_offset_ = files.first_offset();
  // What is put into an empty index from now on is not compared with records that were read before.
  if (first_offset_ < 0) paths_.clear();
  return Ok();
}

Status IndexVerifier::OpenFile(const std::string& path, int64_t bytes, int64_t usual_bytes, IndexFileVerifier& files) {
  if (bytes != usual_bytes) {
    ++broken_files_;
    sink_({path, bytes, Severity::kError, "I-13",
           "has " + std::to_string(bytes) + " bytes where its neighbours have " + std::to_string(usual_bytes)});
    return Ok();
  }
  auto opened = DumpIndex::Open(path, options_.index_slots);
  if (!opened && opened.error().code == ErrorCode::kNotFound) return Ok();  // expired meanwhile
  if (!opened && opened.error().code == ErrorCode::kCorruption) {
    const std::string hint = opened.error().hint.empty() ? "" : " (" + opened.error().hint + ")";
    sink_({path, 0, Severity::kError, "I-13", WithoutPath(opened.error().what, path) + hint});
    ++broken_files_;
    return Ok();
  }
  if (!opened) return std::move(opened).error();
  MQ_TRY(files.Check(*opened));
  paths_.push_back(path);
  return Ok();
}

Result<std::optional<IndexEntry>> IndexVerifier::Current() {
  for (;;) {
    if (file_ && number_ < file_->end()) {
      MQ_ASSIGN(const IndexEntry entry, file_->Entry(number_));
      return std::optional<IndexEntry>(entry);
    }
    if (next_path_ == paths_.size()) return std::optional<IndexEntry>();
    if (file_) before_end_time_ = file_->header().end_timestamp;
    file_.reset();
    auto opened = DumpIndex::Open(paths_[next_path_++], options_.index_slots);
    if (!opened && opened.error().code == ErrorCode::kNotFound) continue;
    if (!opened) return std::move(opened).error();
    file_ = std::move(*opened);
    number_ = 1;
  }
}

void IndexVerifier::Stray(const IndexEntry& entry, std::string_view why) {
  if (++strays_ > kSaidOfOneKind) return;
  sink_({file_->path(), file_->EntryByte(number_), Severity::kError, "I-12",
         "entry " + std::to_string(number_) + " names position " + std::to_string(entry.position.value()) + ", " +
             std::string(why)});
}

// The entry at the cursor is one of a record of that store time.
void IndexVerifier::CheckTime(const IndexEntry& entry, int64_t store_timestamp) {
  const IndexHeader& header = file_->header();
  const auto say = [&](int64_t byte, std::string text) {
    if (++wrong_times_ <= kSaidOfOneKind) {
      sink_({file_->path(), byte, Severity::kError, "I-13",
             std::move(text) + " the store time of its record at position " + std::to_string(entry.position.value()) +
                 " is " + std::to_string(store_timestamp)});
    }
  };
  if (number_ == 1 && header.begin_timestamp != store_timestamp) {
    say(0, "begin time is " + std::to_string(header.begin_timestamp) + ";");
  }
  if (!live_ && number_ == header.count - 1 && header.end == entry.position &&
      header.end_timestamp != store_timestamp) {
    say(8, "end time is " + std::to_string(header.end_timestamp) + ";");
  }
  // The first entry's seconds count from the end of the file before, which may have expired.
  if (number_ == 1) {
    if (entry.seconds == 0 || before_end_time_ == 0 || entry.seconds == IndexSeconds(before_end_time_, store_timestamp))
      return;
  } else if (entry.seconds == IndexSeconds(header.begin_timestamp, store_timestamp)) {
    return;
  }
  say(file_->EntryByte(number_) + 12, "entry " + std::to_string(number_) + " lies " + std::to_string(entry.seconds) +
                                          " s behind begin time " + std::to_string(header.begin_timestamp) + ";");
}

Status IndexVerifier::OnRecord(const LogItem& item, PhysicalOffset log_min) {
  const int64_t position = item.position.value();
  if (!EntersIndex(item.message.sys_flag)) return Ok();
  std::vector<std::string_view> keys;
  ForEachIndexKey(item.message.properties, [&keys](std::string_view key) { return keys.push_back(key), true; });
  if (first_offset_ < 0 || position < first_offset_) {
    if (!keys.empty() && in_front_++ == 0) in_front_from_ = item.position;
    return Ok();
  }
  at_record_.clear();
  for (;;) {
    MQ_ASSIGN(const std::optional<IndexEntry> entry, Current());
    if (!entry || entry->position.value() > position) break;
    if (entry->position.value() == position) {
      at_record_.push_back(entry->hash);
      CheckTime(*entry, item.message.store_timestamp);
    } else if (entry->position.value() >= log_min.value()) {
      Stray(*entry, "where no record with keys starts");
    }
    ++number_;
  }
  if (keys.empty()) return Ok();
  MQ_ASSIGN(const std::optional<IndexEntry> more, Current());
  if (!more && at_record_.empty()) {
    if (unfiled_++ == 0) unfiled_from_ = item.position;
    return Ok();
  }
  if (!more && live_) return Ok();  // its other keys are on the way
  // The first keys of the first record may have been the last ones of a file that is gone.
  if (position == first_offset_ && in_front_ > 0) return Ok();
  for (const std::string_view key : keys) {
    const int32_t hash = IndexKeyHash(item.message.topic, key);
    if (std::find(at_record_.begin(), at_record_.end(), hash) != at_record_.end()) continue;
    if (++lost_keys_ > kSaidOfOneKind) continue;
    sink_({file_ ? file_->path() : paths_.back(), file_ ? file_->EntryByte(number_) : 0,
           unclean_ && !more ? Severity::kWarning : Severity::kError, "I-12",
           "a key of the record at position " + std::to_string(position) + " (topic " +
               std::string(item.message.topic) + ") is not filed"});
  }
  return Ok();
}

// Entries behind the last record.
Status IndexVerifier::CheckRest(DumpLog& log, PhysicalOffset log_end) {
  bool refreshed = false;
  for (;; ++number_) {
    MQ_ASSIGN(const std::optional<IndexEntry> entry, Current());
    if (!entry) return Ok();
    const bool beyond = entry->position >= log_end;
    if (beyond && live_) continue;
    if (!beyond) {
      Stray(*entry, "where no record with keys starts");
      continue;
    }
    // Whoever files keys writes the record first: it is there by now if somebody still writes.
    if (unclean_ && !refreshed) MQ_TRY(log.Refresh());
    refreshed = true;
    MQ_ASSIGN(const std::optional<LogItem> record, log.RecordAt(entry->position));
    if (!record) Stray(*entry, "behind the end of the log");
  }
}

void IndexVerifier::SayMore(uint64_t count, std::string_view what) {
  if (count <= kSaidOfOneKind) return;
  sink_({paths_.back(), 0, Severity::kError, "I-12", std::to_string(count - kSaidOfOneKind) + " " + std::string(what)});
}

void IndexVerifier::SayUnfiled(PhysicalOffset log_min, int64_t durable_until) {
  if (in_front_ > 0 && first_offset_ >= 0 && broken_files_ == 0) {
    sink_({paths_.front(), 16, Severity::kWarning, "I-12",
           "the index begins at position " + std::to_string(first_offset_) + " while the log begins at " +
               std::to_string(log_min.value()) + "; the keys of " + std::to_string(in_front_) +
               " records from position " + std::to_string(in_front_from_.value()) + " on are not filed"});
  }
  // A store whose index is switched off has no time of it in its checkpoint either.
  if (first_offset_ < 0 && in_front_ > 0 && broken_files_ == 0 && durable_until > 0 && !live_) {
    sink_({layout_.IndexDir(), 0, Severity::kWarning, "I-12",
           "there is no index, which the checkpoint says was durable up to " + std::to_string(durable_until) +
               "; the keys of " + std::to_string(in_front_) + " records are not filed"});
  }
  if (unfiled_ == 0 || live_) return;
  sink_({paths_.back(), 0, unclean_ ? Severity::kWarning : Severity::kError, "I-12",
         "the index ends before position " + std::to_string(unfiled_from_.value()) + "; the keys of " +
             std::to_string(unfiled_) + " records from there on are not filed" +
             (unclean_ ? " (the next start adds them)" : "")});
}

Status IndexVerifier::Finish(DumpLog& log, PhysicalOffset log_end, int64_t durable_until) {
  MQ_TRY(CheckRest(log, log_end));
  SayMore(strays_, "more entries that name no record");
  SayMore(lost_keys_, "more keys are not filed");
  SayMore(wrong_times_, "more times are wrong");
  SayUnfiled(log.min(), durable_until);
  return Ok();
}

}  // namespace mq::store
