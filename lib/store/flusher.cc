#include "store/flusher.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/clock.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/step_note.h"

namespace mq::store {

namespace {

constexpr size_t kMappedFiles = 2;
// Without sync senders RocketMQ's group commit thread also flushes every 10 ms.
constexpr int64_t kSyncIntervalMs = 10;
constexpr int64_t kCheckpointIntervalMs = 1000;
constexpr int64_t kFilesPerFlushStep = 4;
constexpr int64_t kRetryMs = 1000;
constexpr int64_t kBusyStepMs = 20;

}  // namespace

Flusher::Flusher(const StoreOptions& options, Positions& positions, FileOps& file_ops, CheckpointFile checkpoint)
    : options_(options),
      layout_(options.layout()),
      positions_(positions),
      page_(positions.own_flushd()),
      file_ops_(file_ops),
      checkpoint_(std::move(checkpoint)),
      files_(layout_.CommitLogDirs(), options.commit_log_file_bytes, kMappedFiles),
      stock_(options_, positions, file_ops) {}

Result<std::unique_ptr<Flusher>> Flusher::Open(const StoreOptions& options, Positions& positions, FileOps& file_ops) {
  MQ_ASSIGN(CheckpointFile checkpoint, CheckpointFile::Open(StoreLayout(options.root).Checkpoint()));
  std::unique_ptr<Flusher> flusher(new Flusher(options, positions, file_ops, std::move(checkpoint)));
  MQ_ASSIGN(auto files, ListLogFiles(flusher->layout_));
  const BrokerPage& broker = positions.broker();
  FlushdPage& page = flusher->page_;
  flusher->flushed_ = LoadFlushed(positions).value();
  // What recovery found is durable to its end: that time replaces one in the file that may be from a wrong clock.
  const WrittenPosition written = LoadWrote(broker);
  if (written.wrote.value() == broker.recovered_end.load()) flusher->flushed_timestamp_ = written.store_timestamp;
  page.flushed.store(flusher->flushed_, std::memory_order_release);
  if (options.pool_slots > 0) {
    MQ_ASSIGN(auto pool, TransientPoolReader::Open(flusher->layout_));
    flusher->committer_.emplace(flusher->options_, positions, std::move(pool), LoadCommitted(positions), file_ops);
  }
  page.committed.store(std::max(flusher->flushed_, LoadCommitted(positions).value()), std::memory_order_release);
  // Never lowered: in the same life of the positions files below it may be on their way out.
  const int64_t first = files.empty() ? broker.boot_min.load() : files.front().start;
  page.min.store(std::max(page.min.load(std::memory_order_relaxed), first), std::memory_order_release);
  MQ_TRY(flusher->NoteRemoved(first));
  page.allocated_to.store(files.empty() ? 0 : files.back().start + options.commit_log_file_bytes,
                          std::memory_order_release);
  page.checkpoint_time.store(flusher->checkpoint_.current().physic_timestamp, std::memory_order_relaxed);
  // A log that was cut from outside ends in front of it: what is appended now is not durable yet. And one who was
  // killed in this life may have moved `min` and not said so: the files below it go next.
  const Checkpoint& found = flusher->checkpoint_.current();
  if (found.flushed.value() > flusher->flushed_ || found.log_min != LoadLogMin(positions))
    MQ_TRY(flusher->CheckpointStep());
  return flusher;
}

// One who was killed in this life of the positions may have removed a file and not synced its directory.
Status Flusher::NoteRemoved(int64_t first) {
  if (first <= LoadLogRemoved(positions_).value()) return Ok();
  for (const std::string& directory : layout_.CommitLogDirs()) MQ_TRY(file_ops_.SyncDirectory(directory));
  page_.removed_to.store(first, std::memory_order_release);
  return Ok();
}

WrittenPosition Flusher::Flushable() const {
  return committer_ ? committer_->committed() : LoadWrote(positions_.broker());
}

bool Flusher::WorthFlushing(int64_t now_ms) {
  const BrokerPage& broker = positions_.broker();
  const int64_t wrote = Flushable().wrote.value();
  if (wrote <= flushed_ || failed()) return false;
  // Somebody waits: a group commit takes along all that was written meanwhile.
  if (broker.wanted_flush.load(std::memory_order_acquire) > flushed_) return true;
  // So does the log cleaner: for a marker of mq-reputd, which may name only what is durable.
  if (page_.wanted_marker.load(std::memory_order_relaxed) > positions_.reputd().durable_dispatched.load()) return true;
  if (options_.flush_disk_type == FlushDiskType::kSync) return now_ms - last_flush_ms_ >= kSyncIntervalMs;
  const bool due = now_ms - last_flush_ms_ >= options_.flush_interval_ms;
  if (!due && options_.flush_timed) return false;
  if (now_ms - last_thorough_ms_ >= options_.flush_thorough_interval_ms) {
    last_thorough_ms_ = now_ms;
    return true;
  }
  return wrote / kPageBytes - flushed_ / kPageBytes >= options_.flush_least_pages;
}

Status Flusher::SyncRange(int64_t from, int64_t to) {
  while (from < to) {
    MQ_ASSIGN(FilePin file, files_.Get(from));
    const int64_t end = std::min(to, file->end());
    MQ_TRY(committer_ ? file->SyncWritten(file_ops_)
                      : file->Sync(from - file->start(), end - file->start(), file_ops_));
    from = end;
  }
  return Ok();
}

void Flusher::PublishFailure(const Error& error) {
  page_.flush_failures.fetch_add(1, std::memory_order_relaxed);
  page_.flush_failed_errno.store(error.sys_errno != 0 ? error.sys_errno : EIO, std::memory_order_release);
  page_.state.store(static_cast<uint32_t>(HelperState::kFailed), std::memory_order_release);
  log::Err("store.flush", "the commit log cannot be made durable; nothing more is confirmed until a restart")
      .Field("error", error)
      .Field("flushed", flushed_);
}

Result<bool> Flusher::FlushStep() {
  if (failed()) return false;
  // Sampled before the sync: only what was written before it is durable after it.
  if (!flush_under_way()) target_ = Flushable();
  if (!flush_under_way()) return false;
  const StepNote note(page_, FlushdStep::kSync);
  const int64_t step_end =
      (flushed_ / options_.commit_log_file_bytes + kFilesPerFlushStep) * options_.commit_log_file_bytes;
  const int64_t to = std::min(target_.wrote.value(), step_end);
  if (Status synced = SyncRange(flushed_, to); !synced) {
    PublishFailure(synced.error());
    return std::move(synced).error();
  }
  PassKillPoint(KillPoint::kLogSynced);
  flushed_ = to;
  if (!flush_under_way()) {
    flushed_timestamp_ = target_.store_timestamp;
    page_.flushes.fetch_add(1, std::memory_order_relaxed);
  }
  // First: killed processes must not have confirmed what the next start takes for a torn end.
  SayCheckpointFailure(checkpoint_.Note(MakeCheckpoint()));
  if (!committer_) page_.committed.store(flushed_, std::memory_order_release);
  page_.flushed.store(flushed_, std::memory_order_release);
  PassKillPoint(KillPoint::kFlushedPublished);
  return true;
}

// Each time only after what it speaks of is durable.
Checkpoint Flusher::MakeCheckpoint() const {
  const ReputdPage& reputd = positions_.reputd();
  // What was found in the file is replaced, not raised: it may be from a clock that was ahead.
  Checkpoint checkpoint = checkpoint_.current();
  const int64_t logics = reputd.logics_timestamp.load(std::memory_order_acquire);
  const int64_t index = reputd.index_timestamp.load(std::memory_order_acquire);
  if (flushed_timestamp_ > 0) checkpoint.physic_timestamp = flushed_timestamp_;
  if (logics > 0) checkpoint.logics_timestamp = logics;
  if (index > 0) checkpoint.index_timestamp = index;
  checkpoint.flushed = PhysicalOffset(flushed_);
  checkpoint.log_min = LoadLogMin(positions_);
  return checkpoint;
}

Status Flusher::CheckpointStep() {
  const Checkpoint checkpoint = MakeCheckpoint();
  MQ_TRY(checkpoint_.Write(checkpoint));
  page_.checkpoint_time.store(checkpoint.physic_timestamp, std::memory_order_relaxed);
  return Ok();
}

void Flusher::SayCheckpointFailure(const Status& written) {
  uint64_t suppressed = 0;
  if (written || !checkpoint_lines_.Allow(&suppressed)) return;
  log::Err("store.flush", "the checkpoint cannot be written")
      .Field("error", written.error())
      .Field("suppressed", suppressed);
}

void Flusher::FollowMin() {
  files_.ForgetBelow(page_.min.load(std::memory_order_relaxed));
  SayCheckpointFailure(CheckpointStep());
}

void Flusher::TakeCommitStep(int64_t now_ms, FlushOutcome& outcome) {
  if (now_ms < retry_commit_ms_ || !committer_->Due(now_ms)) return;
  const StepNote note(page_, FlushdStep::kCommit);
  auto committed = committer_->Step(now_ms);
  if (committed) {
    outcome.committed = *committed;
    outcome.more = committer_->under_way();
    page_.commit_failed_errno.store(0, std::memory_order_relaxed);
    return;
  }
  retry_commit_ms_ = now_ms + kRetryMs;
  outcome.failed = true;
  const int error = committed.error().sys_errno;
  page_.commit_failed_errno.store(error != 0 ? error : EIO, std::memory_order_release);
  log::Err("store.flush", "the transient pool cannot be committed; it is tried again")
      .Field("error", committed.error());
}

FlushOutcome Flusher::Step(int64_t now_ms) {
  FlushOutcome outcome;
  page_.turned_ms.store(MonotonicMs(), std::memory_order_relaxed);
  if (committer_) TakeCommitStep(now_ms, outcome);
  if (flush_under_way() || WorthFlushing(now_ms)) {
    auto flushed = FlushStep();
    outcome.flushed = flushed && *flushed;
    outcome.failed |= !flushed;
    outcome.more |= outcome.flushed && flush_under_way();
    last_flush_ms_ = now_ms;
  }
  if (now_ms - last_checkpoint_ms_ >= kCheckpointIntervalMs) {
    last_checkpoint_ms_ = now_ms;
    SayCheckpointFailure(CheckpointStep());
  }
  const auto state = static_cast<BrokerState>(positions_.broker().state.load(std::memory_order_acquire));
  if (state == BrokerState::kDraining) return outcome;  // nothing more will be written
  const FileStock::Outcome stocked = stock_.Step(now_ms, outcome.more);
  outcome.allocated = stocked.made;
  outcome.more |= stocked.more;
  const bool sync = options_.flush_disk_type == FlushDiskType::kSync;
  const bool behind = positions_.broker().wrote.load(std::memory_order_acquire) > flushed_ && !failed();
  // While the log grows the window ahead of it must grow too, also between two flushes.
  const int64_t interval = std::min(sync ? kSyncIntervalMs : options_.flush_interval_ms, kBusyStepMs);
  outcome.next_step_ms = behind ? interval : kRetryMs;
  return outcome;
}

Status Flusher::CommitFor(int64_t at_most_ms) { return committer_ ? committer_->CommitFor(at_most_ms) : Ok(); }

Status Flusher::SyncAll() {
  for (bool flushed = true; flushed;) {
    MQ_ASSIGN(flushed, FlushStep());
  }
  if (failed()) return MakeError(ErrorCode::kIo, "an earlier sync of the commit log has failed");
  return Ok();
}

Status Flusher::FlushAll() {
  MQ_TRY(CommitFor(INT64_MAX));
  MQ_TRY(SyncAll());
  return CheckpointStep();
}

}  // namespace mq::store
