#include "store/file_maker.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/resource_limits.h"
#include "store/layout.h"

namespace mq::store {

FileMaker::FileMaker(int64_t file_bytes, int64_t zero_bytes)
    : file_bytes_(file_bytes), zero_bytes_(std::min(zero_bytes, file_bytes)) {}

std::string FileMaker::PathOf(int64_t start) const { return directory_ + "/" + MappedFileName(start); }

Status FileMaker::Begin(std::string directory, int64_t start) {
  directory_ = std::move(directory);
  UniqueFd fd(::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644));
  if (!fd.valid()) return NameLimit(ErrnoError(ErrorCode::kIo, "create a file in " + directory_));
  if (::ftruncate(fd.get(), file_bytes_) != 0) return NameLimit(ErrnoError(ErrorCode::kIo, "size " + PathOf(start)));
  PassKillPoint(KillPoint::kLogFileSized);
  // A full disk is found here, as a refusal, and not later as a signal in the broker's mapping.
  if (::fallocate(fd.get(), 0, 0, file_bytes_) != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    return ErrnoError(ErrorCode::kIo, "allocate " + std::to_string(file_bytes_) + " bytes for " + PathOf(start));
  }
  PassKillPoint(KillPoint::kLogFileAllocated);
  fd_ = std::move(fd);
  start_ = start;
  written_ = 0;
  return Ok();
}

Result<bool> FileMaker::Write(int64_t max_bytes) {
  static const std::string zeros(1 << 20, '\0');
  const int64_t stop = std::min(written_ + max_bytes, zero_bytes_);
  const int64_t from = written_;
  while (written_ < stop) {
    const auto piece = static_cast<size_t>(std::min<int64_t>(stop - written_, static_cast<int64_t>(zeros.size())));
    MQ_TRY(WriteAt(fd_.get(), std::string_view(zeros).substr(0, piece), written_, PathOf(start_)));
    written_ += static_cast<int64_t>(piece);
  }
  // Write-back begins now, so that the sync before naming finds little to do.
  if (written_ > from) ::sync_file_range(fd_.get(), from, written_ - from, SYNC_FILE_RANGE_WRITE);
  return written_ >= zero_bytes_;
}

Status FileMaker::Finish() {
  const std::string path = PathOf(start_);
  // The size must be durable before the name is: a file of a wrong size is never seen, also not after a
  // power cut.
  if (::fsync(fd_.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path);
  PassKillPoint(KillPoint::kLogFileSynced);
  const std::string unnamed = "/proc/self/fd/" + std::to_string(fd_.get());
  if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0 && errno != EEXIST) {
    return ErrnoError(ErrorCode::kIo, "name " + path);
  }
  PassKillPoint(KillPoint::kLogFileNamed);
  fd_.Reset();
  return FsyncDirectory(directory_);
}

}  // namespace mq::store
