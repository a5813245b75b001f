#include "broker/broker.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "base/map_fault.h"
#include "broker/bounds.h"

namespace mq::broker {

namespace {

constexpr int64_t kClientScanMs = 10000;
constexpr int64_t kFlushPatienceMs = 5000;

}  // namespace

Broker::Broker(loop::Loop& loop, BrokerOptions options, std::string log_level)
    : loop_(loop),
      options_(std::move(options)),
      log_level_(std::move(log_level)),
      layout_(options_.store.layout()),
      core_(loop, options_),
      overload_(core_) {
  core_.boot_ms = NowMs();
}

Broker::~Broker() {
  loop_.CancelTurnEnd(this);
  // Channels first: what they hold refers to the processors.
  server_.reset();
  // Its thread reads positions and files.
  core_.entry_finder.reset();
}

void Broker::ServeSettings(conf::Settings& settings) {
  config_ = std::make_unique<ConfigProcessor>(core_, settings, [this, &settings]() -> Status {
    MQ_ASSIGN(const BrokerOptions changed, ReadBrokerOptions(settings));
    Reconfigure(changed);
    return Ok();
  });
}

void Broker::OnHelperWake() {
  if (!std::exchange(look_asked_, true)) loop_.AtTurnEnd(this);
}

void Broker::LookAtTurnEnd() {
  if (!std::exchange(look_asked_, true)) loop_.AtTurnEnd(this);
}

void Broker::OnTurnEnd() {
  look_asked_ = false;
  LookAtPositions();
}

// A failed sync or a queue that cannot be written: nothing is acknowledged that might not be there tomorrow.
void Broker::LookForTrouble() {
  if (const uint64_t faults = MapFaults::count(); faults != seen_map_faults_) {
    seen_map_faults_ = faults;
    static log::RateLimit limit(6);
    uint64_t suppressed = 0;
    if (limit.Allow(&suppressed)) {
      log::Err("store.map", "mapped bytes are gone: the file was cut, or its device fails; they are read as zeros")
          .Field("place", MapFaults::Latest())
          .Field("suppressed", suppressed);
    }
  }
  const auto flush_errno = static_cast<int>(positions_->flushd().flush_failed_errno.load(std::memory_order_relaxed));
  std::string trouble = expiry_->NoSpace(sends_->gate().holding());
  if (flush_errno != 0) trouble = std::string("the commit log cannot be flushed: ") + std::strerror(flush_errno);
  const auto commit_errno = static_cast<int>(positions_->flushd().commit_failed_errno.load(std::memory_order_relaxed));
  if (commit_errno != 0) {
    trouble = std::string("the transient pool cannot be written to the commit log: ") + std::strerror(commit_errno);
  }
  if (const auto error = positions_->reputd().queue_error.load(std::memory_order_relaxed); error != 0) {
    trouble = std::string("a consume queue cannot be written: ") + std::strerror(static_cast<int>(error));
  }
  if (!core_.log->lost().empty()) trouble = core_.log->lost();
  if (trouble == core_.unwritable) return;
  core_.unwritable = std::move(trouble);
  if (core_.unwritable.empty()) {
    log::Info("broker.writable", "sends are accepted again");
  } else {
    log::Err("broker.writable", "sends are refused").Field("reason", core_.unwritable);
    // Those that are held would wait in vain.
    sends_->gate().Release();
  }
}

// Who waits for a message should not wait for the interval: then mq-flushd commits at once.
void Broker::LookAtPool() {
  if (core_.pool == nullptr) return;
  auto& page = positions_->own_broker();
  const auto wrote = core_.log->wrote();
  auto committed = store::LoadCommitted(*positions_);
  if (committed < wrote) {
    if (pulls_->hold().held() > 0) page.wanted_commit.store(wrote.value(), std::memory_order_release);
    store::StartWaiting(page.waits_for_committed);
    if (pulls_->hold().held() > 0) helpers_->RingForCommit();
    committed = store::LoadCommitted(*positions_);
  } else if (page.waits_for_committed.load(std::memory_order_relaxed) != 0) {
    store::StopWaiting(page.waits_for_committed);
  }
  if (committed == seen_committed_) return;
  seen_committed_ = committed;
  core_.pool->Release(committed.value());
  if (sends_->gate().holding()) sends_->gate().Release();
}

// The one step behind every doorbell and the tick alike.
void Broker::LookAtPositions() {
  if (!core_.log) return;
  LookForTrouble();
  if (expiry_->Look()) queries_->ForgetFiles();
  auto& page = positions_->own_broker();
  // Whoever makes the next file is told, whether or not it said that it sleeps.
  if (sends_->gate().holding()) helpers_->RingAll();
  if (sends_->gate().waits_for_flush()) page.wanted_flush.store(core_.log->wrote().value(), std::memory_order_release);
  if (core_.log->wrote() != rung_) {
    rung_ = core_.log->wrote();
    helpers_->RingWaiting();
  }
  // Flags first, positions after them: whatever is published later rings.
  const auto wait_if = [](std::atomic<uint32_t>& flag, bool wait) {
    if (wait) {
      store::StartWaiting(flag);
    } else if (flag.load(std::memory_order_relaxed) != 0) {
      store::StopWaiting(flag);
    }
  };
  wait_if(page.waits_for_flushed, core_.sync_flush() && core_.flushed() < core_.log->wrote());
  wait_if(page.waits_for_dispatched, pulls_->hold().any_in_gap() || queries_->any_waiting());
  wait_if(page.waits_for_file, sends_->gate().holding());

  LookAtPool();
  if (const auto flushed = core_.flushed(); flushed != seen_flushed_) {
    seen_flushed_ = flushed;
    sends_->gate().OnFlushed(flushed);
  }
  if (const auto visible = core_.visible_end(); core_.shows_later() && visible != seen_visible_) {
    seen_visible_ = visible;
    core_.queues->Reveal(visible);
  }
  if (const auto dispatched = core_.dispatched(); dispatched != seen_dispatched_) {
    seen_dispatched_ = dispatched;
    pulls_->hold().OnDispatched();
  }
  if (const auto indexed = core_.indexed(); indexed != seen_indexed_) {
    seen_indexed_ = indexed;
    queries_->OnIndexed();
  }
  const int64_t allocated = positions_->flushd().allocated_to.load(std::memory_order_acquire);
  if (allocated != seen_allocated_) {
    seen_allocated_ = allocated;
    core_.log->PrepareNextFile();
    if (sends_->gate().holding()) sends_->gate().Release();
  }
}

void Broker::Tick() {
  LookAtPositions();
  const int64_t now = MonotonicMs();
  sends_->gate().Tick(now);
  pulls_->hold().Tick(now);
  queries_->Tick(now);
  if (now - last_second_ms_ >= 1000) {
    last_second_ms_ = now;
    core_.stats.Sample(NowMs());
    core_.topics->Tick();
    core_.groups->Tick();
    core_.entry_finder->Tick(now);
    core_.counters.Tick(now);
    // With nobody who waits for it a little that was written is flushed when flushCommitLogThoroughInterval is over.
    const int64_t rest_ms = core_.sync_flush() ? 0 : options_.store.flush_thorough_interval_ms;
    helpers_->NoteProgress(now, core_.visible_end(), rest_ms + kFlushPatienceMs);
  }
  core_.offsets->Tick(now, options_.offset_save_period_ms);
  if (now - last_scan_ms_ >= kClientScanMs) {
    last_scan_ms_ = now;
    clients_->Scan(now);
  }
}

void Broker::Reconfigure(const BrokerOptions& options) {
  const bool permission_changed = options.permission != options_.permission;
  CopyLiveOptions(options, options_);
  if (!core_.log) return;  // still recovering: nobody has read them yet
  core_.log->set_max_message_bytes(options_.store.max_message_bytes);
  helpers_->ChangeSettings(options_.store);
  if (config_) config_->NoteChange();
  registration_->UseNameServers(options_.name_servers);
  // A name server takes permissions over only with a version it does not have yet.
  if (permission_changed) core_.topics->AdvertiseAnew();
}

void Broker::Stop(std::function<void(bool clean)> done) {
  if (std::exchange(stopping_, true)) return;
  stopped_ = std::move(done);
  loop::NotifyStopping();
  if (recovering_) {
    log::Info("stop", "while recovering; the next start recovers");
    tick_->Stop();
    server_->Close();
    return helpers_->Close([this] { stopped_(false); });
  }
  log::Info("stop", "refusing sends, draining");
  core_.draining = true;
  positions_->own_broker().state.store(static_cast<uint32_t>(store::BrokerState::kDraining), std::memory_order_release);
  helpers_->SetState("draining");
  sends_->gate().RefuseAll();
  server_->StopListening();
  registration_->Unregister([this] {
    helpers_->RingAll();
    helpers_->Drain(bounds::kDrainMs, [this](const std::string& problem) { FinishStop(problem); });
  });
}

void Broker::FinishStop(const std::string& problem) {
  // What was flushed by the drain answers those who wait for it.
  LookAtPositions();
  pulls_->hold().AnswerAll();
  queries_->AnswerAll();
  std::string why = problem;
  const auto wrote = core_.log->wrote();
  if (why.empty() && (core_.flushed() < wrote || core_.dispatched() < wrote))
    why = "flushed or dispatched is behind the log";
  tick_->Stop();
  server_->Close();
  core_.groups->SaveAll([this, why](const Status& groups) {
    core_.offsets->SaveAll([this, why, groups](const Status& offsets) {
      if (!why.empty()) return CloseStore(why);
      const Status& saved = groups ? offsets : groups;
      CloseStore(saved ? "" : saved.error().what);
    });
  });
}

void Broker::CloseStore(const std::string& problem) {
  positions_->own_broker().state.store(static_cast<uint32_t>(store::BrokerState::kStopped), std::memory_order_release);
  helpers_->Close([this, why = problem]() mutable {
    if (why.empty()) {
      PassKillPoint(KillPoint::kStopDrained);
      // Everything in the pool is in the log; the abort file goes last.
      auto removed = store::RemovePool(layout_);
      if (removed) removed = store::RemoveAbort(layout_);
      if (!removed) why = removed.error().what;
      PassKillPoint(KillPoint::kAbortRemoved);
    }
    lock_.reset();
    if (why.empty()) {
      log::Info("stop", "complete");
    } else {
      log::Err("stop", "not complete; the next start recovers").Field("why", why);
    }
    stopped_(why.empty());
  });
}

}  // namespace mq::broker
