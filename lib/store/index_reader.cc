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
    : options_(options), layout_(options.root), log_(options, positions, end) {}

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

bool IndexReader::Matches(PhysicalOffset position, const IndexQuery& query, Slice* slice) {
  if (position < query.not_below || position < log_.min() || position >= log_.end()) return false;
  const auto record = log_.ReadRecord(position, slice);
  if (!record || record->topic != query.topic) return false;
  if (record->store_timestamp < query.begin_timestamp || record->store_timestamp > query.end_timestamp) return false;
  bool found = false;
  ForEachIndexKey(record->properties, [&](std::string_view key) {
    found = key == query.key;
    return !found;
  });
  return found;
}

void IndexReader::Search(const MappedFile& file, const IndexQuery& query, int32_t hash,
                         std::map<PhysicalOffset, Slice>& found, IndexAnswer& answer) {
  const IndexView view = ViewOf(file, options_);
  const IndexHeader header = view.LoadHeader();
  const auto wanted = static_cast<size_t>(query.max_messages);
  int32_t number = view.LoadSlot(view.SlotOf(hash));
  for (int32_t links = 0; links < kMaxLinks && number > 0 && number < view.entries(); ++links) {
    const IndexEntry entry = view.LoadEntry(number);
    Slice slice;
    if (entry.hash == hash && MayMatchTime(entry, number, header.begin_timestamp, query) &&
        !found.contains(entry.position) && Matches(entry.position, query, &slice)) {
      const auto bytes = static_cast<int64_t>(slice.bytes.size());
      if (!found.empty() && answer.bytes + bytes > kMaxAnswerBytes) return;
      answer.bytes += bytes;
      found.emplace(entry.position, std::move(slice));
      if (found.size() >= wanted) return;
    }
    if (entry.previous >= number) return;  // damaged: numbers only fall along a chain
    number = entry.previous;
  }
}

Result<IndexAnswer> IndexReader::Query(const IndexQuery& query) {
  IndexAnswer answer;
  MQ_ASSIGN(const std::vector<std::string> names, OpenFiles());
  const int32_t hash = IndexKeyHash(query.topic, query.key);
  std::map<PhysicalOffset, Slice> found;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const MappedFile& file = *files_.at(*name);
    const IndexHeader header = ViewOf(file, options_).LoadHeader();
    if (name == names.rbegin()) {
      answer.last_timestamp = header.end_timestamp;
      answer.last_position = header.end;
    }
    Search(file, query, hash, found, answer);
    if (found.size() >= static_cast<size_t>(std::max(query.max_messages, 0)) || answer.bytes >= kMaxAnswerBytes) break;
  }
  answer.records.reserve(found.size());
  for (auto& [position, slice] : found) answer.records.push_back(std::move(slice));
  return answer;
}

}  // namespace mq::store
