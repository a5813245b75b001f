#include "store/queue_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "base/resource_limits.h"
#include "store/first_record.h"

namespace mq::store {

namespace {

constexpr QueueEntry kPreBlank{PhysicalOffset(0), kPreBlankSize, 0};
// Blocks are allocated in steps of this: a queue of a few messages does not cost a whole file.
constexpr int64_t kAllocateBytes = 64 * 1024;
// Mapped at once while it is looked for what has expired.
constexpr size_t kFilesSearched = 2;

log::RateLimit& AnomalyLog() {
  static log::RateLimit limit(20);
  return limit;
}

void WarnOfNumbering(const QueueName& name, QueueOffset expected, QueueOffset found, const char* what) {
  uint64_t suppressed = 0;
  if (!AnomalyLog().Allow(&suppressed)) return;
  log::Warn("store.reput", what)
      .Field("topic", name.topic)
      .Field("queue", name.queue_id)
      .Field("expected", expected.value())
      .Field("found", found.value())
      .Field("suppressed", suppressed);
}

}  // namespace

QueueWriter::QueueWriter(const StoreOptions& options, QueueName name, std::optional<KeptQueue> start)
    : options_(options),
      name_(std::move(name)),
      directory_(StoreLayout(options.root).QueueDir(name_.topic, name_.queue_id)) {
  if (!start) return;
  started_ = true;
  first_ = start->marked.first;
  end_ = start->marked.end;
  pending_ = start->marked.pending;
  derived_ = start->derived;
  dirty_from_ = end_bytes();
}

std::optional<MarkedQueue> QueueWriter::marked() const {
  if (!started_) return std::nullopt;
  return MarkedQueue{first_, end_, pending_};
}

Status QueueWriter::Put(QueueOffset offset, const QueueEntry& entry, QueueAnomalies& anomalies) {
  if (entry.physical_offset < derived_) return Ok();
  if (pending_) {
    const bool follows = offset == pending_->offset + 1 && entry.physical_offset > pending_->entry.physical_offset;
    if (follows) MQ_TRY(Believe(*pending_, entry.physical_offset, anomalies));
    pending_.reset();
  }
  if (started_ && offset == end_) return AppendEntry(entry);
  if (offset > kMaxQueueOffset) {
    ++anomalies.jumps;
    return Ok();
  }
  if (!started_) {
    MQ_TRY(StartAt(offset));
    MQ_TRY(AppendEntry(entry));
    alone_ = offset;
    return Ok();
  } else if (offset < end_) {
    return PutBelowEnd(offset, entry, anomalies);
  } else if (offset - end_ > kMaxGapEntries) {
    ++anomalies.jumps;
    WarnOfNumbering(name_, end_, offset, "queue offset jumps too far: the record gets no queue entry by itself");
    if (offset - end_ <= kMaxBelievedGap) pending_ = {offset, entry};
    return Ok();
  } else {
    MQ_TRY(FillGap(offset, anomalies));
  }
  return AppendEntry(entry);
}

// Two records that follow one another: from 0 on they are a new life of the topic, of whose deletion nothing is known
// (mq/tombstones is gone, or the store is RocketMQ's), else there is a lost stretch in front of them. One alone has a
// damaged offset.
Status QueueWriter::Believe(const PendingRecord& record, PhysicalOffset confirmed_at, QueueAnomalies& anomalies) {
  if (record.offset.value() == 0) {
    return StartAgain(record.offset, record.entry, confirmed_at,
                      "queue offsets begin again at 0: what was there is of a former life");
  }
  // The numbers in between may have been kept meanwhile.
  if (record.offset < end_) return PutBelowEnd(record.offset, record.entry, anomalies);
  if (record.offset > end_) MQ_TRY(FillGap(record.offset, anomalies));
  return AppendEntry(record.entry);
}

Status QueueWriter::KeepNumbers(QueueOffset end, PhysicalOffset known_at, QueueAnomalies& anomalies) {
  if (began_again_ >= known_at) return Ok();
  if (!started_ && end.value() > 0) {
    MQ_TRY(StartAt(end - 1));
    return AppendEntry(kPreBlank);
  }
  return end <= end_ || end - end_ > kMaxBelievedGap ? Ok() : FillGap(end, anomalies);
}

// The first file of a queue starts at a file boundary; what lies before its first record is pre-blank.
Status QueueWriter::StartAt(QueueOffset offset) {
  const int64_t position = offset.value() * kQueueEntryBytes;
  first_ = position / options_.consume_queue_file_bytes * options_.consume_queue_file_bytes;
  end_ = QueueOffset(first_ / kQueueEntryBytes);
  dirty_from_ = first_;
  while (end_ < offset) MQ_TRY(AppendEntry(kPreBlank));
  started_ = true;
  return Ok();
}

Status QueueWriter::FillGap(QueueOffset offset, QueueAnomalies& anomalies) {
  ++anomalies.gaps;
  WarnOfNumbering(name_, end_, offset, "gap in queue offsets, filled with empty entries");
  while (end_ < offset) MQ_TRY(AppendEntry(kPreBlank));
  return Ok();
}

// An earlier file is mapped for a look, in the place of the one before; nothing when it has gone.
Result<MappedFile*> QueueWriter::WrittenFile(int64_t position) {
  if (file_ != nullptr && position >= file_->start()) return file_.get();
  for (const auto& file : full_files_) {
    if (position >= file->start() && position < file->end()) return file.get();
  }
  if (below_ != nullptr && position >= below_->start() && position < below_->end()) return below_.get();
  const int64_t start = position / options_.consume_queue_file_bytes * options_.consume_queue_file_bytes;
  const std::string path = directory_ + "/" + MappedFileName(start);
  auto file = MappedFile::OpenReadWrite(path, start, options_.consume_queue_file_bytes);
  if (!file && file.error().code == ErrorCode::kNotFound) return nullptr;
  if (!file) return std::move(file).error();
  below_ = std::make_unique<MappedFile>(std::move(*file));
  return below_.get();
}

// Positions grow along a queue. A record that claimed too high an offset left a gap in front of it, which those that
// it overtook now fill, and sits in the place of one that follows them. The entry in front may lie in another file.
Result<bool> QueueWriter::HasOvertaken(const QueueEntry& entry, int64_t position) {
  const int64_t in_front = position - kQueueEntryBytes;
  if (in_front < first_) return false;
  MQ_ASSIGN(const MappedFile* file, WrittenFile(in_front));
  if (file == nullptr) return false;
  return LoadQueueEntry(file->data() + (in_front - file->start())).physical_offset > entry.physical_offset;
}

Status QueueWriter::PutBelowEnd(QueueOffset offset, const QueueEntry& entry, QueueAnomalies& anomalies) {
  const int64_t position = offset.value() * kQueueEntryBytes;
  if (position < first_ && alone_.value() >= 0) {
    return StartAgain(offset, entry, entry.physical_offset,
                      "the first queue offset was too high: the queue starts again");
  }
  MQ_ASSIGN(MappedFile * file, WrittenFile(position));
  if (file == nullptr || position < first_) {
    if (offset.value() == 0) pending_ = {offset, entry};
    return Ok();
  }
  const QueueEntry there = LoadQueueEntry(file->data() + (position - file->start()));
  if (there.physical_offset == entry.physical_offset && !there.IsPreBlank()) return Ok();
  bool overtaken = false;
  if (!there.IsPreBlank() && entry.physical_offset > there.physical_offset) {
    MQ_ASSIGN(overtaken, HasOvertaken(there, position));
    // That look may have unmapped it.
    MQ_ASSIGN(file, WrittenFile(position));
    if (file == nullptr) return Ok();
  }
  if (!there.IsPreBlank() && !overtaken) {
    if (offset.value() == 0 && entry.physical_offset > there.physical_offset) pending_ = {offset, entry};
    ++anomalies.conflicts;
    WarnOfNumbering(name_, end_, offset, "queue offset is taken by another record: the record gets no queue entry");
    return Ok();
  }
  StoreQueueEntry(file->mutable_data() + (position - file->start()), entry);
  if (file == below_.get()) return below_->Sync(position - file->start(), position - file->start() + kQueueEntryBytes);
  dirty_from_ = std::min(dirty_from_, position);
  return Ok();
}

// What was written does not count: a single record with a wrong offset, or a former life of the topic.
Status QueueWriter::StartAgain(QueueOffset offset, const QueueEntry& entry, PhysicalOffset shown_at, const char* why) {
  WarnOfNumbering(name_, end_, offset, why);
  began_again_ = shown_at;
  file_.reset();
  below_.reset();
  full_files_.clear();
  MQ_TRY(RemoveTree(directory_));
  started_ = false;
  MQ_TRY(StartAt(offset));
  return AppendEntry(entry);
}

Status QueueWriter::AppendEntry(const QueueEntry& entry) {
  const int64_t position = end_bytes();
  alone_ = QueueOffset(-1);
  if (file_ == nullptr || position >= file_->end()) MQ_TRY(OpenFileFor(position));
  const int64_t in_file = position - file_->start();
  if (in_file + kQueueEntryBytes > allocated_in_file_) MQ_TRY(AllocateAhead(in_file));
  StoreQueueEntry(file_->mutable_data() + in_file, entry);
  ++end_;
  PassKillPoint(KillPoint::kQueueEntryWritten);
  return Ok();
}

Status QueueWriter::OpenFileFor(int64_t position) {
  const int64_t start = position / options_.consume_queue_file_bytes * options_.consume_queue_file_bytes;
  const std::string path = directory_ + "/" + MappedFileName(start);
  auto file = MappedFile::OpenReadWrite(path, start, options_.consume_queue_file_bytes);
  if (!file && file.error().code == ErrorCode::kNotFound) {
    MQ_TRY(CreateFile(start));
    file = MappedFile::OpenReadWrite(path, start, options_.consume_queue_file_bytes);
  }
  if (!file) return std::move(file).error();
  if (file_ != nullptr && dirty_from_ < file_->end()) full_files_.push_back(std::move(file_));
  file_ = std::make_unique<MappedFile>(std::move(*file));
  allocated_in_file_ = 0;
  return Ok();
}

// RocketMQ refuses a store with a queue file of a wrong size, so the file has its size before its name.
Status QueueWriter::CreateFile(int64_t start) {
  auto unnamed = [this] { return UniqueFd(::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644)); };
  UniqueFd fd = unnamed();
  if (!fd.valid() && errno == ENOENT) {
    MQ_TRY(MakeDirectories(directory_));
    fd = unnamed();
  }
  const std::string path = directory_ + "/" + MappedFileName(start);
  if (!fd.valid()) return NameLimit(ErrnoError(ErrorCode::kIo, "create " + path));
  if (::ftruncate(fd.get(), options_.consume_queue_file_bytes) != 0) {
    return NameLimit(ErrnoError(ErrorCode::kIo, "size " + path));
  }
  PassKillPoint(KillPoint::kQueueFileSized);
  const std::string proc = "/proc/self/fd/" + std::to_string(fd.get());
  if (::linkat(AT_FDCWD, proc.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    return ErrnoError(ErrorCode::kIo, "name " + path);
  }
  new_names_ = true;
  PassKillPoint(KillPoint::kQueueFileNamed);
  return Ok();
}

// A full disk is an error here, not a signal when the mapped page is written.
Status QueueWriter::AllocateAhead(int64_t position_in_file) {
  const int64_t from = position_in_file / kAllocateBytes * kAllocateBytes;
  int64_t to = std::min(from + kAllocateBytes, file_->bytes());
  if (to < position_in_file + kQueueEntryBytes) to = std::min(to + kAllocateBytes, file_->bytes());
  if (::fallocate(file_->fd(), 0, from, to - from) != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    return ErrnoError(ErrorCode::kIo, "allocate blocks of " + file_->path());
  }
  allocated_in_file_ = to;
  return Ok();
}

void QueueWriter::StartWriting() const {
  // Only a start: what goes wrong is heard from the sync.
  const auto start = [](const MappedFile& file) { ::sync_file_range(file.fd(), 0, 0, SYNC_FILE_RANGE_WRITE); };
  for (const auto& file : full_files_) start(*file);
  if (file_ != nullptr && dirty_bytes() > 0) start(*file_);
}

Status QueueWriter::Sync() {
  for (const auto& file : full_files_) {
    MQ_TRY(file->Sync(std::max<int64_t>(dirty_from_ - file->start(), 0), file->bytes()));
  }
  const int64_t end = end_bytes();
  if (file_ != nullptr && dirty_from_ < end) {
    MQ_TRY(file_->Sync(std::max<int64_t>(dirty_from_ - file_->start(), 0), end - file_->start()));
  }
  if (new_names_) {
    MQ_TRY(FsyncDirectory(directory_));
  }
  full_files_.clear();
  new_names_ = false;
  dirty_from_ = end;
  return Ok();
}

Result<bool> QueueWriter::Trim(PhysicalOffset log_min) {
  if (!started_) return false;
  const int64_t file_bytes = options_.consume_queue_file_bytes;
  if (first_ + file_bytes >= end_bytes()) return false;
  MappedFileReader files(directory_, file_bytes, kFilesSearched);
  FirstRecord search(files, log_min);
  MQ_ASSIGN(const QueueOffset first, search.Find(QueueOffset(first_ / kQueueEntryBytes), end_));
  bool removed = false;
  while (first_ + file_bytes < end_bytes() && first_ + file_bytes <= first.value() * kQueueEntryBytes) {
    MQ_TRY(FileOps::Real().Unlink(directory_ + "/" + MappedFileName(first_)));
    PassKillPoint(KillPoint::kQueueFileTrimmed);
    // One after the other: a power cut may bring back the last one, never an older one with a hole behind it.
    MQ_TRY(FsyncDirectory(directory_));
    first_ += file_bytes;
    removed = true;
  }
  return removed;
}

}  // namespace mq::store
