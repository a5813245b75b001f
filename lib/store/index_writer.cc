#include "store/index_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/crc32.h"
#include "base/file.h"
#include "base/java_hash.h"
#include "base/kill_point.h"

namespace mq::store {

namespace {

// Entry blocks are allocated in steps of this: an index of a few keys does not cost a whole file.
constexpr int64_t kAllocateBytes = 1 << 20;

Status AllocateBlocks(const MappedFile& file, int64_t from, int64_t to) {
  if (::fallocate(file.fd(), 0, from, to - from) == 0 || errno == EOPNOTSUPP || errno == ENOSYS) return Ok();
  return ErrnoError(ErrorCode::kIo, "allocate blocks of " + file.path());
}

}  // namespace

IndexWriter::IndexWriter(const StoreOptions& options, const IndexCheck& start)
    : options_(options),
      layout_(options.root),
      files_(start.files),
      last_record_(start.resume_record),
      keys_done_(start.resume_keys) {}

Status IndexWriter::Put(const protocol::MessageView& message) {
  if (!EntersIndex(message.sys_flag) || message.physical_offset < last_record_) return Ok();
  if (message.physical_offset != last_record_) keys_done_ = 0;
  if (message.topic != topic_ || topic_hash_ == 0) {
    topic_ = message.topic;
    topic_hash_ = static_cast<uint32_t>(JavaHash("#", static_cast<uint32_t>(JavaHash(topic_))));
  }
  Status done = Ok();
  int32_t key_number = 0;
  ForEachIndexKey(message.properties, [&](std::string_view key) {
    if (key_number++ < keys_done_) return true;
    if (full()) return false;
    done = PutKey(IndexKeyHash(topic_hash_, key), message);
    if (!done) return false;
    last_record_ = message.physical_offset;
    keys_done_ = key_number;
    return true;
  });
  return done;
}

Status IndexWriter::PutKey(int32_t hash, const protocol::MessageView& message) {
  MQ_TRY(OpenForPut());
  IndexHeader& header = files_.back().header;
  IndexView& view = open_->view;
  const int32_t number = header.count;
  MQ_TRY(AllocateEntry(number));
  const int32_t slot = view.SlotOf(hash);
  int32_t previous = view.LoadSlot(slot);
  if (previous < 0 || previous >= number) previous = 0;
  const int32_t seconds = IndexSeconds(header.begin_timestamp, message.store_timestamp);
  view.StoreEntry(number, {hash, message.physical_offset, seconds, previous});
  PassKillPoint(KillPoint::kIndexEntryWritten);
  view.StoreSlot(slot, number);
  PassKillPoint(KillPoint::kIndexSlotWritten);
  if (number == 1) {
    header.begin = message.physical_offset;
    header.begin_timestamp = message.store_timestamp;
  }
  if (previous == 0) ++header.slots_used;
  header.end = message.physical_offset;
  header.end_timestamp = message.store_timestamp;
  header.count = number + 1;
  view.StoreHeader(header);
  PassKillPoint(KillPoint::kIndexHeaderWritten);
  view.PublishCount(header.count);
  return Ok();
}

Status IndexWriter::OpenForPut() {
  if (files_.empty() || files_.back().header.count >= options_.index_entries) return CreateNext();
  return open_ != nullptr ? Ok() : OpenLast();
}

Status IndexWriter::OpenLast() {
  const std::string path = layout_.IndexFile(files_.back().name);
  MQ_ASSIGN(MappedFile file, MappedFile::OpenReadWrite(path, 0, IndexFileBytes(options_)));
  const IndexView view(file.mutable_data(), options_.index_slots, options_.index_entries);
  // Slots are hit at random: all of them have their blocks from the start.
  MQ_TRY(AllocateBlocks(file, 0, view.EntriesStart()));
  IndexHeader& header = files_.back().header;
  if (header.count == 1 && files_.size() > 1) {
    // Until its first put a file stands in for the end of the one before: the first entry's seconds count from there.
    const IndexHeader& before = files_[files_.size() - 2].header;
    header.begin_timestamp = header.end_timestamp = before.end_timestamp;
    header.begin = header.end = before.end;
  }
  open_ = std::make_unique<OpenFile>(OpenFile{files_.back().name, std::move(file), view, 0, header.count});
  return Ok();
}

// RocketMQ extends an index file of a wrong size, so the file has its size and its slots before its name: one that
// cannot be made leaves nothing behind, however often it is tried.
Status IndexWriter::CreateNext() {
  const std::string name = IndexFileName(NowMs(), files_.empty() ? std::string_view() : files_.back().name);
  const std::string path = layout_.IndexFile(name);
  UniqueFd fd(::open(layout_.IndexDir().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644));
  if (!fd.valid() && errno == ENOENT) {
    MQ_TRY(MakeDirectories(layout_.IndexDir()));
    fd = UniqueFd(::open(layout_.IndexDir().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644));
  }
  if (!fd.valid()) return ErrnoError(ErrorCode::kIo, "create " + path);
  const int64_t slots_end = IndexView(nullptr, options_.index_slots, options_.index_entries).EntriesStart();
  if (::ftruncate(fd.get(), IndexFileBytes(options_)) != 0) return ErrnoError(ErrorCode::kIo, "size " + path);
  PassKillPoint(KillPoint::kIndexFileSized);
  if (::fallocate(fd.get(), 0, 0, slots_end) != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    return ErrnoError(ErrorCode::kIo, "allocate blocks of " + path);
  }
  const std::string unnamed = "/proc/self/fd/" + std::to_string(fd.get());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    return ErrnoError(ErrorCode::kIo, "name " + path);
  }
  if (open_ != nullptr) full_.push_back(std::move(open_));
  files_.push_back({name, IndexHeader(), 0});
  new_names_ = true;
  PassKillPoint(KillPoint::kIndexFileNamed);
  return OpenLast();
}

Status IndexWriter::AllocateEntry(int32_t number) {
  const int64_t end = open_->view.EntryStart(number) + kIndexEntryBytes;
  if (end <= open_->allocated) return Ok();
  const int64_t to = std::min((end / kAllocateBytes + 1) * kAllocateBytes, open_->file.bytes());
  MQ_TRY(AllocateBlocks(open_->file, open_->view.EntryStart(number), to));
  open_->allocated = to;
  return Ok();
}

Status IndexWriter::SyncFile(OpenFile& open, MarkedIndexFile& file) {
  const int32_t count = file.header.count;
  if (open.dirty_from >= count) return Ok();
  MQ_TRY(open.file.Sync(0, open.view.EntriesStart()));
  MQ_TRY(open.file.Sync(open.view.EntryStart(open.dirty_from), open.view.EntryStart(count)));
  if (file.crc) file.crc = ExtendCrc32(*file.crc, open.view.EntryBytes(open.dirty_from, count));
  open.dirty_from = count;
  return Ok();
}

MarkedIndexFile* IndexWriter::Find(std::string_view name) {
  const auto is = [name](const MarkedIndexFile& file) { return file.name == name; };
  const auto file = std::find_if(files_.begin(), files_.end(), is);
  return file == files_.end() ? nullptr : &*file;
}

Status IndexWriter::Sync() {
  for (const auto& open : full_) {
    MarkedIndexFile* file = Find(open->name);
    if (file != nullptr) MQ_TRY(SyncFile(*open, *file));  // else trimmed since
  }
  full_.clear();
  if (open_ != nullptr) MQ_TRY(SyncFile(*open_, files_.back()));
  if (!new_names_) return Ok();
  MQ_TRY(FsyncDirectory(layout_.IndexDir()));
  new_names_ = false;
  return Ok();
}

std::vector<MarkedIndexFile> IndexWriter::SummedFiles() const {
  std::vector<MarkedIndexFile> files = files_;
  const auto forget = [&files](const OpenFile& open) {
    for (MarkedIndexFile& file : files) {
      if (file.name == open.name && open.dirty_from < file.header.count) file.crc.reset();
    }
  };
  for (const auto& open : full_) forget(*open);
  if (open_ != nullptr) forget(*open_);
  return files;
}

void IndexWriter::Replace(const MarkedIndexFile& file) {
  if (MarkedIndexFile* known = Find(file.name)) *known = file;
}

void IndexWriter::Drop(std::string_view name) {
  std::erase_if(files_, [name](const MarkedIndexFile& file) { return file.name == name; });
}

Status IndexWriter::Trim(PhysicalOffset log_min) {
  while (files_.size() > 1 && files_.front().header.end < log_min) {
    MQ_TRY(FileOps::Real().Unlink(layout_.IndexFile(files_.front().name)));
    PassKillPoint(KillPoint::kIndexFileTrimmed);
    // One after the other, as with queue files: what a power cut brings back follows on without a hole.
    MQ_TRY(FsyncDirectory(layout_.IndexDir()));
    files_.erase(files_.begin());
  }
  return Ok();
}

}  // namespace mq::store
