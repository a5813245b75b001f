// What killed processes left in a transient pool, brought into the log. See transient_pool.h.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/pool_name.h"
#include "store/record.h"
#include "store/store_lock.h"
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

// Slots in the order of the log, and in `wrong` those whose numbers make no sense.
std::vector<Held> HeldSlots(const TransientPoolReader& pool, int& wrong,
                            PhysicalOffset count_from = PhysicalOffset(0)) {
  std::vector<Held> slots;
  const PoolHeader& header = pool.header();
  for (int32_t i = 0; i < static_cast<int32_t>(header.slots); ++i) {
    const int64_t start = header.slot[i].start.load(std::memory_order_acquire);
    const int64_t from = header.slot[i].from.load(std::memory_order_relaxed);
    if (start == -1) continue;  // free
    if (start < 0 || start > INT64_MAX - header.file_bytes || start % header.file_bytes != 0 || from < start ||
        from > start + header.file_bytes) {
      ++wrong;
      continue;
    }
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

Status RemoveUnnamedPool(const StoreLayout& layout) {
  MQ_ASSIGN(const PoolName own, MakePoolName(layout));
  if (::unlink(own.path.c_str()) == 0 || errno == ENOENT) return Ok();
  return ErrnoError(ErrorCode::kIo, "remove " + own.path);
}

constexpr int kMostAside = 100;

// Its bytes stay for whoever wants to look at them, those of an earlier one too; the store forgets it. Returns where.
Result<std::string> SetAside(const StoreLayout& layout, const std::string& path) {
  for (int i = 1; i <= kMostAside; ++i) {
    const std::string aside = path + ".aside" + (i == 1 ? "" : "." + std::to_string(i));
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) != 0) {
      if (errno == EEXIST) continue;
      return ErrnoError(ErrorCode::kIo, "set " + path + " aside");
    }
    MQ_TRY(RemoveFile(layout.Pool()));
    return aside;
  }
  return MakeError(ErrorCode::kIo, path + " cannot be set aside: there are " + std::to_string(kMostAside) + " already")
      .WithHint("remove " + path + ".aside*");
}

// Whether anything was ever put into its slots. Pages that were only reserved are holes.
bool NeverWritten(const std::string& path) {
  const auto fd = OpenFile(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  return fd && ::lseek(fd->get(), kPoolHeaderBytes, SEEK_DATA) < 0 && errno == ENXIO &&
         ::lseek(fd->get(), 0, SEEK_END) > kPoolHeaderBytes;
}

// What there is of a pool, and what a start makes of it.
struct Judgement {
  enum class Kind {
    kNone,      // no sign of one
    kUnused,    // made or committed, and not named yet or any more: it would only take memory
    kTake,      // its bytes belong in the log
    kSetAside,  // a file at the store's own place that is not believed
    kForget,    // the store names one that is gone or not its own to touch
  };
  Kind kind = Kind::kNone;
  PoolName name;                              // of the file meant
  std::string why;                            // kSetAside, kForget
  bool adopt = false;                         // kTake: the store does not name it
  std::unique_ptr<TransientPoolReader> pool;  // kTake
};

// The store names none that can be read: what lies at its place may still be its own.
Result<Judgement> JudgeUnnamed(const StoreLayout& layout, bool clean) {
  using Kind = Judgement::Kind;
  Judgement found;
  MQ_ASSIGN(found.name, MakePoolName(layout));
  struct stat status {};
  if (::lstat(found.name.path.c_str(), &status) != 0) return found;
  if (S_ISREG(status.st_mode) && NeverWritten(found.name.path)) {
    found.kind = Kind::kUnused;
    return found;
  }
  auto pool = TransientPoolReader::OpenUnnamed(found.name);
  if (!pool || clean) {
    found.kind = Kind::kSetAside;
    found.why = !pool ? pool.error().what
                      : "the transient pool " + found.name.path + " is of a store that was stopped cleanly since";
    return found;
  }
  found.kind = Kind::kTake;
  found.adopt = true;
  found.name.id.assign((*pool)->header().id, 32);
  found.pool = std::move(*pool);
  return found;
}

// Changes nothing.
Result<Judgement> Judge(const StoreLayout& layout, bool clean) {
  using Kind = Judgement::Kind;
  auto name = ReadPoolName(layout);
  if (!name && (name.error().code == ErrorCode::kNotFound || name.error().code == ErrorCode::kCorruption)) {
    const bool damaged = name.error().code == ErrorCode::kCorruption;
    MQ_ASSIGN(Judgement found, JudgeUnnamed(layout, clean));
    if (damaged && found.kind == Kind::kNone) {
      found.kind = Kind::kForget;
      found.why = name.error().what + ", and there is none at " + found.name.path;
    }
    return found;
  }
  if (!name) return std::move(name).error();
  MQ_ASSIGN(const PoolName own, MakePoolName(layout));
  Judgement found;
  found.name = *name;
  auto pool = TransientPoolReader::Open(layout);
  if (pool) {
    found.kind = Kind::kTake;
    found.pool = std::move(*pool);
    return found;
  }
  if (pool.error().code != ErrorCode::kCorruption && PathExists(name->path)) return std::move(pool).error();
  if (own.path != name->path) {
    // A name that was changed leads elsewhere.
    MQ_ASSIGN(Judgement at_own_place, JudgeUnnamed(layout, clean));
    if (at_own_place.kind == Kind::kTake || at_own_place.kind == Kind::kSetAside) return at_own_place;
  }
  // A copy of a store names the pool of its original, which is not ours to touch.
  found.kind = own.path == name->path && PathExists(name->path) ? Kind::kSetAside : Kind::kForget;
  if (PathExists(name->path)) {
    found.why = pool.error().what;
  } else if (own.boot_id != name->boot_id) {
    found.why = "the machine was restarted, and the transient pool " + name->path + " went with its memory";
  } else {
    found.why = "the transient pool " + name->path + " is gone";
  }
  return found;
}

std::string LossText(const std::string& why) { return why + "; what it held beyond the log is not in the log"; }

// What CommitLeftPool and LookAtLeftPool agree on: which slots go into the log, and why not the rest.
std::vector<Held> WholeSlots(const TransientPoolReader& pool, LeftPool& left,
                             PhysicalOffset count_from = PhysicalOffset(0)) {
  int wrong = 0;
  std::vector<Held> slots = HeldSlots(pool, wrong, count_from);
  std::string why;
  size_t good = 0;
  for (const Held& held : slots) {
    if (good > 0 && held.from != left.to) {
      why = "holds nothing from position " + std::to_string(left.to) + " on";
      break;
    }
    if (good++ == 0) left.from = held.from;
    left.to = held.to;
    left.records += held.records;
    if (held.whole) continue;
    why = "is damaged at position " + std::to_string(held.to) + ": " + held.reason;
    break;
  }
  slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(good), slots.end());
  if (why.empty() && wrong > 0) why = "has a damaged head";
  if (!why.empty()) left.loss = "the transient pool " + left.path + " " + why + "; the rest of it is not in the log";
  return slots;
}

}  // namespace

Result<LeftPool> CommitLeftPool(const StoreOptions& options, bool clean, FileOps& file_ops) {
  using Kind = Judgement::Kind;
  const StoreLayout layout = options.layout();
  LeftPool left;
  MQ_ASSIGN(const Judgement found, Judge(layout, clean));
  if (found.kind == Kind::kNone) return left;
  left.path = found.name.path;
  if (found.kind == Kind::kUnused) {
    MQ_TRY(RemoveFile(layout.Pool()));
    MQ_TRY(RemoveUnnamedPool(layout));
    return left;
  }
  if (found.kind != Kind::kTake) {
    left.loss = LossText(found.why);
    log::Err("store.pool", "what a transient pool held is lost").Field("reason", found.why);
    if (found.kind == Kind::kForget) {
      MQ_TRY(RemoveFile(layout.Pool()));
      return left;
    }
    MQ_ASSIGN(const std::string aside, SetAside(layout, left.path));
    log::Warn("store.pool", "a transient pool is set aside").Field("file", aside);
    left.loss += "; set aside as " + aside;
    return left;
  }
  if (found.adopt) {
    log::Warn("store.pool", "the store did not name its transient pool").Field("file", left.path);
    MQ_TRY(WritePoolName(layout, found.name));
  }
  left.found = true;
  PassKillPoint(KillPoint::kLeftPoolFound);
  const int64_t file_bytes = found.pool->header().file_bytes;
  for (const Held& held : WholeSlots(*found.pool, left)) {
    const std::string path = layout.CommitLogFile(PhysicalOffset(held.start));
    MQ_ASSIGN(const int64_t copied, CopyInto(path, held, file_bytes, file_ops));
    left.bytes += copied;
  }
  if (!left.loss.empty()) {
    MQ_ASSIGN(const std::string aside, SetAside(layout, left.path));
    log::Err("store.pool", "a transient pool is set aside").Field("reason", left.loss).Field("file", aside);
    left.loss += "; set aside as " + aside;
  }
  log::Info("store.pool", "what a transient pool still held is in the log")
      .Field("from", left.from)
      .Field("to", left.to)
      .Field("bytes", left.bytes);
  PassKillPoint(KillPoint::kLeftPoolCommitted);
  return left;
}

Result<LeftPool> LookAtLeftPool(const StoreOptions& options, PhysicalOffset log_end) {
  using Kind = Judgement::Kind;
  LeftPool left;
  MQ_ASSIGN(const Judgement found, Judge(options.layout(), !AbortExists(options.layout())));
  if (found.kind == Kind::kNone || found.kind == Kind::kUnused) return left;
  left.path = found.name.path;
  left.found = found.kind == Kind::kTake;
  if (left.found) {
    WholeSlots(*found.pool, left, log_end);
  } else {
    left.loss = LossText(found.why);
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
