#include "store/record_search.h"

#include <algorithm>
#include <string_view>

#include "store/log_tail.h"
#include "store/mapped_file.h"
#include "store/record.h"

namespace mq::store {

Result<std::optional<int64_t>> RecordSearch::FirstStoreTime(const FileEntry& file) const {
  MQ_ASSIGN(auto mapped, MappedFile::OpenReadOnly(PathOf(file), file.start, file.bytes));
  const std::string_view bytes(mapped.data(), static_cast<size_t>(mapped.bytes()));
  const RecordCheck check = CheckRecord(bytes, PhysicalOffset(file.start), protocol::BodyCheck::kSkip);
  if (check.kind != RecordKind::kMessage) return std::optional<int64_t>();
  return std::optional<int64_t>(check.message.store_timestamp);
}

Result<std::optional<PhysicalOffset>> RecordSearch::NextRecord(PhysicalOffset from) const {
  for (size_t i = IndexOf(from); i < files_.size(); ++i) {
    const FileEntry& entry = files_[i];
    const int64_t begin = std::max<int64_t>(from.value() - entry.start, 0);
    // Zeros up to the end (a spare file, the allocated rest) hold no record, and are not worth mapping.
    MQ_ASSIGN(auto data, FindNonZero(PathOf(entry), begin));
    if (!data) continue;
    MQ_ASSIGN(auto file, MappedFile::OpenReadOnly(PathOf(entry), entry.start, entry.bytes));
    const std::string_view bytes(file.data(), static_cast<size_t>(file.bytes()));
    // A record starts at most 8 zero bytes before its first byte that is not zero (its size).
    const PhysicalOffset search(entry.start + std::max<int64_t>(begin, *data - 8));
    if (auto found = FindNextRecord(bytes, PhysicalOffset(entry.start), search)) return found;
  }
  return std::optional<PhysicalOffset>();
}

Result<int64_t> RecordSearch::StoreTimeAt(PhysicalOffset position) const {
  const FileEntry& entry = FileOf(position);
  MQ_ASSIGN(auto file, MappedFile::OpenReadOnly(PathOf(entry), entry.start, entry.bytes));
  const std::string_view bytes(file.data(), static_cast<size_t>(file.bytes()));
  const RecordCheck check = CheckRecord(bytes.substr(static_cast<size_t>(position.value() - entry.start)), position,
                                        protocol::BodyCheck::kSkip);
  return check.message.store_timestamp;
}

Result<int64_t> RecordSearch::CountRecords(PhysicalOffset from) const {
  int64_t count = 0;
  std::optional<PhysicalOffset> position = from;
  while (position && !AtEnd(*position)) {
    const FileEntry& entry = FileOf(*position);
    MQ_ASSIGN(auto file, MappedFile::OpenReadOnly(PathOf(entry), entry.start, entry.bytes));
    const std::string_view bytes(file.data(), static_cast<size_t>(file.bytes()));
    while (position->value() < file.end()) {
      const RecordCheck check = CheckRecord(bytes.substr(static_cast<size_t>(position->value() - entry.start)),
                                            *position, protocol::BodyCheck::kSkip);
      if (check.kind == RecordKind::kBad) break;
      count += check.kind == RecordKind::kMessage ? 1 : 0;
      *position += check.bytes;
    }
    if (position->value() < file.end()) {
      MQ_ASSIGN(position, NextRecord(*position + 1));
    }
  }
  return count;
}

}  // namespace mq::store
