#include "store/pool_committer.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/kill_point.h"

namespace mq::store {

namespace {

constexpr int64_t kPieceBytes = int64_t{4} << 20;

}  // namespace

PoolCommitter::PoolCommitter(const StoreOptions& options, Positions& positions,
                             std::unique_ptr<TransientPoolReader> pool, PhysicalOffset committed, FileOps& file_ops)
    : options_(options),
      layout_(options.layout()),
      broker_(positions.broker()),
      page_(positions.own_flushd()),
      file_ops_(file_ops),
      pool_(std::move(pool)),
      committed_{committed, 0},
      copied_(committed.value()) {}

bool PoolCommitter::Due(int64_t now_ms) {
  const int64_t wrote = broker_.wrote.load(std::memory_order_acquire);
  const int64_t committed = committed_.wrote.value();
  if (wrote <= committed) return false;
  if (under_way() || broker_.wanted_commit.load(std::memory_order_acquire) > committed) return true;
  if (broker_.waits_for_file.load(std::memory_order_acquire) != 0) return true;
  if (static_cast<BrokerState>(broker_.state.load(std::memory_order_acquire)) == BrokerState::kDraining) return true;
  if (now_ms - last_look_ms_ < options_.commit_interval_ms) return false;
  last_look_ms_ = now_ms;
  const int64_t file_bytes = options_.commit_log_file_bytes;
  if (wrote / file_bytes > committed / file_bytes) return true;
  const bool thorough = now_ms - last_commit_ms_ >= options_.commit_thorough_interval_ms;
  return thorough || wrote / kPageBytes - committed / kPageBytes >= options_.commit_least_pages;
}

// All of [copied_, to) lies in one file.
Status PoolCommitter::CopyPiece(int64_t to) {
  const int64_t start = copied_ / options_.commit_log_file_bytes * options_.commit_log_file_bytes;
  const std::string path = layout_.CommitLogFile(PhysicalOffset(start));
  const char* slot = pool_->Find(start);
  if (slot == nullptr) {
    return MakeError(ErrorCode::kCorruption, "no slot of " + pool_->path() + " holds " + path);
  }
  if (file_start_ != start) {
    MQ_ASSIGN(file_, OpenFile(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    file_start_ = start;
  }
  const std::string_view bytes(slot + (copied_ - start), static_cast<size_t>(to - copied_));
  MQ_TRY(file_ops_.Write(file_.get(), bytes, copied_ - start, path));
  PassKillPoint(KillPoint::kPoolCopied);
  copied_ = to;
  return Ok();
}

Result<bool> PoolCommitter::Step(int64_t now_ms) {
  // Sampled before copying: every record below it is whole.
  if (!under_way()) target_ = LoadWrote(broker_);
  if (!under_way()) return false;
  const int64_t file_bytes = options_.commit_log_file_bytes;
  const int64_t file_end = (copied_ / file_bytes + 1) * file_bytes;
  const int64_t end = std::min(target_.wrote.value(), file_end);
  MQ_TRY(CopyPiece(std::min(copied_ + kPieceBytes, end)));
  if (copied_ < end) return false;
  committed_.wrote = PhysicalOffset(copied_);
  if (!under_way()) committed_.store_timestamp = target_.store_timestamp;
  page_.committed.store(copied_, std::memory_order_release);
  PassKillPoint(KillPoint::kCommittedPublished);
  last_commit_ms_ = now_ms;
  return true;
}

Status PoolCommitter::CommitFor(int64_t at_most_ms) {
  const int64_t began_ms = MonotonicMs();
  do {
    MQ_TRY(Step(last_commit_ms_));
  } while (under_way() && MonotonicMs() - began_ms < at_most_ms);
  return Ok();
}

}  // namespace mq::store
