// Files and directories: small operations with the errors, retries and syncs that a store needs.
//
// Everything that changes a directory syncs it, so that a returned Ok means: still there after a power cut.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace mq {

Result<UniqueFd> OpenFile(const std::string& path, int flags, mode_t mode = 0644);
// The whole file. A missing file is kNotFound.
Result<std::string> ReadFile(const std::string& path);
// The same; kConfig, naming the file and the bound, when it is longer than `most` bytes (file_bounds.h).
Result<std::string> ReadFileUpTo(const std::string& path, size_t most);
bool PathExists(const std::string& path);
Result<int64_t> FileSize(const std::string& path);
// Creates the directory and its parents; an existing one is fine. New names are synced.
Status MakeDirectories(const std::string& path);
Status FsyncDirectory(const std::string& path);
// Names in the directory without "." and "..", sorted bytewise. A missing directory is kNotFound.
Result<std::vector<std::string>> ListDirectory(const std::string& path);
Status RemoveFile(const std::string& path);  // a missing file is fine; the directory is synced
Status RemoveTree(const std::string& path);  // a missing tree is fine
// Opens or creates the file and locks its first byte for this open file description (F_OFD_SETLK, which conflicts with
// record locks too); the lock lives as long as any copy of the descriptor. kHeldByOther when somebody has it.
Result<UniqueFd> OpenLocked(const std::string& path);
// Writes the bytes to `<path>.tmp`, syncs, renames over path, syncs the directory: readers and a crash see the old or
// the new file, whole. With keep_backup the old file is first kept, whole, as `<path>.bak`.
Status WriteFileAtomically(const std::string& path, std::string_view bytes, bool keep_backup = false);
// Writes all bytes at the offset, retrying short writes and EINTR.
Status WriteAt(int fd, std::string_view bytes, int64_t offset, std::string_view name);
Status WriteAll(int fd, std::string_view bytes, std::string_view name);
std::string DirectoryOf(std::string_view path);
std::string JoinPath(std::string_view a, std::string_view b);

// What a filesystem holds and has left, in bytes. `usable` is what may still be written by us: less than `free` where
// the filesystem keeps some for root.
struct DiskSpace {
  int64_t total = 0;
  int64_t free = 0;
  int64_t usable = 0;
  // RocketMQ's figure: used of what we could ever use, in whole percent, rounded up.
  int used_percent() const;
};
Result<DiskSpace> DiskSpaceOf(const std::string& path);

// The calls through which the store writes files without a map and makes them durable, so that a test can fail the n-th
// one or forget what was not synced. Real() is the operating system. Thread-safe as far as the calls themselves are.
class FileOps {
 public:
  virtual ~FileOps() = default;
  virtual Status Write(int fd, std::string_view bytes, int64_t offset, std::string_view name);  // WriteAt
  virtual Status Sync(int fd, std::string_view name);                                           // fdatasync
  virtual Status SyncRange(void* start, size_t length, std::string_view name);                  // msync, page aligned
  virtual Status Allocate(int fd, int64_t offset, int64_t length, std::string_view name);       // fallocate
  virtual Status SyncDirectory(const std::string& path);
  virtual Status Unlink(const std::string& path);  // a missing file is fine; the directory is not synced
  virtual Result<DiskSpace> Space(const std::string& path);
  static FileOps& Real();
};

}  // namespace mq
