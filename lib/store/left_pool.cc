// What killed processes left in a transient pool, brought into the log. See transient_pool.h.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/pool_name.h"
#include "store/record.h"
#include "store/transient_pool.h"

namespace mq::store {

namespace {

constexpr size_t kCopyBytes = 1 << 20;

// What a slot holds that is whole.
struct Held {
  int64_t start;
  int64_t from;
  int64_t to;
  const char* data;     // of the file's first byte
  int64_t records = 0;  // at or behind the position asked for
  bool whole = true;    // nothing damaged up to `to`
  std::string reason;   // otherwise what
};

Held LookAtSlot(const PoolHeader& header, int32_t slot, const char* data, PhysicalOffset count_from) {
  Held held;
  held.start = header.slot[slot].start.load(std::memory_order_acquire);
  held.from = header.slot[slot].from.load(std::memory_order_relaxed);
  held.data = data;
  const int64_t end = std::min(header.wrote.load(std::memory_order_acquire), held.start + header.file_bytes);
  held.to = held.from;
  while (held.to < end) {
    const std::string_view rest(data + (held.to - held.start), static_cast<size_t>(end - held.to));
    const RecordCheck check = CheckRecord(rest, PhysicalOffset(held.to), protocol::BodyCheck::kCrc);
    if (check.kind == RecordKind::kBad) {
      held.whole = false;
      held.reason = check.reason;
      return held;
    }
    if (check.kind == RecordKind::kMessage && PhysicalOffset(held.to) >= count_from) ++held.records;
    held.to += check.bytes;
  }
  return held;
}

// Slots in the order of the log. Wrong numbers in the header are damage like any other.
std::vector<Held> HeldSlots(const TransientPoolReader& pool, PhysicalOffset count_from = PhysicalOffset(0)) {
  std::vector<Held> slots;
  const PoolHeader& header = pool.header();
  for (int32_t i = 0; i < static_cast<int32_t>(header.slots); ++i) {
    const int64_t start = header.slot[i].start.load(std::memory_order_acquire);
    const int64_t from = header.slot[i].from.load(std::memory_order_relaxed);
    if (start < 0 || start > INT64_MAX - header.file_bytes || start % header.file_bytes != 0 || from < start ||
        from > start + header.file_bytes)
      continue;
    slots.push_back(LookAtSlot(header, i, pool.SlotData(i), count_from));
  }
  std::sort(slots.begin(), slots.end(), [](const Held& a, const Held& b) { return a.start < b.start; });
  return slots;
}

// Only what differs is written: most of it was committed before the kill, and need not become dirty again.
Result<int64_t> CopyInto(const std::string& path, const Held& held, int64_t file_bytes, FileOps& file_ops) {
  MQ_ASSIGN(const UniqueFd fd, OpenFile(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path);
  if (status.st_size != file_bytes) {
    return MakeError(ErrorCode::kCorruption, path + " has " + std::to_string(status.st_size) + " bytes instead of " +
                                                 std::to_string(file_bytes));
  }
  std::vector<char> there(kCopyBytes);
  int64_t written = 0;
  for (int64_t at = held.from; at < held.to;) {
    const auto piece = static_cast<size_t>(std::min<int64_t>(held.to - at, kCopyBytes));
    const std::string_view bytes(held.data + (at - held.start), piece);
    const ssize_t n = ::pread(fd.get(), there.data(), piece, at - held.start);
    if (n < 0) return ErrnoError(ErrorCode::kIo, "read " + path);
    if (static_cast<size_t>(n) != piece || std::memcmp(there.data(), bytes.data(), piece) != 0) {
      MQ_TRY(file_ops.Write(fd.get(), bytes, at - held.start, path));
      PassKillPoint(KillPoint::kLeftPoolPartlyCopied);
      written += static_cast<int64_t>(piece);
    }
    at += static_cast<int64_t>(piece);
  }
  MQ_TRY(file_ops.Sync(fd.get(), path));
  return written;
}

// Its bytes stay for whoever wants to look at them; the store forgets it.
Status SetAside(const StoreLayout& layout, const std::string& path, const std::string& why) {
  const std::string aside = path + ".aside";
  const bool moved = ::rename(path.c_str(), aside.c_str()) == 0;
  log::Warn("store.pool", "a transient pool is set aside").Field("reason", why).Field("file", moved ? aside : path);
  return RemoveFile(layout.Pool());
}

Status RemoveUnnamedPool(const StoreLayout& layout) {
  MQ_ASSIGN(const PoolName own, MakePoolName(layout));
  if (::unlink(own.path.c_str()) == 0 || errno == ENOENT) return Ok();
  return ErrnoError(ErrorCode::kIo, "remove " + own.path);
}

// Whether the store names a pool of this boot; what cannot be believed is said and forgotten here.
Result<std::optional<PoolName>> NamedPool(const StoreLayout& layout) {
  auto name = ReadPoolName(layout);
  if (!name && name.error().code == ErrorCode::kNotFound) {
    // Not named yet or not any more when everything was killed: it would only take memory.
    MQ_TRY(RemoveUnnamedPool(layout));
    return std::optional<PoolName>();
  }
  if (!name && name.error().code == ErrorCode::kCorruption) {
    log::Warn("store.pool", "no transient pool is looked for").Field("reason", name.error().what);
    MQ_TRY(RemoveFile(layout.Pool()));
    return std::optional<PoolName>();
  }
  if (!name) return std::move(name).error();
  MQ_ASSIGN(const std::string boot_id, BootId());
  if (boot_id != name->boot_id) {
    if (PathExists(name->path)) {
      MQ_TRY(SetAside(layout, name->path, "it is from before the machine's restart"));
      return std::optional<PoolName>();
    }
    log::Warn("store.pool", "the machine was restarted: what the transient pool held beyond the log is gone with it");
    MQ_TRY(RemoveFile(layout.Pool()));
    return std::optional<PoolName>();
  }
  if (PathExists(name->path)) return std::optional<PoolName>(std::move(*name));
  log::Err("store.pool", "the transient pool was removed: what it held beyond the log is lost")
      .Field("file", name->path);
  MQ_TRY(RemoveFile(layout.Pool()));
  return std::optional<PoolName>();
}

}  // namespace

Result<LeftPool> CommitLeftPool(const StoreOptions& options, FileOps& file_ops) {
  const StoreLayout layout = options.layout();
  LeftPool left;
  MQ_ASSIGN(const std::optional<PoolName> name, NamedPool(layout));
  if (!name) return left;
  auto pool = TransientPoolReader::Open(layout);
  if (!pool) {
    const Error& error = pool.error();
    if (error.code != ErrorCode::kCorruption) return error;
    // A copy of a store names the pool of its original, which is not ours to touch.
    MQ_ASSIGN(const PoolName own, MakePoolName(layout));
    if (own.path == name->path) {
      MQ_TRY(SetAside(layout, name->path, error.what));
    } else {
      log::Warn("store.pool", "no transient pool of this store").Field("reason", error.what);
      MQ_TRY(RemoveFile(layout.Pool()));
    }
    return left;
  }
  left.found = true;
  PassKillPoint(KillPoint::kLeftPoolFound);
  const int64_t file_bytes = (*pool)->header().file_bytes;
  int64_t expected = -1;  // where the next slot's bytes must begin
  for (const Held& held : HeldSlots(**pool)) {
    if (expected >= 0 && held.from != expected) {
      MQ_TRY(SetAside(layout, name->path, "it holds nothing from position " + std::to_string(expected) + " on"));
      break;
    }
    if (expected < 0) left.from = held.from;
    const std::string path = layout.CommitLogFile(PhysicalOffset(held.start));
    MQ_ASSIGN(const int64_t copied, CopyInto(path, held, file_bytes, file_ops));
    left.bytes += copied;
    left.to = expected = held.to;
    if (!held.whole) {
      MQ_TRY(SetAside(layout, name->path, "damaged at position " + std::to_string(held.to) + ": " + held.reason));
      break;
    }
  }
  log::Info("store.pool", "what a transient pool still held is in the log")
      .Field("from", left.from)
      .Field("to", left.to)
      .Field("bytes", left.bytes);
  PassKillPoint(KillPoint::kLeftPoolCommitted);
  return left;
}

Result<LeftPool> LookAtLeftPool(const StoreOptions& options, PhysicalOffset log_end) {
  const StoreLayout layout = options.layout();
  LeftPool left;
  const auto name = ReadPoolName(layout);
  if (!name || !PathExists(name->path)) return left;
  MQ_ASSIGN(const std::string boot_id, BootId());
  if (boot_id != name->boot_id) return left;
  const auto pool = TransientPoolReader::Open(layout);
  if (!pool) return left;
  left.found = true;
  for (const Held& held : HeldSlots(**pool, log_end)) {
    if (left.to > 0 && held.from != left.to) {
      left.problem = "it holds nothing from position " + std::to_string(left.to) + " on";
      return left;
    }
    if (left.to == 0) left.from = held.from;
    left.to = held.to;
    left.records += held.records;
    if (!held.whole) {
      left.problem = "damaged at position " + std::to_string(held.to) + ": " + held.reason;
      return left;
    }
  }
  return left;
}

// The name first: a pool without one is nobody's, a name without a pool would be a loss.
Status RemovePool(const StoreLayout& layout) {
  if (auto name = ReadPoolName(layout); !name && name.error().code == ErrorCode::kNotFound) return Ok();
  MQ_TRY(RemoveFile(layout.Pool()));
  PassKillPoint(KillPoint::kPoolForgotten);
  return RemoveUnnamedPool(layout);
}

}  // namespace mq::store
