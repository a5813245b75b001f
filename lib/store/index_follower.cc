#include "store/index_follower.h"

#include <algorithm>

#include "base/clock.h"

namespace mq::store {

namespace {

constexpr int64_t kRetryMs = 1000;

}  // namespace

IndexFollower::IndexFollower(const StoreOptions& options, LogReader& log, std::optional<MarkedIndex> marked,
                             IndexCheckMode mode, PhysicalOffset log_min, PhysicalOffset log_end)
    : options_(options), log_(log), marked_(std::move(marked)), mode_(mode), log_min_(log_min), log_end_(log_end) {}

Status IndexFollower::Open() {
  MQ_ASSIGN(const IndexCheck check, CheckIndex(options_, log_min_, log_end_, marked_, mode_, log_));
  writer_ = std::make_unique<IndexWriter>(options_, check);
  position_ = check.position;
  log::Info("store.index", "the index goes on")
      .Field("from", position_.value())
      .Field("files_kept", static_cast<uint64_t>(check.files.size()));
  return Ok();
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
    if (Status opened = Open(); !opened) return Failed(opened.error(), now_ms);
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
  return std::optional<MarkedIndex>(MarkedIndex{position_, writer_->files()});
}

void IndexFollower::Trim(PhysicalOffset log_min) {
  if (!writer_) return;
  if (Status trimmed = writer_->Trim(log_min); !trimmed) {
    log::Warn("store.index", "expired index files cannot be removed").Field("error", trimmed.error());
  }
}

}  // namespace mq::store
