#include "store/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/kill_point.h"

namespace mq::store {

namespace {

constexpr size_t kTimesBytes = 24;

Checkpoint DecodeTimes(const char* bytes) {
  return {static_cast<int64_t>(LoadBe64(bytes)), static_cast<int64_t>(LoadBe64(bytes + 8)),
          static_cast<int64_t>(LoadBe64(bytes + 16))};
}

}  // namespace

Result<std::optional<Checkpoint>> ReadCheckpoint(const std::string& path) {
  auto bytes = ReadFile(path);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::kNotFound) return std::optional<Checkpoint>();
    return std::move(bytes).error();
  }
  if (bytes->size() < kTimesBytes) return std::optional<Checkpoint>();
  const Checkpoint checkpoint = DecodeTimes(bytes->data());
  if (checkpoint == Checkpoint{}) return std::optional<Checkpoint>();
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
  char bytes[kTimesBytes];
  if (::pread(file.fd_.get(), bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    return ErrnoError(ErrorCode::kIo, "read " + path);
  }
  file.current_ = DecodeTimes(bytes);
  return file;
}

Status CheckpointFile::Write(const Checkpoint& checkpoint) {
  if (checkpoint == current_) return Ok();
  char bytes[kTimesBytes];
  StoreBe64(bytes, static_cast<uint64_t>(checkpoint.physic_timestamp));
  StoreBe64(bytes + 8, static_cast<uint64_t>(checkpoint.logics_timestamp));
  StoreBe64(bytes + 16, static_cast<uint64_t>(checkpoint.index_timestamp));
  // One sector of one page: written whole or not at all.
  MQ_TRY(WriteAt(fd_.get(), std::string_view(bytes, sizeof bytes), 0, path_));
  PassKillPoint(KillPoint::kCheckpointWritten);
  if (::fdatasync(fd_.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path_);
  current_ = checkpoint;
  return Ok();
}

}  // namespace mq::store
