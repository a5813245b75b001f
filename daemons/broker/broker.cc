#include "broker/broker.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "base/map_fault.h"
#include "ctl/client.h"
#include "store/log_paths.h"

namespace mq::broker {

namespace {

constexpr int64_t kLockWaitMs = 5000;  // for the lock of a broker that is on its way out
constexpr int64_t kReadyWaitMs = 500;  // for the name servers' first answers, before `ready` is said
constexpr int64_t kTickMs = 100;       // the look that a lost doorbell costs at most
constexpr int64_t kClientScanMs = 10000;
constexpr int64_t kDrainMs = 8000;  // of the 10 s in which a stop is over

Error HeldError(const store::StoreLayout& layout, std::optional<int64_t> answered) {
  const std::string what = "the store " + layout.root() + " is held by ";
  const auto pid = answered ? answered : store::ReadPid(layout);
  const bool alive = pid && (answered || ::kill(static_cast<pid_t>(*pid), 0) == 0 || errno == EPERM);
  if (alive) return MakeError(ErrorCode::kHeldByOther, what + "another broker (pid " + std::to_string(*pid) + ")");
  return MakeError(ErrorCode::kHeldByOther, what + "somebody who does not answer")
      .WithHint("a helper of a broker that is gone may not be able to leave: pgrep -af 'mq-(flushd|reputd).*" +
                layout.root() + "'");
}

}  // namespace

Broker::Broker(loop::Loop& loop, BrokerOptions options, std::string log_level)
    : loop_(loop),
      options_(std::move(options)),
      log_level_(std::move(log_level)),
      layout_(options_.store.layout()),
      core_(loop, options_) {
  core_.boot_ms = NowMs();
}

Broker::~Broker() {
  loop_.CancelTurnEnd(this);
  // Channels first: what they hold refers to the processors.
  server_.reset();
}

void Broker::ServeSettings(conf::Settings& settings) {
  config_ = std::make_unique<ConfigProcessor>(core_, settings, [this, &settings]() -> Status {
    MQ_ASSIGN(const BrokerOptions changed, ReadBrokerOptions(settings));
    Reconfigure(changed);
    return Ok();
  });
}

Status Broker::TakeLock() {
  MQ_TRY(layout_.MakeDirectories());
  const int64_t deadline = MonotonicMs() + kLockWaitMs;
  while (true) {
    auto lock = store::StoreLock::TryAcquire(layout_);
    if (lock) {
      lock_.emplace(std::move(*lock));
      MQ_TRY(store::RefuseForgottenPaths(options_.store.root, options_.store.log_paths));
      MQ_TRY(store::SaveLogPaths(options_.store.root, options_.store.log_paths));
      // Only for messages: a disk that is full must not keep a broker from starting, which alone can clean it.
      if (Status written = store::WritePid(layout_, ::getpid()); !written) {
        log::Warn("broker.start", "the process id is not noted").Field("error", written.error());
      }
      return Ok();
    }
    if (lock.error().code != ErrorCode::kHeldByOther) return std::move(lock).error();
    const auto holder = ctl::AskHolder(layout_.MqDir(), 500);
    if (holder || MonotonicMs() >= deadline) {
      return HeldError(layout_, holder);
    }
    ::poll(nullptr, 0, 20);
  }
}

Status Broker::Start() {
  MQ_TRY(TakeLock());
  MQ_ASSIGN(auto positions, store::Positions::Create());
  positions_.emplace(std::move(positions));
  core_.positions = &*positions_;
  positions_->own_broker().pid.store(::getpid(), std::memory_order_relaxed);
  helpers_ = std::make_unique<Helpers>(loop_, Helpers::Options{options_.store.root, options_.spawn_helpers, log_level_},
                                       *positions_);
  helpers_->SetOnWake([this] { OnHelperWake(); });
  MQ_TRY(helpers_->Open(lock_->fd(), options_.store));
  MQ_TRY(Recover());
  positions_->own_broker().state.store(static_cast<uint32_t>(store::BrokerState::kServing), std::memory_order_release);
  helpers_->SetState("serving");
  helpers_->RingAll();
  MQ_TRY(Listen());
  core_.serving_since_ms = NowMs();
  tick_ = std::make_unique<loop::Timer>(loop_, [this] { Tick(); });
  tick_->Start(kTickMs, kTickMs);
  watchdog_ = loop::StartWatchdog(loop_);
  ready_timer_ = std::make_unique<loop::Timer>(loop_, [this] { AnnounceReady(); });
  ready_timer_->Start(kReadyWaitMs);
  registration_->Start(address_.port, [this] { AnnounceReady(); });
  return Ok();
}

Status Broker::Recover() {
  const bool clean = !store::AbortExists(layout_);
  MQ_TRY(store::CreateAbort(layout_));
  PassKillPoint(KillPoint::kAbortCreated);
  core_.queue_table = std::make_unique<store::QueueTable>();
  core_.queues = std::make_unique<Queues>(*core_.queue_table, core_.sync_flush(),
                                          [this](Queue& queue) { pulls_->hold().OnAdvanced(queue); });
  core_.topics = std::make_unique<Topics>(loop_, layout_.ConfigDir() + "/topics.json",
                                          Topics::Identity{options_.cluster_name, options_.broker_name,
                                                           options_.auto_create_topic, options_.default_topic_queues},
                                          *core_.queues);
  MQ_TRY(core_.topics->Load());
  core_.groups = std::make_unique<SubscriptionGroups>(loop_, layout_.ConfigDir() + "/subscriptionGroup.json", options_);
  MQ_TRY(core_.groups->Load());
  core_.offsets = std::make_unique<ConsumerOffsets>(loop_, layout_.ConfigDir() + "/consumerOffset.json",
                                                    [this](std::string_view topic, int32_t queue_id) {
                                                      const Queue* queue = core_.queues->Find(topic, queue_id);
                                                      return queue == nullptr ? 0 : queue->visible_max.value();
                                                    });
  MQ_TRY(core_.offsets->Load());
  int64_t said_ms = MonotonicMs();
  const auto progress = [&](std::string_view what, int percent) {
    if (MonotonicMs() - said_ms < 1000) return;
    said_ms = MonotonicMs();
    log::Info("store.recover", what).Field("percent", percent);
  };
  const int64_t started = MonotonicMs();
  MQ_ASSIGN(const auto recovered, store::RecoverCommitLog(options_.store, clean, progress));
  MQ_ASSIGN(auto tombstones, store::Tombstones::Recover(layout_, recovered.end));
  MQ_ASSIGN(const int64_t walked,
            store::BuildQueueTable(options_.store, recovered, tombstones, *core_.queue_table, progress));
  PassKillPoint(KillPoint::kQueuesNumbered);
  log::Info("store.recover", clean ? "after a clean stop" : "after an unclean stop")
      .Field("end", recovered.end.value())
      .Field("records", std::max(recovered.records, walked))
      .Field("dropped_bytes", recovered.bytes_dropped)
      .Field("took_ms", MonotonicMs() - started);
  return BuildParts(recovered, std::move(tombstones));
}

Status Broker::BuildParts(const store::RecoverResult& recovered, store::Tombstones tombstones) {
  auto& page = positions_->own_broker();
  page.boot_min.store(recovered.min.value(), std::memory_order_relaxed);
  page.recovered_end.store(recovered.end.value(), std::memory_order_relaxed);
  page.confirm.store(recovered.end.value(), std::memory_order_relaxed);
  if (!tombstones.empty()) page.tombstones.store(1, std::memory_order_relaxed);
  store::PublishWrote(page, recovered.end, recovered.last_store_timestamp);
  seen_flushed_ = seen_dispatched_ = rung_ = recovered.end;

  core_.queues->RevealAll();
  core_.offsets->LimitToQueues();
  MQ_ASSIGN(core_.log, store::CommitLog::Open(options_.store, *positions_, recovered.end));
  core_.log_reader = std::make_unique<store::LogReader>(options_.store, &*positions_);
  core_.queue_reader = std::make_unique<store::ConsumeQueueReader>(options_.store, &*positions_);
  if (!tombstones.empty()) {
    // Old entries of a topic that lives again are not read before mq-reputd has removed them.
    for (const auto& [topic, position] : tombstones.positions()) {
      core_.queues->ForEach([&, name = std::string_view(topic)](Queue& queue) {
        if (queue.topic() == name) queue.needs_tombstones = 1;
      });
    }
  }
  sends_ = std::make_unique<SendProcessor>(core_);
  expiry_ = std::make_unique<Expiry>(core_, [this] { helpers_->RingAll(); });
  clients_ = std::make_unique<Clients>(core_);
  pulls_ = std::make_unique<PullProcessor>(core_, *clients_, *sends_);
  offsets_ = std::make_unique<OffsetProcessor>(core_);
  client_processor_ = std::make_unique<ClientProcessor>(*clients_);
  group_offsets_ = std::make_unique<GroupOffsetProcessor>(core_, *clients_);
  group_processor_ = std::make_unique<GroupProcessor>(core_);
  progress_ = std::make_unique<ProgressProcessor>(core_, *clients_);
  resets_ = std::make_unique<ResetProcessor>(core_, *clients_, *offsets_);
  relays_ = std::make_unique<RelayProcessor>(*clients_);
  registration_ = std::make_unique<Registration>(core_);
  topic_processor_ = std::make_unique<TopicProcessor>(core_, pulls_->hold(), std::move(tombstones));
  queries_ = std::make_unique<QueryProcessor>(core_, *topic_processor_);
  queue_entries_ = std::make_unique<QueueEntriesProcessor>(core_, *clients_);
  // Offsets left by an earlier topic of that name would hide its first messages.
  core_.topics->SetOnMade([this](std::string_view topic) { core_.offsets->LimitTopic(topic); });
  core_.topics->SetAnnounce([this](std::function<void()> heard) { registration_->Announce(std::move(heard)); });
  return Ok();
}

Status Broker::ListenFast(const loop::Address& main, std::shared_ptr<const remoting::ProcessorTable> table) {
  loop::Address fast = main;
  fast.port = options_.listen.port == 0 ? 0 : main.port - 2;
  if (fast.port < 0) return MakeError(ErrorCode::kConfig, "there is no port two below " + std::to_string(main.port));
  MQ_TRY(server_->Listen(fast, std::move(table)));
  return Ok();
}

Status Broker::Listen() {
  server_ = std::make_unique<remoting::Server>(loop_);
  server_->SetOnClosed([this](remoting::Channel& channel) { clients_->OnClosed(channel); });
  MQ_ASSIGN(address_, server_->Listen(options_.listen, MakeProcessors(true)));
  auto host = StoreHost(options_.advertised_host, address_.port);
  if (!host) return std::move(host).error();
  core_.store_host = *host;
  if (auto fast = ListenFast(address_, MakeProcessors(false)); !fast) {
    log::Warn("listen", "no fast port; clients that do not use one notice nothing").Field("error", fast.error());
  }
  loop::Address local;
  local.kind = loop::Address::Kind::kUnix;
  local.path = layout_.MqDir() + "/" + std::string(store::StoreLayout::kBrokerSocket);
  MQ_TRY(server_->Listen(local, MakeProcessors(true)));
  if (config_) {
    config_->SetWorkedOut({{"brokerName", options_.broker_name},
                           {"brokerIP1", options_.advertised_host},
                           {"listenPort", std::to_string(address_.port)},
                           {"storePathRootDir", options_.store.root}});
  }
  log::Info("listen")
      .Field("address", address_.ToString())
      .Field("advertised", options_.advertised_host)
      .Field("because", options_.advertised_reason)
      .Field("store", options_.store.root);
  if (core_.store_host.address[0] == 127 && !core_.store_host.v6) {
    log::Warn("listen", "only clients on this machine can reach a loopback address")
        .Field("advertised", options_.advertised_host);
  }
  return Ok();
}

void Broker::AnnounceReady() {
  if (std::exchange(announced_, true) || stopping_) return;
  ready_timer_->Stop();
  loop::NotifyReady(options_.ready_fd, address_.ToString());
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

  if (const auto flushed = core_.flushed(); flushed != seen_flushed_) {
    seen_flushed_ = flushed;
    core_.queues->Reveal(flushed);
    sends_->gate().OnFlushed(flushed);
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
    core_.counters.Tick(now);
    // A little that was written is flushed when flushCommitLogThoroughInterval is over, at the latest.
    helpers_->NoteProgress(now, options_.store.flush_thorough_interval_ms + 5000);
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
  log::Info("stop", "refusing sends, draining");
  core_.draining = true;
  positions_->own_broker().state.store(static_cast<uint32_t>(store::BrokerState::kDraining), std::memory_order_release);
  helpers_->SetState("draining");
  sends_->gate().RefuseAll();
  server_->StopListening();
  registration_->Unregister([this] {
    helpers_->RingAll();
    helpers_->Drain(kDrainMs, [this](const std::string& problem) { FinishStop(problem); });
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
      if (auto removed = store::RemoveAbort(layout_); !removed) why = removed.error().what;
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
