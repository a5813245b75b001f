#include "store/dump_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mq::store {

Result<DumpFile> DumpFile::Open(const std::string& path, int64_t window_bytes) {
  DumpFile file;
  file.fd_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.fd_.valid()) return ErrnoError(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "open " + path);
  struct stat status;
  if (::fstat(file.fd_.get(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path);
  if (!S_ISREG(status.st_mode)) return MakeError(ErrorCode::kCorruption, path + " is not a file");
  file.path_ = path;
  file.bytes_ = status.st_size;
  file.window_bytes_ = window_bytes;
  return file;
}

Status DumpFile::Fill(int64_t offset, int64_t size) {
  const int64_t want = std::min(std::max(size, window_bytes_), bytes_ - offset);
  window_.resize(static_cast<size_t>(want));
  window_start_ = offset;
  int64_t have = 0;
  while (have < want) {
    const ssize_t got = ::pread(fd_.get(), window_.data() + have, static_cast<size_t>(want - have), offset + have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      window_.clear();
      return ErrnoError(ErrorCode::kIo, "read " + path_ + " at byte " + std::to_string(offset + have), error);
    }
    if (got == 0) break;
    have += got;
  }
  window_.resize(static_cast<size_t>(have));
  if (have >= size) return Ok();
  return MakeError(ErrorCode::kCorruption,
                   path_ + ": the file was cut to " + std::to_string(offset + have) + " bytes while it was read");
}

Result<std::string_view> DumpFile::Read(int64_t offset, int64_t size) {
  if (offset < 0 || size < 0 || size > bytes_ - offset) {
    return MakeError(ErrorCode::kCorruption, path_ + ":" + std::to_string(offset) + ": " + std::to_string(size) +
                                                 " bytes reach past the end of the file");
  }
  if (!Holds(offset, size)) MQ_TRY(Fill(offset, size));
  return std::string_view(window_).substr(static_cast<size_t>(offset - window_start_), static_cast<size_t>(size));
}

Result<std::string_view> DumpFile::ReadSome(int64_t offset) {
  if (offset >= bytes_) return std::string_view();
  if (!Holds(offset, 1)) MQ_TRY(Fill(offset, 1));
  return std::string_view(window_).substr(static_cast<size_t>(offset - window_start_));
}

int64_t DumpFile::DataFrom(int64_t offset) const {
  const off_t data = ::lseek(fd_.get(), offset, SEEK_DATA);
  if (data >= 0) return data;
  return errno == ENXIO ? bytes_ : offset;
}

bool IsZero(std::string_view bytes) {
  return bytes.empty() || (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace mq::store
