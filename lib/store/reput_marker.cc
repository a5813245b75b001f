// The part of reput.h that makes queues and index durable and writes the marker.
#include <algorithm>

#include "base/file.h"
#include "base/kill_point.h"
#include "store/reput.h"

namespace mq::store {

namespace {

// A crash never costs a replay of much more than this.
constexpr int64_t kMarkerBytes = int64_t{256} << 20;

}  // namespace

// The log cleaner waits; once for each of its wishes, and again when what was made for it is not far enough.
bool Reput::MarkerIsWanted() const {
  const PhysicalOffset wanted(positions_.flushd().wanted_marker.load(std::memory_order_acquire));
  const PhysicalOffset made = waiting_marker_ ? waiting_marker_->offset : marked_;
  return wanted > made && walk_.position() > made && walk_.position() >= believed_;
}

Status Reput::FlushStep(int64_t now_ms) {
  MQ_TRY(WriteMarkerIfCovered());
  if (MarkerIsWanted()) return FlushThoroughly();
  if (now_ms - last_flush_ms_ < options_.queue_flush_interval_ms) return Ok();
  last_flush_ms_ = now_ms;
  const bool due = now_ms - last_thorough_ms_ >= options_.queue_flush_thorough_interval_ms ||
                   walk_.position() - marked_ >= kMarkerBytes;
  if (!due) return queues_.Sync(std::max(options_.queue_flush_least_pages, 1));
  last_thorough_ms_ = now_ms;
  MQ_TRY(FlushThoroughly());
  return WriteMarkerIfCovered();
}

Status Reput::FlushThoroughly() {
  const bool index_grew = index_ && (index_->position() > marked_index_ || index_->marker_is_stale());
  // A marker that knows of fewer files than are there would take lost ones for expired.
  const bool trimmed = trimmed_ > marked_log_min_;
  const bool numbers_kept = numbers_stored_ && numbers_.empty();
  const bool changed = walk_.position() > marked_ || index_grew || trimmed || numbers_kept;
  if (last_record_.value() < 0 || undone_ || !changed) return Ok();
  if (walk_.position() < believed_) return queues_.Sync(0);
  DispatchedMarker marker;
  marker.offset = walk_.position();
  // Not the present one: files of queues that are not trimmed for it yet may go after this was written.
  marker.log_min = trimmed_;
  marker.last_record = last_record_;
  marker.store_timestamp = last_store_timestamp_;
  marker.body_crc = last_body_crc_;
  MQ_TRY(queues_.Sync(0));
  PassKillPoint(KillPoint::kQueuesSynced);
  marker.queues = queues_.Marked();
  if (index_) {
    index_->Trim(marker.log_min);
    MQ_ASSIGN(marker.index, index_->Sync());
    PassKillPoint(KillPoint::kIndexSynced);
    if (index_->last_timestamp() > 0) {
      page_.index_timestamp.store(index_->last_timestamp(), std::memory_order_release);
    }
  }
  page_.logics_timestamp.store(marker.store_timestamp, std::memory_order_release);
  waiting_marker_ = std::move(marker);
  waiting_keeps_numbers_ = numbers_kept;
  return Ok();
}

Status Reput::WriteMarkerIfCovered() {
  if (!waiting_marker_ || LoadFlushed(positions_) < waiting_marker_->offset) return Ok();
  PassKillPoint(KillPoint::kMarkerDue);
  MQ_TRY(WriteDispatchedMarker(layout_, *waiting_marker_));
  PassKillPoint(KillPoint::kMarkerWritten);
  marked_ = waiting_marker_->offset;
  marked_log_min_ = waiting_marker_->log_min;
  if (waiting_marker_->index) marked_index_ = waiting_marker_->index->position;
  page_.durable_dispatched.store(marked_.value(), std::memory_order_release);
  waiting_marker_.reset();
  if (!waiting_keeps_numbers_) return Ok();
  waiting_keeps_numbers_ = false;
  numbers_stored_ = false;
  return RemoveFile(layout_.Numbers());
}

}  // namespace mq::store
