#include "store/dump_verify_index.h"

#include <algorithm>

#include "store/index_file.h"

namespace mq::store {

namespace {

constexpr uint64_t kSaidOfOneKind = 50;  // more are counted

}  // namespace

void IndexVerifier::Say(const DumpIndex& index, int64_t byte, Severity severity, std::string_view rule,
                        std::string text) {
  ++said_in_file_;
  if (said_in_file_ <= kSaidOfOneKind) sink_({index.path(), byte, severity, rule, std::move(text)});
}

Status IndexVerifier::Open() {
  const StoreLayout layout(options_.root);
  MQ_ASSIGN(const std::vector<IndexFileEntry> files, ListIndexFiles(layout));
  for (const IndexFileEntry& file : files) {
    const std::string path = layout.IndexFile(file.name);
    said_in_file_ = 0;
    auto opened = DumpIndex::Open(path, options_.index_slots);
    if (!opened && opened.error().code == ErrorCode::kNotFound) continue;  // expired meanwhile
    if (!opened && opened.error().code == ErrorCode::kCorruption) {
      sink_({path, 0, Severity::kError, "I-13", opened.error().what.substr(path.size() + 2)});
      continue;
    }
    if (!opened) return std::move(opened).error();
    MQ_TRY(CheckHeader(*opened));
    MQ_TRY(CheckChains(*opened));
    if (said_in_file_ > kSaidOfOneKind) {
      sink_({path, 0, Severity::kError, "I-12", std::to_string(said_in_file_ - kSaidOfOneKind) + " more faults"});
    }
    paths_.push_back(path);
  }
  return Ok();
}

Status IndexVerifier::CheckHeader(DumpIndex& index) {
  const IndexHeader& header = index.header();
  if (header.count < 0 || header.count > index.entries()) {
    Say(index, 36, Severity::kError, "I-13",
        "index count " + std::to_string(header.count) + " is not within 1 and " + std::to_string(index.entries()));
    return Ok();
  }
  if (header.count <= 1) return Ok();  // nothing was put into it yet
  if (header.end.value() < last_end_offset_ || header.end_timestamp < last_end_time_) {
    Say(index, 8, Severity::kError, "I-13", "ends before the file in front of it does");
  }
  last_end_offset_ = header.end.value();
  last_end_time_ = header.end_timestamp;
  MQ_ASSIGN(const IndexEntry first, index.Entry(1));
  MQ_ASSIGN(const IndexEntry last, index.Entry(header.count - 1));
  if (first_offset_ < 0) first_offset_ = first.position.value();
  if (first.position.value() != header.begin.value()) {
    Say(index, 16, Severity::kError, "I-13",
        "begin offset " + std::to_string(header.begin.value()) + " is not that of the first entry, " +
            std::to_string(first.position.value()));
  }
  if (last.position.value() != header.end.value()) {
    Say(index, 24, Severity::kError, "I-13",
        "end offset " + std::to_string(header.end.value()) + " is not that of the last entry, " +
            std::to_string(last.position.value()));
  }
  return Ok();
}

// Each entry must name the one that was the newest of its slot when it was put: then, and only then, every entry is
// reached from its slot and no chain has a loop.
Status IndexVerifier::CheckChains(DumpIndex& index) {
  std::vector<int32_t> newest(static_cast<size_t>(index.slots()));
  for (int64_t number = 1; number < index.end(); ++number) {
    MQ_ASSIGN(const IndexEntry entry, index.Entry(number));
    if (entry.hash < 0 || entry.position.value() < 0 || entry.seconds < 0) {
      Say(index, index.EntryByte(number), Severity::kError, "I-12",
          "entry " + std::to_string(number) + " has a negative field");
      continue;
    }
    int32_t& slot = newest[static_cast<size_t>(index.SlotOf(entry.hash))];
    if (entry.previous != slot) {
      Say(index, index.EntryByte(number), Severity::kError, "I-12",
          "entry " + std::to_string(number) + " names " + std::to_string(entry.previous) +
              " as the one before it in slot " + std::to_string(index.SlotOf(entry.hash)) + ", which is " +
              std::to_string(slot));
    }
    slot = static_cast<int32_t>(number);
  }
  return CheckSlots(index, newest);
}

Status IndexVerifier::CheckSlots(DumpIndex& index, const std::vector<int32_t>& newest) {
  int32_t used = 0;
  for (int64_t slot = 0; slot < index.slots(); ++slot) {
    const int32_t expected = newest[static_cast<size_t>(slot)];
    MQ_ASSIGN(const int32_t value, index.Slot(slot));
    if (expected != 0) ++used;
    if (value == expected) continue;
    // A kill between slot and header leaves the number of an entry that does not count; so does a look in between.
    const bool halfway = value >= index.header().count;
    if (halfway && options_.positions != nullptr) continue;
    Say(index, index.SlotByte(slot), halfway && unclean_ ? Severity::kWarning : Severity::kError, "I-12",
        "slot " + std::to_string(slot) + " names entry " + std::to_string(value) + "; its newest is " +
            std::to_string(expected));
  }
  if (index.header().count > 1 && index.header().slots_used != used && options_.positions == nullptr) {
    Say(index, 32, Severity::kWarning, "I-13",
        "the header counts " + std::to_string(index.header().slots_used) + " used slots; there are " +
            std::to_string(used));
  }
  return Ok();
}

Result<std::optional<IndexEntry>> IndexVerifier::Current() {
  for (;;) {
    if (file_ && number_ < file_->end()) {
      MQ_ASSIGN(const IndexEntry entry, file_->Entry(number_));
      return std::optional<IndexEntry>(entry);
    }
    file_.reset();
    if (next_path_ == paths_.size()) return std::optional<IndexEntry>();
    auto opened = DumpIndex::Open(paths_[next_path_++], options_.index_slots);
    if (!opened && opened.error().code == ErrorCode::kNotFound) continue;
    if (!opened) return std::move(opened).error();
    file_ = std::move(*opened);
    number_ = 1;
  }
}

Status IndexVerifier::Stray(const IndexEntry& entry, std::string_view why) {
  if (++strays_ <= kSaidOfOneKind) {
    sink_({file_->path(), file_->EntryByte(number_), Severity::kError, "I-12",
           "entry " + std::to_string(number_) + " names position " + std::to_string(entry.position.value()) + ", " +
               std::string(why)});
  }
  return Ok();
}

Status IndexVerifier::OnRecord(const LogItem& item, PhysicalOffset log_min) {
  const int64_t position = item.position.value();
  if (first_offset_ < 0 || position < first_offset_) return Ok();
  if (!EntersIndex(item.message.sys_flag)) return Ok();
  at_record_.clear();
  for (;;) {
    MQ_ASSIGN(const std::optional<IndexEntry> entry, Current());
    if (!entry || entry->position.value() > position) break;
    if (entry->position.value() == position) {
      at_record_.push_back(entry->hash);
    } else if (entry->position.value() >= log_min.value()) {
      MQ_TRY(Stray(*entry, "where no record with keys starts"));
    }
    ++number_;
  }
  std::vector<std::string_view> keys;
  ForEachIndexKey(item.message.properties, [&keys](std::string_view key) { return keys.push_back(key), true; });
  if (keys.empty()) return Ok();
  MQ_ASSIGN(const std::optional<IndexEntry> more, Current());
  if (!more && at_record_.empty()) {
    if (unfiled_++ == 0) unfiled_from_ = item.position;
    return Ok();
  }
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

Status IndexVerifier::Finish(PhysicalOffset log_end) {
  const bool live = options_.positions != nullptr;
  for (;;) {
    MQ_ASSIGN(const std::optional<IndexEntry> entry, Current());
    if (!entry) break;
    const bool beyond = entry->position.value() >= log_end.value();
    if (!(live && beyond)) {
      MQ_TRY(Stray(*entry, beyond ? "behind the end of the log" : "where no record with keys starts"));
    }
    ++number_;
  }
  if (strays_ > kSaidOfOneKind) {
    sink_({paths_.back(), 0, Severity::kError, "I-12",
           std::to_string(strays_ - kSaidOfOneKind) + " more entries that name no record"});
  }
  if (lost_keys_ > kSaidOfOneKind) {
    sink_({paths_.back(), 0, Severity::kError, "I-12",
           std::to_string(lost_keys_ - kSaidOfOneKind) + " more keys are not filed"});
  }
  if (unfiled_ > 0 && !live) {
    sink_({paths_.back(), 0, unclean_ ? Severity::kWarning : Severity::kError, "I-12",
           "the index ends before position " + std::to_string(unfiled_from_.value()) + "; the keys of " +
               std::to_string(unfiled_) + " records from there on are not filed" +
               (unclean_ ? " (the next start adds them)" : "")});
  }
  return Ok();
}

}  // namespace mq::store
