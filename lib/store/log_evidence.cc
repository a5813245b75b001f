#include "store/log_evidence.h"

#include <algorithm>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "store/checkpoint.h"
#include "store/dispatched_marker.h"

namespace mq::store {

namespace {

// RocketMQ's margin below the checkpoint.
constexpr int64_t kCheckpointMarginMs = 3000;

}  // namespace

Result<LogEvidence> ReadEvidence(const StoreLayout& layout) {
  LogEvidence evidence;
  if (const auto text = ReadFile(layout.Dispatched())) {
    if (const auto marker = DispatchedMarker::Decode(*text)) evidence.marked = marker->offset;
  }
  MQ_ASSIGN(const auto times, ReadCheckpoint(layout.Checkpoint()));
  evidence.unknown = !times;
  if (!times) return evidence;
  const auto [older, newer] = std::minmax(times->physic_timestamp, times->logics_timestamp);
  evidence.distrusted = older < 0 || newer > NowMs() + kCheckpointMarginMs;
  if (evidence.distrusted) {
    log::Warn("store.recover", "the checkpoint is in the future or damaged: not trusted")
        .Field("file", layout.Checkpoint());
    evidence.unknown = true;
    return evidence;
  }
  evidence.flushed = times->flushed;
  evidence.log_min = times->log_min;
  // A broker has written since that knows nothing of the marker, and may have cut the log.
  if (times->foreign()) evidence.marked = PhysicalOffset(0);
  evidence.durable_timestamp = times->physic_timestamp;
  evidence.scan_timestamp = older - kCheckpointMarginMs;
  return evidence;
}

}  // namespace mq::store
