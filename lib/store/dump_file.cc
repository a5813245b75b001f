#include "store/dump_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/file.h"

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

namespace {

std::string_view KindOf(mode_t mode) {
  if (S_ISREG(mode)) return {};
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a fifo";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISLNK(mode)) return "a link that leads nowhere";
  return "a device";
}

}  // namespace

Result<std::vector<FoundFile>> ListFound(const std::string& directory) {
  std::vector<FoundFile> found;
  auto names = ListDirectory(directory);
  if (!names && (names.error().code == ErrorCode::kNotFound || names.error().sys_errno == ENOTDIR)) return found;
  if (!names) return std::move(names).error();
  for (const std::string& name : *names) {
    const std::string path = JoinPath(directory, name);
    struct stat status;
    // A link is what it leads to, and itself where it leads nowhere.
    if (::stat(path.c_str(), &status) != 0 && ::lstat(path.c_str(), &status) != 0) continue;  // gone meanwhile
    found.push_back({name, KindOf(status.st_mode), status.st_size});
  }
  return found;
}

Result<std::vector<FileEntry>> ListDumpFiles(const std::string& directory) {
  MQ_ASSIGN(const std::vector<FoundFile> found, ListFound(directory));
  std::vector<FileEntry> files;
  for (const FoundFile& file : found) {
    const auto start = ParseMappedFileName(file.name);
    if (start && file.kind.empty()) files.push_back({*start, file.bytes});
  }
  return files;
}

int64_t UsualSize(const std::vector<int64_t>& sizes) {
  std::map<int64_t, int> counts;
  for (const int64_t size : sizes) ++counts[size];
  int64_t usual = 0;
  int most = 0;
  for (const auto& [size, count] : counts) {
    if (count < most || size <= 0) continue;
    most = count;
    usual = size;
  }
  return usual;
}

std::string WithoutPath(std::string_view what, std::string_view path) {
  if (path.empty() || !what.starts_with(path)) return std::string(what);
  what.remove_prefix(path.size());
  while (!what.empty() && (what.front() == ':' || what.front() == ' ')) what.remove_prefix(1);
  return std::string(what);
}

bool IsZero(std::string_view bytes) {
  return bytes.empty() || (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace mq::store
