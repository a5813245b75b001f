#include "store/transient_pool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/pool_name.h"

namespace mq::store {

namespace {

int64_t SlotBytes(int64_t file_bytes) { return (file_bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }
int64_t PoolBytes(int64_t file_bytes, int64_t slots) { return kPoolHeaderBytes + SlotBytes(file_bytes) * slots; }

Error NoRoom(const std::string& path, int64_t bytes, int error) {
  errno = error;
  return ErrnoError(ErrorCode::kIo, "make the transient pool " + path + " of " + std::to_string(bytes) + " bytes")
      .WithHint(
          "it takes transientStorePoolSize * mappedFileSizeCommitLog of memory: lower one of them, enlarge "
          "/dev/shm, or set transientStorePoolEnable=false");
}

// An own file, of nobody else: what was there is another life's and was dealt with before.
Result<UniqueFd> MakeFile(const std::string& path, int64_t bytes) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoError(ErrorCode::kIo, "remove " + path);
  MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  int error = ::ftruncate(fd.get(), bytes) == 0 ? 0 : errno;
  if (error == 0 && ::fallocate(fd.get(), 0, 0, bytes) != 0) {
    error = errno == EOPNOTSUPP ? ::posix_fallocate(fd.get(), 0, bytes) : errno;
  }
  if (error != 0) {
    ::unlink(path.c_str());
    return NoRoom(path, bytes, error);
  }
  return fd;
}

// Never swapped, as in RocketMQ. A page counts as locked from its first use on, so that nothing is filled ahead of
// need.
void LockInMemory(const MappedRegion& region, const std::string& path) {
  if (::mlock2(region.data(), region.size(), MLOCK_ONFAULT) == 0) return;
  log::Warn("store.pool", "the transient pool is not locked in memory and may be swapped; raise the limit (ulimit -l)")
      .Field("file", path)
      .Field("bytes", static_cast<uint64_t>(region.size()))
      .Field("reason", std::strerror(errno));
}

}  // namespace

Result<std::unique_ptr<TransientPool>> TransientPool::Create(const StoreOptions& options) {
  const StoreLayout layout = options.layout();
  MQ_ASSIGN(const PoolName name, MakePoolName(layout));
  const int64_t bytes = PoolBytes(options.commit_log_file_bytes, options.pool_slots);
  std::unique_ptr<TransientPool> pool(new TransientPool);
  pool->path_ = name.path;
  pool->file_bytes_ = options.commit_log_file_bytes;
  pool->slots_ = options.pool_slots;
  MQ_ASSIGN(const UniqueFd fd, MakeFile(name.path, bytes));
  MQ_ASSIGN(pool->region_, MappedRegion::ReadWrite(fd.get(), static_cast<size_t>(bytes), name.path));
  LockInMemory(pool->region_, name.path);
  auto* header = reinterpret_cast<PoolHeader*>(pool->region_.data());
  header->version = kPoolVersion;
  header->slots = static_cast<uint32_t>(options.pool_slots);
  header->file_bytes = options.commit_log_file_bytes;
  header->device = name.device;
  header->inode = name.inode;
  header->born_ns = name.born_ns;
  std::snprintf(header->boot_id, sizeof header->boot_id, "%s", name.boot_id.c_str());
  std::snprintf(header->id, sizeof header->id, "%s", name.id.c_str());
  for (auto& slot : header->slot) slot.start.store(-1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header->magic, kPoolMagic, sizeof header->magic);
  pool->header_ = header;
  PassKillPoint(KillPoint::kPoolMade);
  // Last: what the store names is whole.
  MQ_TRY(WritePoolName(layout, name));
  PassKillPoint(KillPoint::kPoolNamed);
  log::Info("store.pool", "appends go to memory first")
      .Field("file", name.path)
      .Field("slots", options.pool_slots)
      .Field("bytes", bytes);
  return pool;
}

char* TransientPool::Take(int64_t start, int64_t from) {
  for (int32_t i = 0; i < slots_; ++i) {
    PoolHeader::Slot& slot = header_->slot[i];
    if (slot.start.load(std::memory_order_relaxed) >= 0) continue;
    slot.from.store(from, std::memory_order_relaxed);
    slot.start.store(start, std::memory_order_release);
    return region_.data() + kPoolHeaderBytes + SlotBytes(file_bytes_) * i;
  }
  return nullptr;
}

void TransientPool::Release(int64_t committed) {
  for (int32_t i = 0; i < slots_; ++i) {
    std::atomic<int64_t>& start = header_->slot[i].start;
    const int64_t held = start.load(std::memory_order_relaxed);
    if (held >= 0 && held + file_bytes_ <= committed) start.store(-1, std::memory_order_release);
  }
}

int32_t TransientPool::free_slots() const {
  int32_t count = 0;
  for (int32_t i = 0; i < slots_; ++i) count += header_->slot[i].start.load(std::memory_order_relaxed) < 0 ? 1 : 0;
  return count;
}

namespace {

bool Is(const char (&field)[40], std::string_view text) {
  return ::strnlen(field, sizeof field) == text.size() && std::memcmp(field, text.data(), text.size()) == 0;
}

}  // namespace

Result<std::unique_ptr<TransientPoolReader>> TransientPoolReader::OpenAt(const std::string& path) {
  // A fifo must not hold the caller.
  MQ_ASSIGN(const UniqueFd fd, OpenFile(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path);
  const auto refuse = [&](const std::string& why) {
    return MakeError(ErrorCode::kCorruption, "the transient pool " + path + " " + why);
  };
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return refuse("is no file of this user");
  if (status.st_size < kPoolHeaderBytes) return refuse("was cut or never finished");
  std::unique_ptr<TransientPoolReader> pool(new TransientPoolReader);
  MQ_ASSIGN(pool->region_, MappedRegion::ReadOnly(fd.get(), static_cast<size_t>(status.st_size), path));
  const auto* header = reinterpret_cast<const PoolHeader*>(pool->region_.data());
  if (std::memcmp(header->magic, kPoolMagic, sizeof header->magic) != 0) return refuse("is damaged or never finished");
  if (header->version != kPoolVersion) return refuse("is of version " + std::to_string(header->version));
  MQ_ASSIGN(const std::string boot_id, BootId());
  if (!Is(header->boot_id, boot_id)) return refuse("is from before the machine's restart");
  if (header->slots < 1 || header->slots > kMaxPoolSlots || header->file_bytes < kPageBytes ||
      header->file_bytes > status.st_size || PoolBytes(header->file_bytes, header->slots) != status.st_size) {
    return refuse("has a wrong size: " + std::to_string(status.st_size) + " bytes");
  }
  pool->header_ = header;
  pool->path_ = path;
  return pool;
}

Result<std::unique_ptr<TransientPoolReader>> TransientPoolReader::Open(const StoreLayout& layout) {
  MQ_ASSIGN(const PoolName name, ReadPoolName(layout));
  MQ_ASSIGN(auto pool, OpenAt(name.path));
  const PoolHeader& header = pool->header();
  if (!Is(header.id, name.id) || header.device != name.device || header.inode != name.inode) {
    return MakeError(ErrorCode::kCorruption, "the transient pool " + name.path + " is of another store");
  }
  return pool;
}

Result<std::unique_ptr<TransientPoolReader>> TransientPoolReader::OpenUnnamed(const PoolName& own) {
  MQ_ASSIGN(auto pool, OpenAt(own.path));
  const PoolHeader& header = pool->header();
  if (header.device != own.device || header.inode != own.inode || ::strnlen(header.id, sizeof header.id) != 32 ||
      own.born_ns == 0 || header.born_ns != own.born_ns) {
    return MakeError(ErrorCode::kCorruption,
                     "the transient pool " + own.path + " is not named by the store and not known to be its own");
  }
  return pool;
}

const char* TransientPoolReader::SlotData(int32_t slot) const {
  return region_.data() + kPoolHeaderBytes + SlotBytes(header_->file_bytes) * slot;
}

const char* TransientPoolReader::Find(int64_t start) const {
  for (uint32_t i = 0; i < header_->slots; ++i) {
    if (header_->slot[i].start.load(std::memory_order_acquire) == start) return SlotData(static_cast<int32_t>(i));
  }
  return nullptr;
}

}  // namespace mq::store
