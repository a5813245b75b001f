#include "store/store_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strings.h"

namespace mq::store {

Result<StoreLock> StoreLock::TryAcquire(const StoreLayout& layout) {
  const std::string path = layout.Lock();
  MQ_ASSIGN(UniqueFd fd, OpenLocked(path));
  MQ_TRY(WriteAt(fd.get(), "lock", 0, path));
  if (::fdatasync(fd.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path);
  return StoreLock(std::move(fd));
}

StoreLock StoreLock::FromDescriptor(UniqueFd fd) { return StoreLock(std::move(fd)); }

namespace {

// Whether one of the process's descriptors is that file.
bool HasOpen(const std::string& process, const struct stat& file) {
  const std::string directory = process + "/fd";
  const auto names = ListDirectory(directory);
  if (!names) return false;  // gone, or somebody else's
  for (const std::string& name : *names) {
    struct stat status {};
    if (::stat(JoinPath(directory, name).c_str(), &status) == 0 && status.st_dev == file.st_dev &&
        status.st_ino == file.st_ino)
      return true;
  }
  return false;
}

}  // namespace

std::vector<LockHolder> FindLockHolders(const StoreLayout& layout) {
  std::vector<LockHolder> holders;
  struct stat file {};
  const auto processes = ListDirectory("/proc");
  if (!processes || ::stat(layout.Lock().c_str(), &file) != 0) return holders;
  for (const std::string& name : *processes) {
    const auto pid = ParseInt64(name);
    if (!pid || *pid == ::getpid() || !HasOpen("/proc/" + name, file)) continue;
    const auto comm = ReadFile("/proc/" + name + "/comm");
    holders.push_back({*pid, comm ? std::string(Trim(*comm)) : "a process"});
  }
  return holders;
}

Status WritePid(const StoreLayout& layout, int64_t pid) {
  return WriteFileAtomically(layout.Pid(), std::to_string(pid) + "\n");
}

std::optional<int64_t> ReadPid(const StoreLayout& layout) {
  auto text = ReadFile(layout.Pid());
  if (!text) return std::nullopt;
  auto pid = ParseInt64(Trim(*text));
  if (!pid || *pid <= 0) return std::nullopt;
  return *pid;
}

bool AbortExists(const StoreLayout& layout) { return PathExists(layout.Abort()); }

Status CreateAbort(const StoreLayout& layout) {
  const std::string path = layout.Abort();
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.valid()) return ErrnoError(ErrorCode::kIo, "create " + path);
  return FsyncDirectory(layout.root());
}

Status RemoveAbort(const StoreLayout& layout) { return RemoveFile(layout.Abort()); }

}  // namespace mq::store
