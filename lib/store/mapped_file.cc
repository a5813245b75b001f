#include "store/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/resource_limits.h"
#include "store/file_maker.h"
#include "store/layout.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace mq::store {

namespace {

// Page-aligned start and length of [from, to) of a mapping.
std::pair<int64_t, int64_t> PageRange(int64_t from, int64_t to) {
  const int64_t start = from / kPageBytes * kPageBytes;
  return {start, to - start};
}

}  // namespace

Result<MappedFile> MappedFile::Open(const std::string& path, int64_t start, int64_t bytes, bool writable) {
  UniqueFd fd(::open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid() && errno == EISDIR) return MakeError(ErrorCode::kCorruption, path + " is no file");
  if (!fd.valid()) {
    return NameLimit(ErrnoError(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "open " + path));
  }
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path);
  if (!S_ISREG(status.st_mode)) return MakeError(ErrorCode::kCorruption, path + " is no file");
  if (status.st_size != bytes) {
    return MakeError(ErrorCode::kCorruption,
                     path + " has " + std::to_string(status.st_size) + " bytes instead of " + std::to_string(bytes));
  }
  auto region = writable ? MappedRegion::ReadWrite(fd.get(), static_cast<size_t>(bytes), path)
                         : MappedRegion::ReadOnly(fd.get(), static_cast<size_t>(bytes), path);
  if (!region) return std::move(region).error();
  MappedFile file;
  file.path_ = path;
  file.fd_ = std::move(fd);
  file.region_ = std::move(*region);
  file.data_ = file.region_.data();
  file.start_ = start;
  file.bytes_ = bytes;
  return file;
}

Result<MappedFile> MappedFile::OpenReadOnly(const std::string& path, int64_t start, int64_t bytes) {
  return Open(path, start, bytes, false);
}
Result<MappedFile> MappedFile::OpenReadWrite(const std::string& path, int64_t start, int64_t bytes) {
  return Open(path, start, bytes, true);
}

Status MappedFile::Sync(int64_t from, int64_t to, FileOps& file_ops) const {
  if (from >= to) return Ok();
  auto [start, length] = PageRange(from, to);
  MQ_TRY(file_ops.SyncRange(data_ + start, static_cast<size_t>(length), path_));
  return CheckNotCut();
}

Status MappedFile::SyncWritten(FileOps& file_ops) const {
  MQ_TRY(file_ops.Sync(fd_.get(), path_));
  return CheckNotCut();
}

Status MappedFile::CheckNotCut() const {
  // Of a file that somebody cut there is nothing to sync, and msync says that all is well.
  struct stat now {};
  if (::fstat(fd_.get(), &now) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path_);
  if (now.st_size < bytes_) {
    return MakeError(ErrorCode::kIo,
                     path_ + " was cut to " + std::to_string(now.st_size) + " bytes while it was written");
  }
  return Ok();
}

Status MappedFile::Populate(int64_t from, int64_t to) const {
  if (from >= to) return Ok();
  auto [start, length] = PageRange(from, to);
  if (::madvise(data_ + start, static_cast<size_t>(length), MADV_POPULATE_WRITE) == 0) return Ok();
  // An older kernel does not know it: pages are then touched by their first write, only slower.
  if (errno == EINVAL) return Ok();
  return ErrnoError(ErrorCode::kIo, "populate pages of " + path_);
}

void MappedFile::WillNeed(int64_t from, int64_t to) const {
  if (from >= to) return;
  auto [start, length] = PageRange(from, to);
  ::madvise(data_ + start, static_cast<size_t>(length), MADV_WILLNEED);
}

Status CreateMappedFile(const std::string& directory, int64_t start, int64_t bytes, int64_t written_bytes) {
  if (PathExists(directory + "/" + MappedFileName(start))) return Ok();
  FileMaker maker(bytes, written_bytes);
  MQ_TRY(maker.Begin(directory, start));
  MQ_TRY(maker.Write(written_bytes));
  return maker.Finish();
}

MappedFileReader::MappedFileReader(std::string directory, int64_t file_bytes, size_t window)
    : MappedFileReader(std::vector<std::string>{std::move(directory)}, file_bytes, window) {}

MappedFileReader::MappedFileReader(std::vector<std::string> directories, int64_t file_bytes, size_t window)
    : directories_(std::move(directories)), file_bytes_(file_bytes), window_(window) {}

Result<MappedFile> MappedFileReader::Open(int64_t start) const {
  const std::string name = MappedFileName(start);
  for (size_t i = 0;; ++i) {
    auto file = MappedFile::OpenReadOnly(JoinPath(directories_[i], name), start, file_bytes_);
    if (file || file.error().code != ErrorCode::kNotFound || i + 1 == directories_.size()) return file;
  }
}

Result<FilePin> MappedFileReader::Get(int64_t offset) {
  const int64_t start = offset / file_bytes_ * file_bytes_;
  for (Entry& entry : entries_) {
    if (entry.pin->start() == start) {
      entry.used = ++clock_;
      return entry.pin;
    }
  }
  MQ_ASSIGN(MappedFile file, Open(start));
  if (entries_.size() >= window_) {
    auto oldest = std::min_element(entries_.begin(), entries_.end(),
                                   [](const Entry& a, const Entry& b) { return a.used < b.used; });
    entries_.erase(oldest);
  }
  entries_.push_back({std::make_shared<const MappedFile>(std::move(file)), ++clock_});
  return entries_.back().pin;
}

void MappedFileReader::Forget() { entries_.clear(); }

void MappedFileReader::ForgetBelow(int64_t min) {
  std::erase_if(entries_, [min](const Entry& entry) { return entry.pin->end() <= min; });
}

}  // namespace mq::store
