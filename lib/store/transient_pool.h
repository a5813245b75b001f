// TransientPool: where records wait for the commit log when transientStorePoolEnable is on.
//
// One file on tmpfs instead of RocketMQ's buffers on the broker's heap, so that what was acknowledged goes only with
// the machine, never with a process. The broker appends into the slot of the log file it writes; mq-flushd copies
// [committed, wrote) from there into the file and publishes `committed`; readers see nothing beyond it (LoadReadable,
// positions.h).
//
//   byte 0     PoolHeader: identity, wrote, and of each slot which log file it holds from which position on
//   byte 4096  slot 0, slot 1, ...: one log file each, its bytes at their own place in the file
//
// The file is /dev/shm/mq-pool-<device>-<inode of the store>, mode 0600. `mq/pool` in the store names it with an id
// made anew for each pool and with the machine's boot id: a pool of another boot, store or version is never believed.
// Where that name is missing or damaged a start looks at the path by itself (OpenUnnamed). The broker is the only
// writer of both. At a boot after a kill CommitLeftPool brings what a pool still holds into the log, before recovery
// looks at it. Spec: mq-store(5), "Transient pool".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/mapped_region.h"
#include "base/result.h"
#include "store/layout.h"
#include "store/pool_name.h"
#include "store/store_options.h"

namespace mq::store {

inline constexpr int64_t kPoolHeaderBytes = 4096;
inline constexpr int32_t kMaxPoolSlots = 128;

// Do not reorder: another build may find the file. Version and magic say whether it can read it. The bytes are those of
// mq-store(5), "Transient pool".
struct PoolHeader {
  char magic[8];  // written last: a file without it was never used
  uint32_t version;
  uint32_t slots;
  int64_t file_bytes;
  char boot_id[40];  // both texts end with a zero byte
  char id[40];
  uint64_t device;  // of the store's directory
  uint64_t inode;
  int64_t born_ns;                         // when that directory was made; 0: not known
  alignas(64) std::atomic<int64_t> wrote;  // end of the last whole record
  struct Slot {
    std::atomic<int64_t> start;  // of the log file; -1: free
    std::atomic<int64_t> from;   // the slot holds [from, ...): what lies below was in the log before it
  };
  alignas(64) Slot slot[kMaxPoolSlots];
};
static_assert(sizeof(PoolHeader) <= kPoolHeaderBytes && std::atomic<int64_t>::is_always_lock_free);
static_assert(offsetof(PoolHeader, version) == 8 && offsetof(PoolHeader, slots) == 12);
static_assert(offsetof(PoolHeader, file_bytes) == 16 && offsetof(PoolHeader, boot_id) == 24);
static_assert(offsetof(PoolHeader, id) == 64 && offsetof(PoolHeader, device) == 104);
static_assert(offsetof(PoolHeader, inode) == 112 && offsetof(PoolHeader, born_ns) == 120);
static_assert(offsetof(PoolHeader, wrote) == 128 && offsetof(PoolHeader, slot) == 192);
static_assert(sizeof(PoolHeader::Slot) == 16 && offsetof(PoolHeader::Slot, from) == 8);
static_assert(sizeof(PoolHeader) == 192 + kMaxPoolSlots * 16);

// The broker's side. Loop thread only.
class TransientPool {
 public:
  // Makes the file and all its pages (a full tmpfs is a refusal here, never a signal later), locks them in memory where
  // that is allowed, and names it in the store. What an earlier pool held must have been committed.
  static Result<std::unique_ptr<TransientPool>> Create(const StoreOptions& options);

  // The slot of the log file that starts at `start`, to be written from position `from` on. Null: none is free.
  char* Take(int64_t start, int64_t from);
  // After the bytes. Release.
  void Publish(int64_t wrote) { header_->wrote.store(wrote, std::memory_order_release); }
  // Slots whose file is committed to its end are free again.
  void Release(int64_t committed);

  int32_t slots() const { return slots_; }
  int32_t free_slots() const;
  const std::string& path() const { return path_; }

 private:
  TransientPool() = default;

  std::string path_;
  MappedRegion region_;
  PoolHeader* header_ = nullptr;
  int64_t file_bytes_ = 0;
  int32_t slots_ = 0;
};

// mq-flushd's side, read-only.
class TransientPoolReader {
 public:
  // The pool that the store names. An error when it is not there or not this store's.
  static Result<std::unique_ptr<TransientPoolReader>> Open(const StoreLayout& layout);
  // What lies where a pool of the store would: believed without a name only when it was made in this boot for this very
  // directory, which an inode number alone does not say.
  static Result<std::unique_ptr<TransientPoolReader>> OpenUnnamed(const PoolName& own);

  // The bytes of the log file that starts at `start`, as far as they are written; null when no slot holds it.
  const char* Find(int64_t start) const;
  const PoolHeader& header() const { return *header_; }
  const std::string& path() const { return path_; }
  const char* SlotData(int32_t slot) const;

 private:
  TransientPoolReader() = default;
  static Result<std::unique_ptr<TransientPoolReader>> OpenAt(const std::string& path);

  std::string path_;
  MappedRegion region_;
  const PoolHeader* header_ = nullptr;
};

// What a pool left behind by killed processes held.
struct LeftPool {
  bool found = false;
  std::string path;  // of its file; empty: no sign of any
  int64_t from = 0;  // of what it held
  int64_t to = 0;
  int64_t bytes = 0;    // that the log did not have yet
  int64_t records = 0;  // LookAtLeftPool: those at or behind the end of the log
  std::string damage;   // what of it is damaged, which goes into the log as it is; empty: nothing
  std::string loss;     // what of it is gone or not believed, and why; empty: nothing
};

// What CommitLeftPool would find, of a log that ends at `log_end`. Changes nothing, takes no lock.
Result<LeftPool> LookAtLeftPool(const StoreOptions& options, PhysicalOffset log_end);

// Under the store's lock, before recovery: writes what a left pool holds into the log files and makes them durable.
// Damage among it goes there too: recovery, which is told how far the pool reached, deals with it as with any other.
// `clean`: the last broker stopped cleanly, so that a
// pool without a name cannot be its. A pool that is not believed is set aside beside its place, and said (`loss`).
// May be killed and done again. The pool stays until RemovePool.
Result<LeftPool> CommitLeftPool(const StoreOptions& options, bool clean, FileOps& file_ops = FileOps::Real());
// After recovery, and at a clean stop with everything committed: removes the name and the pool. None is fine.
Status RemovePool(const StoreLayout& layout);

}  // namespace mq::store
