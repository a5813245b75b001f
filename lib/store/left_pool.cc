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
#include "store/pool_judgement.h"
#include "store/pool_name.h"
#include "store/store_lock.h"
#include "store/transient_pool.h"

namespace mq::store {

namespace {

constexpr size_t kCopyBytes = 1 << 20;

// Only what differs is written: most of it was committed before the kill, and need not become dirty again.
Result<int64_t> CopyInto(const std::string& path, const HeldSlot& held, int64_t file_bytes, FileOps& file_ops) {
  MQ_ASSIGN(const UniqueFd fd, OpenFile(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return ErrnoError(ErrorCode::kIo, "look at " + path);
  if (status.st_size != file_bytes) {
    return MakeError(ErrorCode::kCorruption, path + " has " + std::to_string(status.st_size) + " bytes instead of " +
                                                 std::to_string(file_bytes));
  }
  std::vector<char> there(kCopyBytes);
  int64_t written = 0;
  for (int64_t at = held.copy_from; at < held.to;) {
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

Status RefuseMissing(const PoolJudgement& found) {
  if (found.kind != PoolJudgement::Kind::kRefuse) return Ok();
  return MakeError(ErrorCode::kCorruption, found.missing + " " + found.why)
      .WithHint("put the file back from a copy; to go on without them, remove the pool's file");
}

std::string LossText(const std::string& why) { return why + "; what it held beyond the log is not in the log"; }

}  // namespace

Result<LeftPool> CommitLeftPool(const StoreOptions& options, bool clean, FileOps& file_ops) {
  using Kind = PoolJudgement::Kind;
  const StoreLayout layout = options.layout();
  LeftPool left;
  MQ_ASSIGN(const PoolJudgement found, JudgePool(options, clean));
  if (found.kind == Kind::kNone) return left;
  MQ_TRY(RefuseMissing(found));
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
  for (const HeldSlot& held : SlotsToTake(found, left)) {
    if (held.to == held.from) continue;
    const std::string path = layout.CommitLogFile(PhysicalOffset(held.start));
    MQ_ASSIGN(const int64_t copied, CopyInto(path, held, file_bytes, file_ops));
    left.bytes += copied;
  }
  if (!left.damage.empty()) log::Err("store.pool", left.damage);
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
  using Kind = PoolJudgement::Kind;
  LeftPool left;
  MQ_ASSIGN(const PoolJudgement found, JudgePool(options, !AbortExists(options.layout()), log_end));
  if (found.kind == Kind::kNone || found.kind == Kind::kUnused) return left;
  MQ_TRY(RefuseMissing(found));
  left.path = found.name.path;
  left.found = found.kind == Kind::kTake;
  if (left.found) {
    SlotsToTake(found, left);
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
