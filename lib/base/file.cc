#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "base/kill_point.h"

namespace mq {

Result<UniqueFd> OpenFile(const std::string& path, int flags, mode_t mode) {
  int fd;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return ErrnoError(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "open " + path);
  return UniqueFd(fd);
}

Result<UniqueFd> OpenLocked(const std::string& path) {
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0644));
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = 0;
  range.l_len = 1;
  if (::fcntl(fd.get(), F_OFD_SETLK, &range) != 0) {
    const bool held = errno == EAGAIN || errno == EACCES;
    return ErrnoError(held ? ErrorCode::kHeldByOther : ErrorCode::kIo, "lock " + path);
  }
  return fd;
}

Result<std::string> ReadFile(const std::string& path) { return ReadFileUpTo(path, SIZE_MAX); }

Result<std::string> ReadFileUpTo(const std::string& path, size_t most) {
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDONLY));
  std::string out;
  size_t used = 0;
  while (true) {
    if (out.size() - used < 16384) out.resize(std::max<size_t>(out.size() * 2, 65536));
    const ssize_t n = ::read(fd.get(), out.data() + used, out.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(ErrorCode::kIo, "read " + path);
    if (n == 0) break;
    used += static_cast<size_t>(n);
    if (used > most) {
      return MakeError(ErrorCode::kConfig, path + " is larger than " + std::to_string(most) + " bytes");
    }
  }
  out.resize(used);
  return out;
}

bool PathExists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Result<int64_t> FileSize(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) {
    return ErrnoError(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "stat " + path);
  }
  return static_cast<int64_t>(st.st_size);
}

std::string DirectoryOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string JoinPath(std::string_view a, std::string_view b) {
  std::string out(a);
  if (!out.empty() && out.back() != '/') out += '/';
  out += b;
  return out;
}

Status FsyncDirectory(const std::string& path) {
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDONLY | O_DIRECTORY));
  if (::fsync(fd.get()) != 0) return ErrnoError(ErrorCode::kIo, "fsync directory " + path);
  return Ok();
}

Status MakeDirectories(const std::string& path) {
  if (path.empty()) return Ok();
  struct stat st {};
  if (::stat(path.c_str(), &st) == 0) {
    if (S_ISDIR(st.st_mode)) return Ok();
    return MakeError(ErrorCode::kIo, path + " is not a directory");
  }
  const std::string parent = DirectoryOf(path);
  if (parent != path) MQ_TRY(MakeDirectories(parent));
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) {
    return ErrnoError(ErrorCode::kIo, "make directory " + path);
  }
  return FsyncDirectory(parent);
}

Result<std::vector<std::string>> ListDirectory(const std::string& path) {
  DIR* dir = ::opendir(path.c_str());
  if (dir == nullptr) {
    return ErrnoError(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "open directory " + path);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int err = errno;
  ::closedir(dir);
  if (err != 0) return ErrnoError(ErrorCode::kIo, "read directory " + path, err);
  std::sort(names.begin(), names.end());
  return names;
}

int DiskSpace::used_percent() const {
  const auto used = static_cast<double>(total - free);
  const double reachable = used + static_cast<double>(usable);
  return reachable <= 0 ? 0 : static_cast<int>(std::ceil(100 * used / reachable));
}

Result<DiskSpace> DiskSpaceOf(const std::string& path) {
  struct statvfs fs {};
  if (::statvfs(path.c_str(), &fs) != 0) return ErrnoError(ErrorCode::kIo, "look at the filesystem of " + path);
  const auto block = static_cast<int64_t>(fs.f_frsize);
  return DiskSpace{static_cast<int64_t>(fs.f_blocks) * block, static_cast<int64_t>(fs.f_bfree) * block,
                   static_cast<int64_t>(fs.f_bavail) * block};
}

Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return Ok();
    return ErrnoError(ErrorCode::kIo, "remove " + path);
  }
  return FsyncDirectory(DirectoryOf(path));
}

Status RemoveTree(const std::string& path) {
  std::error_code ec;
  const auto removed = std::filesystem::remove_all(path, ec);
  if (ec) return ErrnoError(ErrorCode::kIo, "remove " + path, ec.value());
  return removed == 0 ? Ok() : FsyncDirectory(DirectoryOf(path));
}

Status WriteAt(int fd, std::string_view bytes, int64_t offset, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(ErrorCode::kIo, "write " + std::string(name));
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
  return Ok();
}

Status WriteAll(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(ErrorCode::kIo, "write " + std::string(name));
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return Ok();
}

Status WriteFileAtomically(const std::string& path, std::string_view bytes, bool keep_backup) {
  const std::string tmp = path + ".tmp";
  const std::string bak = path + ".bak";
  {
    MQ_ASSIGN(UniqueFd fd, OpenFile(tmp, O_WRONLY | O_CREAT | O_TRUNC));
    Status written = WriteAll(fd.get(), bytes, tmp);
    if (written) PassKillPoint(KillPoint::kTextWritten);
    if (written && ::fsync(fd.get()) != 0) written = ErrnoError(ErrorCode::kIo, "fsync " + tmp);
    if (!written) {
      // A part of it would only take space on a disk that may have none.
      ::unlink(tmp.c_str());
      return written;
    }
  }
  PassKillPoint(KillPoint::kTextSynced);
  if (keep_backup && PathExists(path)) {
    // A second name for the old file, put in place in one step: at no moment is neither of the two whole.
    const std::string link = bak + ".tmp";
    ::unlink(link.c_str());
    if (::link(path.c_str(), link.c_str()) != 0) {
      // Another user's file, or a filesystem without links: a copy does as well.
      MQ_ASSIGN(const std::string before, ReadFile(path));
      MQ_ASSIGN(const UniqueFd copy, OpenFile(link, O_WRONLY | O_CREAT | O_TRUNC));
      MQ_TRY(WriteAll(copy.get(), before, link));
      if (::fsync(copy.get()) != 0) return ErrnoError(ErrorCode::kIo, "fsync " + link);
    }
    PassKillPoint(KillPoint::kBackupLinked);
    if (::rename(link.c_str(), bak.c_str()) != 0) return ErrnoError(ErrorCode::kIo, "rename " + link);
    // rename does nothing when both names are one file, so the second name may still be there.
    ::unlink(link.c_str());
    PassKillPoint(KillPoint::kBackupRenamed);
  }
  if (::rename(tmp.c_str(), path.c_str()) != 0) return ErrnoError(ErrorCode::kIo, "rename " + tmp);
  PassKillPoint(KillPoint::kTextRenamed);
  return FsyncDirectory(DirectoryOf(path));
}

Status FileOps::Write(int fd, std::string_view bytes, int64_t offset, std::string_view name) {
  return WriteAt(fd, bytes, offset, name);
}
Status FileOps::Sync(int fd, std::string_view name) {
  if (::fdatasync(fd) != 0) return ErrnoError(ErrorCode::kIo, "fdatasync " + std::string(name));
  return Ok();
}
Status FileOps::SyncRange(void* start, size_t length, std::string_view name) {
  if (::msync(start, length, MS_SYNC) != 0) return ErrnoError(ErrorCode::kIo, "msync " + std::string(name));
  return Ok();
}
Status FileOps::Allocate(int fd, int64_t offset, int64_t length, std::string_view name) {
  const int rc = ::fallocate(fd, 0, offset, length);
  if (rc != 0) return ErrnoError(ErrorCode::kIo, "allocate " + std::string(name));
  return Ok();
}
Status FileOps::SyncDirectory(const std::string& path) { return FsyncDirectory(path); }
Status FileOps::Unlink(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return Ok();
  return ErrnoError(ErrorCode::kIo, "remove " + path);
}
Result<DiskSpace> FileOps::Space(const std::string& path) { return DiskSpaceOf(path); }
FileOps& FileOps::Real() {
  static FileOps ops;
  return ops;
}

}  // namespace mq
