// How the broker starts. See broker.h.
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "broker/bounds.h"
#include "broker/broker.h"
#include "broker/lock_wait.h"
#include "store/log_paths.h"
#include "store/plain_files.h"

namespace mq::broker {

namespace {

constexpr int64_t kReadyWaitMs = 500;  // for the name servers' first answers, before `ready` is said
constexpr int64_t kTickMs = 100;       // the look that a lost doorbell costs at most

// For health: what the log has lost or holds damaged.
std::string DamageText(const store::RecoverResult& recovered) {
  if (recovered.lost_log_end.value() > 0) {
    return "all its files were gone, and records up to position " + std::to_string(recovered.lost_log_end.value()) +
           " had been durable";
  }
  std::string text;
  if (recovered.lost_log_begin.value() >= 0) {
    text = "its first files are gone, and not by expiry: what lay from position " +
           std::to_string(recovered.lost_log_begin.value()) + " to " + std::to_string(recovered.min.value()) +
           " is lost";
  }
  const auto& kept = recovered.kept_damage;
  const auto is_served = [](const store::DamagedStretch& stretch) { return stretch.served; };
  if (const auto first = std::find_if_not(kept.begin(), kept.end(), is_served); first != kept.end()) {
    int64_t bytes = 0;
    for (const store::DamagedStretch& stretch : kept) bytes += stretch.served ? 0 : stretch.to - stretch.from;
    if (!text.empty()) text += "; ";
    text += std::to_string(bytes) + " bytes from position " + std::to_string(first->from.value()) + " on are skipped";
    if (kept.back().to == recovered.end && !kept.back().served) text += ", the last messages of the log among them";
  }
  if (recovered.records_dropped > 0) {
    if (!text.empty()) text += "; ";
    text += "above the last flush it was damaged at position " + std::to_string(recovered.end.value()) + ", and " +
            std::to_string(recovered.records_dropped) + " whole messages behind that were cut with it";
  }
  if (const auto first = std::find_if(kept.begin(), kept.end(), is_served); first != kept.end()) {
    if (!text.empty()) text += "; ";
    text += "bodies of messages that do not match their checksums are served as found: " +
            std::to_string(std::count_if(first, kept.end(), is_served)) + ", the first one at position " +
            std::to_string(first->from.value());
  }
  return text;
}

}  // namespace

struct Broker::Recovery {
  Status status;
  store::RecoverResult log;
  std::string pool_loss;
  store::Tombstones tombstones;
  store::NumberedQueues queues;
};

Status Broker::TakeLock() {
  MQ_TRY(store::RefuseUnusable(layout_));
  MQ_TRY(layout_.MakeDirectories());
  MQ_ASSIGN(auto lock, WaitForLock(layout_));
  lock_.emplace(std::move(lock));
  MQ_TRY(store::RefuseForgottenPaths(options_.store.root, options_.store.log_paths));
  MQ_TRY(store::SaveLogPaths(options_.store.root, options_.store.log_paths));
  // Only for messages: a disk that is full must not keep a broker from starting, which alone can clean it.
  if (Status written = store::WritePid(layout_, ::getpid()); !written) {
    log::Warn("broker.start", "the process id is not noted").Field("error", written.error());
  }
  return Ok();
}

Status Broker::Start(std::function<void(const Error&)> failed) {
  failed_ = std::move(failed);
  MQ_TRY(TakeLock());
  MQ_ASSIGN(auto positions, store::Positions::Create());
  positions_.emplace(std::move(positions));
  core_.positions = &*positions_;
  positions_->own_broker().pid.store(::getpid(), std::memory_order_relaxed);
  helpers_ = std::make_unique<Helpers>(loop_, Helpers::Options{options_.store.root, options_.spawn_helpers, log_level_},
                                       *positions_);
  helpers_->SetOnWake([this] { OnHelperWake(); });
  MQ_TRY(helpers_->Open(lock_->fd(), options_.store));
  // Addresses that cannot be had are told before anything in the store is changed.
  MQ_TRY(Listen());
  return BeginRecovery();
}

// The log is walked on another thread: meanwhile the loop answers who asks how far it is, here and over ctl.
Status Broker::BeginRecovery() {
  const bool clean = !store::AbortExists(layout_);
  MQ_TRY(store::CreateAbort(layout_));
  PassKillPoint(KillPoint::kAbortCreated);
  MQ_TRY(LoadTables());
  watchdog_ = loop::StartWatchdog(loop_);
  recovering_ = true;
  const auto say = [this] { helpers_->SetState("recovering: " + store::RecoverText(positions_->broker())); };
  say();
  tick_ = std::make_unique<loop::Timer>(loop_, say);
  tick_->Start(kTickMs, kTickMs);
  auto recovery = std::make_shared<Recovery>();
  loop_.Work([this, clean, recovery] { recovery->status = Recover(clean, *recovery); },
             [this, recovery] {
               recovering_ = false;
               if (stopping_) return;
               Status served = std::move(recovery->status);
               if (served) served = BuildParts(*recovery);
               if (served) return Serve();
               if (failed_) failed_(served.error());
             });
  return Ok();
}

void Broker::Serve() {
  FillProcessors(*main_table_, true);
  FillProcessors(*fast_table_, false);
  positions_->own_broker().state.store(static_cast<uint32_t>(store::BrokerState::kServing), std::memory_order_release);
  helpers_->SetState("serving");
  helpers_->RingAll();
  core_.serving_since_ms = NowMs();
  tick_ = std::make_unique<loop::Timer>(loop_, [this] { Tick(); });
  tick_->Start(kTickMs, kTickMs);
  ready_timer_ = std::make_unique<loop::Timer>(loop_, [this] { AnnounceReady(); });
  ready_timer_->Start(kReadyWaitMs);
  registration_->Start(address_.port, [this] { AnnounceReady(); });
}

Status Broker::LoadTables() {
  core_.queue_table = std::make_unique<store::QueueTable>();
  core_.queues = std::make_unique<Queues>(*core_.queue_table, core_.sync_flush() || options_.store.pool_slots > 0,
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
  return Ok();
}

// On a thread of the pool: touches the store, the queue table and the broker's page, which nobody else does meanwhile.
Status Broker::Recover(bool clean, Recovery& out) {
  auto& page = positions_->own_broker();
  int64_t said_ms = MonotonicMs();
  const auto progress = [&](std::string_view what, int percent) {
    page.recover_percent.store(static_cast<uint32_t>(std::clamp(percent, 0, 100)), std::memory_order_relaxed);
    if (MonotonicMs() - said_ms < 1000) return;
    said_ms = MonotonicMs();
    log::Info("store.recover", what).Field("percent", percent);
  };
  const auto begin = [&](store::RecoverPhase phase) {
    page.recover_percent.store(0, std::memory_order_relaxed);
    page.recover_phase.store(static_cast<uint32_t>(phase), std::memory_order_release);
  };
  const int64_t started = MonotonicMs();
  MQ_ASSIGN(const auto left, store::CommitLeftPool(options_.store, clean));
  out.pool_loss = left.loss;
  begin(store::RecoverPhase::kLog);
  MQ_ASSIGN(out.log, store::RecoverCommitLog(options_.store, clean && !left.found, progress,
                                             store::RecoverMode::kRepair, store::PhysicalOffset(left.to)));
  MQ_TRY(store::RemovePool(layout_));
  MQ_ASSIGN(out.tombstones, store::Tombstones::Recover(layout_, out.log.end));
  begin(store::RecoverPhase::kQueues);
  MQ_ASSIGN(out.queues, store::BuildQueueTable(options_.store, out.log, out.tombstones, *core_.queue_table, progress));
  PassKillPoint(KillPoint::kQueuesNumbered);
  const auto marked = out.queues.marker ? out.queues.marker->offset : store::PhysicalOffset(0);
  if (out.tombstones.DropBelow(out.log.min, marked)) MQ_TRY(out.tombstones.Save(layout_));
  const int64_t file_bytes = options_.store.commit_log_file_bytes;
  const store::PhysicalOffset first_file(out.log.scanned_from.value() / file_bytes * file_bytes);
  log::Info("store.recover", clean ? "after a clean stop" : "after an unclean stop")
      .Field("file", layout_.CommitLogFile(first_file))
      .Field("from", out.log.scanned_from.value())
      .Field("end", out.log.end.value())
      .Field("records", std::max(out.log.records, out.queues.records))
      .Field("dropped_bytes", out.log.bytes_dropped)
      .Field("took_ms", MonotonicMs() - started);
  return Ok();
}

Status Broker::BuildParts(Recovery& found) {
  const store::RecoverResult& recovered = found.log;
  store::Tombstones& tombstones = found.tombstones;
  auto& page = positions_->own_broker();
  core_.log_damage = DamageText(recovered);
  core_.pool_loss = std::move(found.pool_loss);
  page.boot_min.store(recovered.min.value(), std::memory_order_relaxed);
  page.recovered_from.store(recovered.scanned_from.value(), std::memory_order_relaxed);
  page.recovered_end.store(recovered.end.value(), std::memory_order_relaxed);
  page.log_damaged.store(found.queues.log_damaged ? 1 : 0, std::memory_order_relaxed);
  page.confirm.store(recovered.end.value(), std::memory_order_relaxed);
  if (!tombstones.empty()) page.tombstones.store(1, std::memory_order_relaxed);
  store::PublishWrote(page, recovered.end, recovered.last_store_timestamp);
  seen_flushed_ = seen_visible_ = seen_committed_ = seen_dispatched_ = rung_ = recovered.end;
  if (options_.store.pool_slots > 0) {
    MQ_ASSIGN(core_.pool, store::TransientPool::Create(options_.store));
    page.pool.store(1, std::memory_order_relaxed);
  } else if (options_.pool_asked_for) {
    log::Warn("store.pool", "transientStorePoolEnable is ignored: it works with ASYNC_FLUSH only");
  }

  core_.unknown_topics.Look(*core_.queue_table, *core_.topics);
  core_.queues->RevealAll();
  core_.offsets->LimitToQueues();
  MQ_ASSIGN(core_.log, store::CommitLog::Open(options_.store, *positions_, recovered.end, core_.pool.get()));
  core_.log_reader = std::make_unique<store::LogReader>(options_.store, &*positions_);
  core_.queue_reader = std::make_unique<store::ConsumeQueueReader>(options_.store, &*positions_);
  core_.entry_finder = std::make_unique<EntryFinder>(loop_, options_.store, *positions_);
  core_.entry_finder->SetOnSearchOver([this] { pulls_->hold().OnDispatched(); });
  core_.boot_minimums =
      std::make_unique<store::BootMinimums>(options_.store, recovered.min, std::move(found.queues.marker));
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
  remoting::ServerOptions server;
  server.max_connections = bounds::MaxConnections();
  bounds::TellMemoryLimit();
  server_ = std::make_unique<remoting::Server>(loop_, server);
  server_->SetOnClosed([this](remoting::Channel& channel) {
    if (clients_) clients_->OnClosed(channel);
  });
  // Until the broker serves both only say that it does not yet.
  main_table_ = std::make_shared<remoting::ProcessorTable>();
  fast_table_ = std::make_shared<remoting::ProcessorTable>();
  for (const auto& table : {main_table_, fast_table_}) AnswerWhileRecovering(*table);
  MQ_ASSIGN(address_, server_->Listen(options_.listen, main_table_));
  auto host = StoreHost(options_.advertised_host, address_.port);
  if (!host) return std::move(host).error();
  core_.store_host = *host;
  if (auto fast = ListenFast(address_, fast_table_); !fast) {
    log::Warn("listen", "no fast port; clients that do not use one notice nothing").Field("error", fast.error());
  }
  loop::Address local;
  local.kind = loop::Address::Kind::kUnix;
  local.path = layout_.MqDir() + "/" + std::string(store::StoreLayout::kBrokerSocket);
  MQ_TRY(server_->Listen(local, main_table_));
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

}  // namespace mq::broker
