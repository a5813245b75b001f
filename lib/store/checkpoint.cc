#include "store/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/file.h"
#include "base/kill_point.h"

namespace mq::store {

namespace {

constexpr size_t kFlushedAt = kFlushedByte;
constexpr size_t kLogMinAt = kLogMinByte;
constexpr size_t kHeadBytes = kLogMinAt + 16;

// Belongs to this position and this time alone: neither changes without the other.
int64_t ProofOf(int64_t position, int64_t physic_timestamp) { return physic_timestamp ^ ~position; }

void Encode(const Checkpoint& checkpoint, std::string& head) {
  const auto put = [&](size_t at, int64_t value) { StoreBe64(head.data() + at, static_cast<uint64_t>(value)); };
  put(0, checkpoint.physic_timestamp);
  put(8, checkpoint.logics_timestamp);
  put(16, checkpoint.index_timestamp);
  put(kFlushedAt, checkpoint.flushed.value());
  put(kFlushedAt + 8, ProofOf(checkpoint.flushed.value(), checkpoint.physic_timestamp));
  put(kLogMinAt, checkpoint.log_min.value());
  put(kLogMinAt + 8, ProofOf(checkpoint.log_min.value(), checkpoint.physic_timestamp));
}

}  // namespace

Checkpoint DecodeCheckpoint(std::string_view bytes) {
  const auto number = [&](size_t at) { return static_cast<int64_t>(LoadBe64(bytes.data() + at)); };
  Checkpoint checkpoint = {number(0), number(8), number(16), PhysicalOffset(0), false, PhysicalOffset(-1)};
  if (bytes.size() < kHeadBytes) return checkpoint;
  const auto is_proved = [&](size_t at) {
    return number(at) >= 0 && number(at + 8) == ProofOf(number(at), checkpoint.physic_timestamp);
  };
  if (is_proved(kFlushedAt)) checkpoint.flushed = PhysicalOffset(number(kFlushedAt));
  if (is_proved(kLogMinAt)) checkpoint.log_min = PhysicalOffset(number(kLogMinAt));
  checkpoint.proved = is_proved(kFlushedAt) || is_proved(kLogMinAt);
  return checkpoint;
}

Result<std::optional<Checkpoint>> ReadCheckpoint(const std::string& path) {
  auto bytes = ReadFile(path);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::kNotFound) return std::optional<Checkpoint>();
    return std::move(bytes).error();
  }
  if (bytes->size() < kCheckpointTimesBytes) return std::optional<Checkpoint>();
  const Checkpoint checkpoint = DecodeCheckpoint(*bytes);
  const bool says_nothing =
      checkpoint.physic_timestamp == 0 && checkpoint.logics_timestamp == 0 && checkpoint.index_timestamp == 0;
  if (says_nothing && !checkpoint.proved) return std::optional<Checkpoint>();
  return std::optional<Checkpoint>(checkpoint);
}

Result<CheckpointFile> CheckpointFile::Open(const std::string& path) {
  CheckpointFile file;
  file.path_ = path;
  file.fd_ = UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.fd_.valid()) return ErrnoError(ErrorCode::kIo, "open " + path);
  struct stat status;
  if (::fstat(file.fd_.get(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path);
  if (status.st_size < kCheckpointBytes) {
    if (::ftruncate(file.fd_.get(), kCheckpointBytes) != 0) return ErrnoError(ErrorCode::kIo, "size " + path);
    if (::fsync(file.fd_.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path);
    MQ_TRY(FsyncDirectory(DirectoryOf(path)));
  }
  file.head_.resize(kHeadBytes);
  if (::pread(file.fd_.get(), file.head_.data(), kHeadBytes, 0) != static_cast<ssize_t>(kHeadBytes)) {
    return ErrnoError(ErrorCode::kIo, "read " + path);
  }
  file.current_ = DecodeCheckpoint(file.head_);
  return file;
}

Status CheckpointFile::Note(Checkpoint checkpoint) {
  checkpoint.proved = true;
  if (checkpoint == current_) return Ok();
  Encode(checkpoint, head_);
  // One sector of one page: written whole or not at all.
  MQ_TRY(WriteAt(fd_.get(), head_, 0, path_));
  current_ = checkpoint;
  unsynced_ = true;
  return Ok();
}

Status CheckpointFile::Write(Checkpoint checkpoint) {
  MQ_TRY(Note(checkpoint));
  if (!unsynced_) return Ok();
  PassKillPoint(KillPoint::kCheckpointWritten);
  if (::fdatasync(fd_.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path_);
  unsynced_ = false;
  return Ok();
}

}  // namespace mq::store
