#include "store/pool_name.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <vector>

#include "base/file.h"
#include "base/strings.h"

namespace mq::store {

namespace {

constexpr const char* kDirectory = "/dev/shm";

Status LookAtStore(const StoreLayout& layout, PoolName& name) {
  struct stat status {};
  if (::stat(layout.root().c_str(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at " + layout.root());
  name.device = status.st_dev;
  name.inode = status.st_ino;
  struct statx extended {};
  if (::statx(AT_FDCWD, layout.root().c_str(), 0, STATX_BTIME, &extended) == 0 &&
      (extended.stx_mask & STATX_BTIME) != 0) {
    name.born_ns = int64_t{extended.stx_btime.tv_sec} * 1'000'000'000 + extended.stx_btime.tv_nsec;
  }
  return Ok();
}

}  // namespace

Result<std::string> BootId() {
  MQ_ASSIGN(std::string text, ReadFile("/proc/sys/kernel/random/boot_id"));
  return std::string(Trim(text));
}

Result<PoolName> MakePoolName(const StoreLayout& layout) {
  PoolName name;
  MQ_TRY(LookAtStore(layout, name));
  name.path = std::string(kDirectory) + "/mq-pool-" + std::to_string(name.device) + "-" + std::to_string(name.inode);
  char random[16];
  if (::getrandom(random, sizeof random, 0) != sizeof random) return ErrnoError(ErrorCode::kIo, "make a random id");
  name.id = HexUpper(std::string_view(random, sizeof random));
  MQ_ASSIGN(name.boot_id, BootId());
  return name;
}

Status WritePoolName(const StoreLayout& layout, const PoolName& name) {
  return WriteFileAtomically(layout.Pool(), name.path + "\n" + name.id + "\n" + name.boot_id + "\n");
}

Result<PoolName> ReadPoolName(const StoreLayout& layout) {
  MQ_ASSIGN(const std::string text, ReadFile(layout.Pool()));
  const std::vector<std::string_view> lines = SplitAny(text, "\n");
  if (lines.size() != 3 || !lines[0].starts_with('/') || lines[1].size() != 32 || lines[2].empty()) {
    return MakeError(ErrorCode::kCorruption, layout.Pool() + " names no transient pool");
  }
  PoolName name;
  name.path = lines[0];
  name.id = lines[1];
  name.boot_id = lines[2];
  MQ_TRY(LookAtStore(layout, name));
  return name;
}

}  // namespace mq::store
