#include "store/dump_log.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/file.h"

namespace mq::store {

namespace {

// A record claiming more is read only when the position in its head agrees: damage must not cost memory.
constexpr int64_t kBelievedBytes = 1 << 20;
constexpr int64_t kHeadBytes = 36;
constexpr uint32_t kMagicV2 = 0xDAA320AB;

}  // namespace

Result<DumpLog> DumpLog::Open(const StoreLayout& layout, protocol::BodyCheck check) {
  DumpLog log(layout, check);
  if (std::none_of(layout.CommitLogDirs().begin(), layout.CommitLogDirs().end(), PathExists)) {
    return MakeError(ErrorCode::kNotFound,
                     layout.root() + " holds no store: there is no folder " + layout.CommitLogDir());
  }
  MQ_TRY(log.List());
  log.position_ = log.min();
  return log;
}

Status DumpLog::List() {
  std::vector<FileEntry> entries;
  for (const std::string& directory : layout_.CommitLogDirs()) {
    MQ_ASSIGN(const std::vector<FileEntry> found, ListDumpFiles(directory));
    entries.insert(entries.end(), found.begin(), found.end());
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const FileEntry& a, const FileEntry& b) { return a.start < b.start; });
  files_.clear();
  std::vector<int64_t> sizes;
  for (const FileEntry& entry : entries) {
    files_.push_back({entry.start, entry.bytes});
    sizes.push_back(entry.bytes);
  }
  file_bytes_ = UsualSize(sizes);
  return Ok();
}

Status DumpLog::Refresh() {
  file_.Forget();
  return List();
}

void DumpLog::set_limit(PhysicalOffset limit) {
  if (limit_ != limit.value()) file_.Forget();
  limit_ = limit.value();
}

void DumpLog::Seek(PhysicalOffset from) {
  position_ = std::max(from, min());
  const File* file = FileOf(position_);
  seek_ = file != nullptr && file->start != position_.value();
}

int64_t DumpLog::EndOf(const File& file) const {
  int64_t end = file.start + file.bytes;
  const File* next = &file + 1;
  if (next != files_.data() + files_.size()) end = std::min(end, next->start);
  return limit_ ? std::min(end, *limit_) : end;
}

const DumpLog::File* DumpLog::FileBehind(PhysicalOffset position) const {
  const auto it = std::upper_bound(files_.begin(), files_.end(), position.value(),
                                   [](int64_t value, const File& file) { return value < file.start; });
  return it == files_.end() ? nullptr : &*it;
}

const DumpLog::File* DumpLog::FileOf(PhysicalOffset position) const {
  const File* next = FileBehind(position);
  const File* end = next != nullptr ? next : files_.data() + files_.size();
  if (end == files_.data()) return nullptr;
  const File* file = end - 1;
  return position.value() < EndOf(*file) ? file : nullptr;
}

std::string DumpLog::PathOf(PhysicalOffset position) const {
  const File* next = FileBehind(position);
  const File* end = next != nullptr ? next : files_.data() + files_.size();
  return layout_.CommitLogFile(PhysicalOffset(end == files_.data() ? 0 : (end - 1)->start));
}

int64_t DumpLog::ByteOf(PhysicalOffset position) const {
  const File* next = FileBehind(position);
  const File* end = next != nullptr ? next : files_.data() + files_.size();
  return position.value() - (end == files_.data() ? 0 : (end - 1)->start);
}

std::string DumpLog::PlaceOf(PhysicalOffset position) const {
  return "position " + std::to_string(position.value()) + " (" + PathOf(position) + ":" +
         std::to_string(ByteOf(position)) + ")";
}

Status DumpLog::CheckNotCut() const {
  const File* next = FileBehind(position_);
  const File* end = next != nullptr ? next : files_.data() + files_.size();
  if (end == files_.data()) return Ok();
  const File& file = *(end - 1);
  if (file.start + file.bytes >= position_.value()) return Ok();
  return MakeError(ErrorCode::kCorruption, PathOf(position_) + ": the file was cut to " + std::to_string(file.bytes) +
                                               " bytes while it was read");
}

Result<bool> DumpLog::OpenFile(const File& file) {
  if (open_start_ == file.start && file_.valid()) return true;
  open_start_ = -1;
  auto opened = DumpFile::Open(layout_.CommitLogFile(PhysicalOffset(file.start)));
  if (!opened && opened.error().code == ErrorCode::kNotFound) {
    ++vanished_;
    return false;
  }
  if (!opened) return std::move(opened).error();
  file_ = std::move(*opened);
  open_start_ = file.start;
  return true;
}

Result<RecordCheck> DumpLog::CheckAt(const File& file, int64_t position) {
  const int64_t at = position - file.start;
  const int64_t left = EndOf(file) - position;
  MQ_ASSIGN(std::string_view bytes, file_.Read(at, std::min(left, kBlankHeaderBytes)));
  if (left < kBlankHeaderBytes) return CheckRecord(bytes, PhysicalOffset(position), check_);
  const int64_t size = static_cast<int32_t>(LoadBe32(bytes.data()));
  const uint32_t magic = LoadBe32(bytes.data() + protocol::kRecordMagicAt);
  if (magic == protocol::kBlankMagic) return CheckBlank(size, left);
  RecordCheck bad;
  if (magic == kMagicV2) {
    bad.reason = "record of version 2 (RocketMQ 5), which this store format does not have";
    return bad;
  }
  if (magic != protocol::kMessageMagic || size < static_cast<int64_t>(protocol::kMinRecordBytes) || size > left) {
    bad = CheckRecord(bytes, PhysicalOffset(position), check_);
    return bad;
  }
  if (size > kBelievedBytes) {
    MQ_ASSIGN(const std::string_view head, file_.Read(at, kHeadBytes));
    if (static_cast<int64_t>(LoadBe64(head.data() + protocol::kRecordPhysicalOffsetAt)) != position) {
      bad.reason = "record says it lies somewhere else";
      return bad;
    }
  }
  MQ_ASSIGN(bytes, file_.Read(at, size));
  return CheckRecord(bytes, PhysicalOffset(position), check_);
}

Result<std::optional<int64_t>> DumpLog::FindRecord(const File& file, int64_t from) {
  int64_t at = from - file.start + static_cast<int64_t>(protocol::kRecordMagicAt);
  const int64_t end = EndOf(file) - file.start;
  while (at + 4 <= end) {
    MQ_ASSIGN(std::string_view bytes, file_.ReadSome(at));
    if (bytes.empty()) break;
    const void* hit = std::memchr(bytes.data(), 0xDA, bytes.size());
    if (hit == nullptr) {
      at += static_cast<int64_t>(bytes.size());
      continue;
    }
    at += static_cast<const char*>(hit) - bytes.data();
    if (at + 4 > end) break;
    MQ_ASSIGN(bytes, file_.Read(at, 4));
    if (LoadBe32(bytes.data()) == protocol::kMessageMagic) {
      const int64_t position = file.start + at - static_cast<int64_t>(protocol::kRecordMagicAt);
      MQ_ASSIGN(const RecordCheck check, CheckAt(file, position));
      if (check.kind == RecordKind::kMessage) return std::optional<int64_t>(position);
    }
    ++at;
  }
  return std::optional<int64_t>();
}

Result<std::optional<PhysicalOffset>> DumpLog::FindNonZero(PhysicalOffset from) {
  for (const File& file : files_) {
    if (file.start + file.bytes <= from.value()) continue;
    MQ_ASSIGN(const bool there, OpenFile(file));
    if (!there) continue;
    int64_t at = std::max(from.value() - file.start, int64_t{0});
    const int64_t end = std::min(file.bytes, file_.bytes());
    while ((at = file_.DataFrom(at)) < end) {
      MQ_ASSIGN(const std::string_view bytes, file_.ReadSome(at));
      if (bytes.empty()) break;
      if (!IsZero(bytes)) {
        const auto first = std::find_if(bytes.begin(), bytes.end(), [](char c) { return c != 0; });
        return std::optional<PhysicalOffset>(PhysicalOffset(file.start + at + (first - bytes.begin())));
      }
      at += static_cast<int64_t>(bytes.size());
    }
  }
  return std::optional<PhysicalOffset>();
}

// position_ is in no file: nothing to read here, perhaps a file further on.
Result<std::optional<LogItem>> DumpLog::Gap() {
  const File* next = FileBehind(position_);
  if (next == nullptr || (limit_ && next->start >= *limit_)) return std::optional<LogItem>();
  LogItem item;
  item.kind = LogItemKind::kDamage;
  item.position = position_;
  item.bytes = next->start - position_.value();
  item.reason = "no file holds these " + std::to_string(item.bytes) + " bytes";
  position_ = PhysicalOffset(next->start);
  seek_ = false;
  return std::optional<LogItem>(std::move(item));
}

// What is at position_ is no record. A record further on makes it a damaged stretch; zeros, or nothing but wreckage,
// make it the end of the log.
Result<std::optional<LogItem>> DumpLog::Damage(const File& file, const char* reason) {
  LogItem item;
  item.kind = LogItemKind::kDamage;
  item.position = position_;
  item.reason = reason;
  // Zeros are what follows a sound log; most often nothing but them, which is found out fastest.
  MQ_ASSIGN(const std::optional<PhysicalOffset> rest, FindNonZero(position_));
  if (!rest || (limit_ && rest->value() >= *limit_)) return std::optional<LogItem>();
  std::optional<int64_t> found;
  for (const File* at = &file; at != files_.data() + files_.size() && !found; ++at) {
    if (EndOf(*at) <= rest->value()) continue;
    if (limit_ && at->start >= *limit_) break;
    MQ_ASSIGN(const bool there, OpenFile(*at));
    if (!there) continue;
    const int64_t first = std::max(rest->value() - 3, at->start);
    MQ_ASSIGN(found, FindRecord(*at, at == &file ? std::max(first, position_.value() + 1) : first));
    // Records of a later file begin at its start, if that is not damaged too.
    if (found && at != &file) found = at->start;
  }
  if (found) {
    item.bytes = *found - position_.value();
    position_ = PhysicalOffset(*found);
    return std::optional<LogItem>(std::move(item));
  }
  if (*rest > position_) item.reason += ", but bytes that are no record lie from " + PlaceOf(*rest) + " on";
  item.kind = LogItemKind::kTornTail;
  item.bytes = EndOf(file) - position_.value();
  return std::optional<LogItem>(std::move(item));
}

// While somebody writes, a record may be half there when it is read. It is whole before one behind it is.
Result<bool> DumpLog::IsWholeNow(const File& file, PhysicalOffset position) {
  MQ_ASSIGN(const bool there, OpenFile(file));
  if (!there) return false;
  file_.Forget();
  MQ_ASSIGN(const RecordCheck check, CheckAt(file, position.value()));
  return check.kind == RecordKind::kMessage;
}

Result<std::optional<LogItem>> DumpLog::Next() {
  for (;;) {
    const File* file = FileOf(position_);
    if (file == nullptr) return Gap();
    MQ_ASSIGN(const bool there, OpenFile(*file));
    if (!there) {
      position_ = PhysicalOffset(file->start + file->bytes);
      seek_ = false;
      continue;
    }
    if (seek_) {
      seek_ = false;
      MQ_ASSIGN(const RecordCheck here, CheckAt(*file, position_.value()));
      if (here.kind != RecordKind::kMessage && here.kind != RecordKind::kBlank) {
        MQ_ASSIGN(const std::optional<int64_t> found, FindRecord(*file, position_.value()));
        if (found) {
          position_ = PhysicalOffset(*found);
          continue;
        }
        if (FileBehind(position_) == nullptr) return std::optional<LogItem>();
        position_ = PhysicalOffset(EndOf(*file));
        continue;
      }
    }
    MQ_ASSIGN(const RecordCheck check, CheckAt(*file, position_.value()));
    if (check.kind == RecordKind::kBad) {
      MQ_ASSIGN(std::optional<LogItem> item, Damage(*file, check.reason));
      if (!item || item->kind != LogItemKind::kDamage) return item;
      MQ_ASSIGN(const bool whole_now, IsWholeNow(*file, item->position));
      if (!whole_now) return item;
      position_ = item->position;
      continue;
    }
    if (check.kind == RecordKind::kBlank) {
      MQ_ASSIGN(LogItem blank, Blank(*file, check.bytes));
      return std::optional<LogItem>(std::move(blank));
    }
    LogItem item;
    item.position = position_;
    item.bytes = check.bytes;
    item.message = check.message;
    last_time_ = check.message.store_timestamp;
    position_ += check.bytes;
    return std::optional<LogItem>(std::move(item));
  }
}

Result<LogItem> DumpLog::Blank(const File& file, int64_t bytes) {
  LogItem item;
  item.kind = LogItemKind::kBlank;
  item.position = position_;
  item.bytes = bytes;
  for (int64_t from = position_.value() + kBlankHeaderBytes;;) {
    MQ_ASSIGN(const std::optional<int64_t> found, FindRecord(file, from));
    if (!found) break;
    MQ_ASSIGN(const RecordCheck hidden, CheckAt(file, *found));
    if (hidden.message.store_timestamp >= last_time_) {
      item.kind = LogItemKind::kDamage;
      item.bytes = *found - position_.value();
      item.reason = kHidesRecords;
      break;
    }
    from = *found + hidden.bytes;
  }
  position_ += item.bytes;
  return item;
}

Result<bool> DumpLog::HasNext() {
  const File* file = FileOf(position_);
  if (file == nullptr) return FileBehind(position_) != nullptr;
  MQ_ASSIGN(const bool there, OpenFile(*file));
  if (!there) return true;
  MQ_ASSIGN(const RecordCheck check, CheckAt(*file, position_.value()));
  return check.kind != RecordKind::kBad;
}

Result<std::optional<LogItem>> DumpLog::RecordAt(PhysicalOffset position) {
  const File* file = FileOf(position);
  if (file == nullptr) return std::optional<LogItem>();
  MQ_ASSIGN(const bool there, OpenFile(*file));
  if (!there) return std::optional<LogItem>();
  MQ_ASSIGN(const RecordCheck check, CheckAt(*file, position.value()));
  if (check.kind != RecordKind::kMessage) return std::optional<LogItem>();
  LogItem item;
  item.position = position;
  item.bytes = check.bytes;
  item.message = check.message;
  return std::optional<LogItem>(std::move(item));
}

Result<std::string_view> DumpLog::BytesAt(PhysicalOffset position, int64_t size) {
  const File* file = FileOf(position);
  if (file == nullptr) return std::string_view();
  MQ_ASSIGN(const bool there, OpenFile(*file));
  if (!there) return std::string_view();
  return file_.Read(position.value() - file->start, std::min(size, EndOf(*file) - position.value()));
}

}  // namespace mq::store
