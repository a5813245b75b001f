#include "store/index_reader.h"

#include <algorithm>

#include "base/log.h"

namespace mq::store {

namespace {

// Entries of a full second: times in the index are cut to seconds.
constexpr int64_t kSecondMs = 1000;

IndexView ViewOf(const MappedFile& file, const StoreOptions& options) {
  // The view never writes here; the mapping is read-only.
  return {const_cast<char*>(file.data()), options.index_slots, options.index_entries};
}

// Can the entry's record lie in the time asked for? Where the index does not know (the first entry of a file, a clock
// that was behind) it may.
bool MayMatchTime(const IndexEntry& entry, int32_t number, int64_t begin_timestamp, const IndexQuery& query) {
  if (number == 1 || entry.seconds <= 0) return true;
  const int64_t at = begin_timestamp + int64_t{entry.seconds} * kSecondMs;
  return at + kSecondMs > query.begin_timestamp && at <= query.end_timestamp;
}

}  // namespace

IndexReader::IndexReader(const StoreOptions& options, const Positions* positions, PhysicalOffset end)
    : options_(options), positions_(positions), layout_(options.root), log_(options, positions, end) {}

Result<std::vector<std::string>> IndexReader::OpenFiles() {
  MQ_ASSIGN(const auto listed, ListIndexFiles(layout_));
  std::vector<std::string> names;
  const int64_t bytes = IndexFileBytes(options_);
  for (const IndexFileEntry& file : listed) {
    if (file.bytes == bytes) names.push_back(file.name);
  }
  std::erase_if(files_, [&](const auto& file) { return !std::binary_search(names.begin(), names.end(), file.first); });
  std::erase_if(names, [&](const std::string& name) {
    if (files_.contains(name)) return false;
    auto file = MappedFile::OpenReadOnly(layout_.IndexFile(name), 0, bytes);
    if (!file) return true;  // trimmed meanwhile
    files_.emplace(name, std::make_shared<const MappedFile>(std::move(*file)));
    return false;
  });
  return names;
}

Result<IndexReader::Match> IndexReader::Look(PhysicalOffset position, const IndexQuery& query, Slice* slice) {
  if (position < log_.min()) return Match::kNo;
  const auto record = log_.ReadRecord(position, slice);
  if (!record) {
    if (position < log_.min()) return Match::kNo;  // expired meanwhile
    const ErrorCode code = record.error().code;
    const bool none =
        code == ErrorCode::kNotFound || code == ErrorCode::kInvalidArgument || code == ErrorCode::kCorruption;
    return none ? Result<Match>(Match::kNoRecord) : record.error();
  }
  if (position < query.not_below || record->topic != query.topic) return Match::kNo;
  if (record->store_timestamp < query.begin_timestamp || record->store_timestamp > query.end_timestamp) {
    return Match::kNo;
  }
  bool found = false;
  ForEachIndexKey(record->properties, [&](std::string_view key) {
    found = key == query.key;
    return !found;
  });
  return found ? Match::kYes : Match::kNo;
}

Status IndexReader::Search(const std::string& name, const IndexQuery& query, int32_t hash,
                           std::map<PhysicalOffset, Slice>& found, IndexAnswer& answer) {
  const IndexView view = ViewOf(*files_.at(name), options_);
  const int64_t begin_timestamp = view.LoadHeader().begin_timestamp;
  const auto wanted = static_cast<size_t>(query.max_messages);
  const int32_t slot = view.SlotOf(hash);
  int32_t number = view.LoadSlot(slot);
  // A put under way has set the slot to the count that it will raise.
  int32_t highest = std::clamp(view.LoadCount(), 1, view.entries() - 1);
  PhysicalOffset newest(INT64_MAX);
  const auto odd = [&](PhysicalOffset position) {
    if (!answer.oddity) answer.oddity = IndexOddity{name, number, position};
    return Ok();
  };
  for (int32_t links = 0; links < kMaxLinks && number != 0; ++links) {
    if (number < 0 || number > highest) return odd(PhysicalOffset(-1));
    const IndexEntry entry = view.LoadEntry(number);
    if (entry.hash < 0 || view.SlotOf(entry.hash) != slot || entry.position.value() < 0 || entry.position > newest) {
      return odd(PhysicalOffset(-1));
    }
    newest = entry.position;
    Slice slice;
    if (entry.hash == hash && MayMatchTime(entry, number, begin_timestamp, query) && !found.contains(entry.position)) {
      MQ_ASSIGN(const Match match, Look(entry.position, query, &slice));
      if (match == Match::kNoRecord) odd(entry.position).Ignore("the chain goes on");
      if (match == Match::kYes) {
        const auto bytes = static_cast<int64_t>(slice.bytes.size());
        if (!found.empty() && answer.bytes + bytes > kMaxAnswerBytes) return Ok();
        answer.bytes += bytes;
        found.emplace(entry.position, std::move(slice));
        if (found.size() >= wanted) return Ok();
      }
    }
    highest = number - 1;  // numbers only fall along a chain
    number = entry.previous;
  }
  return Ok();
}

uint32_t IndexReader::UnsureFiles() const {
  return positions_ == nullptr ? 0 : positions_->reputd().index_unsure.load(std::memory_order_acquire);
}

uint32_t IndexReader::DamagedFiles() const {
  return positions_ == nullptr ? 0 : positions_->reputd().index_damaged.load(std::memory_order_acquire);
}

Result<IndexAnswer> IndexReader::Query(const IndexQuery& query) {
  IndexAnswer answer;
  // A file is unsure from before it is made anew until after it is whole, and then counts as one more that was damaged:
  // a search in between sees one of the three.
  const uint32_t damaged = DamagedFiles();
  answer.unsure_files = UnsureFiles();
  MQ_ASSIGN(const std::vector<std::string> names, OpenFiles());
  const int32_t hash = IndexKeyHash(query.topic, query.key);
  std::map<PhysicalOffset, Slice> found;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (name == names.rbegin()) {
      const IndexHeader header = ViewOf(*files_.at(*name), options_).LoadHeader();
      answer.last_timestamp = header.end_timestamp;
      answer.last_position = header.end;
    }
    MQ_TRY(Search(*name, query, hash, found, answer));
    if (found.size() >= static_cast<size_t>(std::max(query.max_messages, 0)) || answer.bytes >= kMaxAnswerBytes) break;
  }
  answer.unsure_files = std::max({answer.unsure_files, UnsureFiles(), DamagedFiles() - damaged});
  answer.records.reserve(found.size());
  for (auto& [position, slice] : found) answer.records.push_back(std::move(slice));
  return answer;
}

}  // namespace mq::store
