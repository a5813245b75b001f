#include "reputd/reput_work.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace mq::reputd {

namespace {

constexpr int64_t kWaitForBrokerMs = 2;
constexpr int64_t kRetryMs = 500;
// One turn: a few milliseconds of work between two looks at the socket.
constexpr int64_t kRecordsPerTurn = 16384;
// Turns of a millisecond that find nothing before it goes to sleep.
constexpr int kIdleTurns = 50;
constexpr int64_t kIdleTurnMs = 1;
// A new broker waits for our share of the lock: what is not done by then is done from the marker.
constexpr int64_t kFinishMs = 2000;

}  // namespace

Status ReputWork::Attach(const ctl::Settings& settings, UniqueFd positions, UniqueFd lock) {
  lock_ = store::StoreLock::FromDescriptor(std::move(lock));
  MQ_ASSIGN(options_, store::DecodeOptions(settings));
  options_.root = root_;  // the broker's may be relative to another working directory
  MQ_ASSIGN(positions_, store::Positions::Attach(std::move(positions), store::PositionsRole::kReputd));
  positions_->own_reputd().pid.store(::getpid(), std::memory_order_relaxed);
  positions_->own_reputd().state.store(static_cast<uint32_t>(store::HelperState::kAttached));
  idle_turns_ = 0;
  reported_ = false;
  return Ok();
}

bool ReputWork::BrokerServes() const {
  const auto state = static_cast<store::BrokerState>(positions_->broker().state.load(std::memory_order_acquire));
  return state == store::BrokerState::kServing || state == store::BrokerState::kDraining;
}

Status ReputWork::OpenReput() {
  MQ_ASSIGN(reput_, store::Reput::Open(options_, *positions_));
  positions_->own_reputd().state.store(static_cast<uint32_t>(store::HelperState::kWorking), std::memory_order_release);
  return Ok();
}

int64_t ReputWork::Failed(const Error& error) {
  uint64_t suppressed = 0;
  if (failure_log_.Allow(&suppressed)) {
    log::Err("reput", "cannot go on for now").Field("error", error).Field("suppressed", suppressed);
  }
  positions_->own_reputd().state.store(static_cast<uint32_t>(store::HelperState::kFailed), std::memory_order_release);
  if (!reported_) helper_->ReportStatus(error.what);
  reported_ = true;
  return kRetryMs;
}

void ReputWork::Ring(const store::ReputOutcome& outcome) {
  const bool dispatched = outcome.advanced && store::MustRing(positions_->broker().waits_for_dispatched);
  if (dispatched || outcome.tombstones_applied || outcome.trimmed) helper_->Ring(ctl::Role::kBroker);
}

int64_t ReputWork::Sleep(int64_t at_most_ms) {
  store::ReputdPage& page = positions_->own_reputd();
  const bool follows_flushd = options_.flush_disk_type == store::FlushDiskType::kSync || options_.pool_slots > 0;
  store::StartWaiting(follows_flushd ? page.waits_for_flushed : page.waits_for_wrote);
  return reput_->behind() ? 0 : at_most_ms;
}

int64_t ReputWork::Turn() {
  if (!BrokerServes()) return kWaitForBrokerMs;
  if (reput_ == nullptr) {
    if (Status opened = OpenReput(); !opened) return Failed(opened.error());
  }
  store::StopWaiting(positions_->own_reputd().waits_for_wrote);
  store::StopWaiting(positions_->own_reputd().waits_for_flushed);
  auto outcome = reput_->Step(MonotonicMs(), kRecordsPerTurn);
  if (!outcome) return Failed(outcome.error());
  if (reported_) {
    reported_ = false;
    positions_->own_reputd().state.store(static_cast<uint32_t>(store::HelperState::kWorking));
    helper_->ReportStatus("");
  }
  Ring(*outcome);
  if (outcome->more || outcome->auditing) return 0;
  idle_turns_ = outcome->advanced ? 0 : idle_turns_ + 1;
  if (idle_turns_ < kIdleTurns) return kIdleTurnMs;
  return Sleep(outcome->next_step_ms);
}

Status ReputWork::Drain() {
  if (reput_ == nullptr) {
    if (!BrokerServes()) return MakeError(ErrorCode::kBusy, "the broker is not serving yet");
    MQ_TRY(OpenReput());
  }
  MQ_TRY(reput_->Finish());
  if (reput_->behind()) return MakeError(ErrorCode::kBusy, "the log is not dispatched to its end");
  return Ok();
}

Status ReputWork::FinishFor(int64_t at_most_ms) {
  const int64_t deadline = MonotonicMs() + at_most_ms;
  for (;;) {
    MQ_ASSIGN(auto outcome, reput_->DispatchStep(MonotonicMs(), kRecordsPerTurn));
    // No sync and no marker: a new broker waits for our share of the lock, and what is replayed from the last marker is
    // the same again.
    if (!outcome.more || MonotonicMs() >= deadline) return Ok();
  }
}

Status ReputWork::Detach() {
  Status finished = reput_ != nullptr ? FinishFor(kFinishMs) : Ok();
  reput_.reset();
  if (positions_) positions_->own_reputd().state.store(static_cast<uint32_t>(store::HelperState::kAbsent));
  positions_.reset();
  // Last: from here on another broker may have the store.
  lock_.reset();
  return finished;
}

}  // namespace mq::reputd
