#include "store/index_follower.h"

#include <algorithm>

#include "base/clock.h"

namespace mq::store {

namespace {

constexpr int64_t kRetryMs = 1000;
// Entries looked at in one step: about a millisecond.
constexpr int64_t kEntriesPerStep = 1 << 17;

}  // namespace

IndexFollower::IndexFollower(const StoreOptions& options, LogReader& log, std::optional<MarkedIndex> marked,
                             IndexCheckMode mode, PhysicalOffset log_min, PhysicalOffset log_end, bool checked)
    : options_(options),
      log_(log),
      marked_(std::move(marked)),
      mode_(mode),
      log_min_(log_min),
      log_end_(log_end),
      checked_(checked) {}

Result<bool> IndexFollower::Open() {
  if (!opening_) {
    opening_.emplace(options_, log_min_, log_end_, log_, checked_);
    MQ_TRY(opening_->Start(marked_, mode_));
  }
  int64_t budget = kEntriesPerStep;
  MQ_ASSIGN(const bool over, opening_->Step(budget));
  if (!over) return false;
  IndexCheck check = opening_->Take();
  opening_.reset();
  AddDamagedBefore(check.damaged);
  writer_ = std::make_unique<IndexWriter>(options_, check);
  audit_.emplace(options_, log_, *writer_, check.unchecked);
  damaged_.insert(damaged_.end(), check.damaged.begin(), check.damaged.end());
  marker_is_stale_ |= !check.damaged.empty();
  position_ = check.position;
  log::Info("store.index", "the index goes on")
      .Field("from", position_.value())
      .Field("files_kept", static_cast<uint64_t>(check.files.size()));
  return true;
}

void IndexFollower::AddDamagedBefore(std::vector<std::string>& damaged) {
  for (std::string& name : damaged_before_) {
    if (std::find(damaged.begin(), damaged.end(), name) == damaged.end()) damaged.push_back(std::move(name));
  }
  damaged_before_.clear();
}

// The files go on where they are; what is put meanwhile is put when they have been looked into.
bool IndexFollower::CheckAgain() {
  if (!writer_) return false;
  std::vector<MarkedIndexFile> files = writer_->SummedFiles();
  if (!writer_->Sync()) return false;
  marked_ = MarkedIndex{position_, std::move(files)};
  mode_ = IndexCheckMode::kGoOn;
  log_min_ = log_.min();
  log_end_ = log_.end();
  checked_ = false;
  reopened_ = true;
  caught_up_ = false;
  audit_.reset();
  writer_.reset();
  walk_.reset();
  undone_.reset();
  return true;
}

uint32_t IndexFollower::unsure() const {
  return static_cast<uint32_t>(audit_ ? audit_->left() : 0) + (reopened_ ? 1 : 0);
}

void IndexFollower::Audit(int64_t now_ms) {
  if (!auditing(now_ms)) return;
  const Status done = audit_->Step(kEntriesPerStep);
  for (std::string& name : audit_->TakeDamaged()) damaged_.push_back(std::move(name));
  marker_is_stale_ |= audit_->TakeChanged();
  if (done) return;
  audit_retry_at_ms_ = now_ms + kRetryMs;
  uint64_t suppressed = 0;
  if (failure_log_.Allow(&suppressed)) {
    log::Warn("store.index", "an index file cannot be checked; it is tried again")
        .Field("error", done.error())
        .Field("suppressed", suppressed);
  }
  // It was lost or cut just now: what to do then is decided with all of them in view.
  if (done.error().code == ErrorCode::kNotFound || done.error().code == ErrorCode::kCorruption) CheckAgain();
}

void IndexFollower::Failed(const Error& error, int64_t now_ms) {
  caught_up_ = false;
  failing_ = true;
  retry_at_ms_ = now_ms + kRetryMs;
  uint64_t suppressed = 0;
  if (!failure_log_.Allow(&suppressed)) return;
  log::Warn("store.index", "the index cannot be written and falls behind; it catches up when that is over")
      .Field("error", error)
      .Field("indexed", position_.value())
      .Field("suppressed", suppressed);
}

void IndexFollower::Dispatch(const protocol::MessageView& record, PhysicalOffset end) {
  if (!caught_up_ || record.physical_offset < position_) return;
  if (Status put = writer_->Put(record); !put) return Failed(put.error(), MonotonicMs());
  position_ = end;
}

Status IndexFollower::Walk(PhysicalOffset to, int64_t max_records) {
  if (undone_) {
    Slice slice;
    MQ_ASSIGN(const protocol::MessageView record, log_.ReadRecord(*undone_, &slice));
    MQ_TRY(writer_->Put(record));
    undone_.reset();
    position_ = walk_->position();
  }
  for (int64_t i = 0; i < max_records; ++i) {
    MQ_ASSIGN(const protocol::MessageView* record, walk_->Next(to));
    if (record == nullptr) {
      caught_up_ = true;
      reopened_ = false;
      walk_.reset();
      position_ = std::max(position_, to);
      return Ok();
    }
    if (Status put = writer_->Put(*record); !put) {
      undone_ = walk_->record_position();
      return put;
    }
    position_ = walk_->position();
  }
  return Ok();
}

void IndexFollower::CatchUp(PhysicalOffset to, int64_t max_records, int64_t now_ms) {
  if (!more(now_ms)) return;
  if (!writer_) {
    const auto opened = Open();
    if (!opened) {
      // What it has put right already nobody finds damaged any more.
      std::vector<std::string> damaged = opening_->Take().damaged;
      AddDamagedBefore(damaged);
      damaged_before_ = std::move(damaged);
      opening_.reset();
      return Failed(opened.error(), now_ms);
    }
    if (!*opened) return;
  }
  // What has expired meanwhile is not indexed any more.
  if (position_ < log_.min()) {
    position_ = log_.min();
    walk_.reset();
    undone_.reset();
  }
  if (!walk_) walk_.emplace(log_, position_);
  if (Status walked = Walk(to, max_records); !walked) return Failed(walked.error(), now_ms);
  if (failing_ && caught_up_) {
    failing_ = false;
    log::Info("store.index", "the index is written again").Field("indexed", position_.value());
  }
}

Result<std::optional<MarkedIndex>> IndexFollower::Sync() {
  if (!writer_) return std::optional<MarkedIndex>();
  MQ_TRY(writer_->Sync());
  marker_is_stale_ = false;
  return std::optional<MarkedIndex>(MarkedIndex{position_, writer_->files()});
}

void IndexFollower::Trim(PhysicalOffset log_min) {
  if (!writer_) return;
  if (Status trimmed = writer_->Trim(log_min); !trimmed) {
    log::Warn("store.index", "expired index files cannot be removed").Field("error", trimmed.error());
  }
}

}  // namespace mq::store
