#include "flushd/flush_work.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"

namespace mq::flushd {

namespace {

// While the broker recovers, and when the store could not be opened.
constexpr int64_t kWaitForBrokerMs = 2;
constexpr int64_t kRetryMs = 500;
// A new broker waits for our share of the lock: what is still in the transient pool then, its start commits.
constexpr int64_t kFinishMs = 2000;

}  // namespace

Status FlushWork::Attach(const ctl::Settings& settings, UniqueFd positions, UniqueFd lock) {
  lock_ = store::StoreLock::FromDescriptor(std::move(lock));
  MQ_ASSIGN(options_, store::DecodeOptions(settings));
  options_.root = root_;  // the broker's may be relative to another working directory
  MQ_ASSIGN(positions_, store::Positions::Attach(std::move(positions), store::PositionsRole::kFlushd));
  positions_->own_flushd().pid.store(::getpid(), std::memory_order_relaxed);
  positions_->own_flushd().state.store(static_cast<uint32_t>(store::HelperState::kAttached));
  reported_ = false;
  return Ok();
}

bool FlushWork::BrokerServes() const {
  const auto state = static_cast<store::BrokerState>(positions_->broker().state.load(std::memory_order_acquire));
  return state == store::BrokerState::kServing || state == store::BrokerState::kDraining;
}

Status FlushWork::OpenFlusher() {
  MQ_ASSIGN(flusher_, store::Flusher::Open(options_, *positions_));
  cleaner_ = std::make_unique<store::LogCleaner>(options_, *positions_, MonotonicMs());
  // A sync that failed in this life of the positions stays failed, also for the next mq-flushd.
  const auto state = flusher_->failed() ? store::HelperState::kFailed : store::HelperState::kWorking;
  positions_->own_flushd().state.store(static_cast<uint32_t>(state), std::memory_order_release);
  return Ok();
}

void FlushWork::Ring(const store::FlushOutcome& outcome) {
  const store::BrokerPage& broker = positions_->broker();
  const bool flushed = outcome.flushed && store::MustRing(broker.waits_for_flushed);
  const bool committed =
      outcome.committed && (store::MustRing(broker.waits_for_committed) || store::MustRing(broker.waits_for_file));
  const bool allocated = outcome.allocated && store::MustRing(broker.waits_for_file);
  if (flushed || committed || allocated || outcome.failed) helper_->Ring(ctl::Role::kBroker);
  // Dispatch follows what may be read: with a pool that is `committed`.
  const bool readable = flusher_->has_pool() ? outcome.committed : outcome.flushed;
  if (readable && store::MustRing(positions_->reputd().waits_for_flushed)) helper_->Ring(ctl::Role::kReputd);
  if (outcome.failed && !reported_) {
    reported_ = true;
    helper_->ReportStatus("the commit log cannot be made durable");
  }
}

Status FlushWork::Reconfigure(const ctl::Settings& settings) {
  MQ_ASSIGN(const store::StoreOptions changed, store::DecodeOptions(settings));
  options_.clean = changed.clean;
  if (flusher_ == nullptr) return Ok();
  flusher_->SetOptions(options_.clean);
  cleaner_->SetOptions(options_.clean);
  return Ok();
}

int64_t FlushWork::Clean() {
  const store::CleanOutcome outcome = cleaner_->Step(MonotonicMs(), NowMs());
  if (outcome.min_moved) flusher_->FollowMin();
  if (outcome.min_moved || outcome.disk_changed) helper_->Ring(ctl::Role::kBroker);
  if (outcome.min_moved || outcome.marker_wanted || outcome.removed) helper_->Ring(ctl::Role::kReputd);
  return outcome.next_step_ms;
}

int64_t FlushWork::Turn() {
  if (!BrokerServes()) return kWaitForBrokerMs;
  if (flusher_ == nullptr) {
    if (Status opened = OpenFlusher(); !opened) {
      log::Err("flush.open", "the store cannot be opened").Field("error", opened.error());
      return kRetryMs;
    }
  }
  std::atomic<uint32_t>& waiting = positions_->own_flushd().waits_for_wrote;
  store::StopWaiting(waiting);
  store::StopWaiting(positions_->own_flushd().waits_for_wanted_commit);
  store::FlushOutcome outcome = flusher_->Step(MonotonicMs());
  Ring(outcome);
  if (outcome.allocated) cleaner_->LookAgain();
  const auto state = static_cast<store::BrokerState>(positions_->broker().state.load(std::memory_order_acquire));
  if (state == store::BrokerState::kServing) outcome.next_step_ms = std::min(outcome.next_step_ms, Clean());
  if (outcome.more) return 0;
  const store::BrokerPage& broker = positions_->broker();
  auto position = [](const std::atomic<int64_t>& value) { return value.load(std::memory_order_acquire); };
  const int64_t flushed = position(positions_->flushd().flushed);
  const bool sync = options_.flush_disk_type == store::FlushDiskType::kSync;
  if (flusher_->has_pool()) {
    store::StartWaiting(positions_->own_flushd().waits_for_wanted_commit);
    const int64_t committed = position(positions_->flushd().committed);
    const bool wanted = position(broker.wanted_commit) > committed || broker.waits_for_file.load() != 0;
    if (wanted && position(broker.wrote) > committed && position(positions_->flushd().commit_failed_errno) == 0)
      return 0;
  }
  // Behind on purpose (interval, pages): the timer looks again, nobody needs to ring.
  if (!sync && position(broker.wrote) > flushed) return outcome.next_step_ms;
  store::StartWaiting(waiting);
  const int64_t wanted = sync ? position(broker.wanted_flush) : position(broker.wrote);
  return wanted > flushed && !flusher_->failed() ? 0 : outcome.next_step_ms;
}

Status FlushWork::Drain() {
  if (flusher_ == nullptr) {
    if (!BrokerServes()) return MakeError(ErrorCode::kBusy, "the broker is not serving yet");
    MQ_TRY(OpenFlusher());
  }
  cleaner_->Finish();
  MQ_TRY(flusher_->FlushAll());
  return flusher_->stock().RemoveSpare();
}

Status FlushWork::Detach() {
  Status finished = flusher_ != nullptr ? flusher_->CommitFor(kFinishMs) : Ok();
  cleaner_.reset();
  // From here on another broker may have the store. A sync changes nothing in it, and may take long on a busy disk.
  lock_.reset();
  if (flusher_ != nullptr && finished) finished = flusher_->SyncAll();
  flusher_.reset();
  if (positions_) positions_->own_flushd().state.store(static_cast<uint32_t>(store::HelperState::kAbsent));
  positions_.reset();
  return finished;
}

}  // namespace mq::flushd
