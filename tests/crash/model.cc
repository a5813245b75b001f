// KIND=model: random operations on lib/store in one process, against a model of what the store must hold: appends,
// batches, rolls, dispatch, flushes, expiry, deletion and rebirth of topics, helpers that die alone, clean stops, and
// deaths at random kill points (the hook throws, what was mapped stays as it is). After each start, and now and then
// between, every queue is compared entry by entry with the model and keys are looked up; after a clean stop the whole
// store is verified. Thousands of operations a second; the same seed gives the same operations.
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "disk.h"
#include "journal.h"
#include "lab.h"
#include "protocol/batch.h"
#include "store/commit_log.h"
#include "store/consume_queue.h"
#include "store/dump_verify.h"
#include "store/flusher.h"
#include "store/index_reader.h"
#include "store/log_cleaner.h"
#include "store/recovery.h"
#include "store/reput.h"
#include "store/store_lock.h"

namespace {

// Deaths are counted down here; 0: nobody dies. Of the thread that removes files nobody would catch the exception.
thread_local int passes_to_death = 0;
struct Death {};

}  // namespace

extern "C" void mq_kill_point(int /*point*/) {
  if (passes_to_death > 0 && --passes_to_death == 0) throw Death();
}

namespace mq::crash {

namespace {

constexpr uint64_t kOperationsOfAStore = 3000;
constexpr const char* kTopics[] = {"A", "B", "C"};
constexpr int32_t kQueues = 2;
// The log cleaner wants to be called again so soon while it waits for somebody.
constexpr int64_t kBusyStepMs = 10;
constexpr int kMostSteps = 10000000;

Error Wrong(std::string what) { return MakeError(ErrorCode::kCorruption, std::move(what)); }

// What an append that was cut short may have left: its first records.
struct Pending {
  store::QueueName queue;
  std::vector<uint64_t> ids;
};

class Model {
 public:
  Model(uint64_t seed, std::string root) : random_(seed) {
    options_.root = std::move(root);
    options_.commit_log_file_bytes = 16384;
    options_.consume_queue_file_bytes = 200;
    options_.index_slots = 20;
    options_.index_entries = 30;
    options_.max_message_bytes = 12000;
    options_.warm_window_bytes = 16384;
    options_.self_allocate = true;
    options_.queue_flush_interval_ms = 1;
    options_.queue_flush_thorough_interval_ms = 40;
    // Files go when they are asked to, and then whatever their age.
    options_.clean.reserved_ms = 0;
    options_.clean.file_pause_ms = 1;
    options_.clean.interval_ms = int64_t{1} << 40;
  }

  Status Run(uint64_t operations) {
    MQ_TRY(store::NormalizeOptions(options_));
    MQ_TRY(RemoveTree(options_.root));
    MQ_TRY(layout().MakeDirectories());
    queues_.clear();
    pending_.reset();
    sizes_.clear();
    ends_.clear();
    MQ_TRY(SaveTopics());
    MQ_TRY(Boot(true));
    for (uint64_t i = 0; i < operations; ++i) {
      ++clock_ms_;
      if (Percent(random_, 2)) passes_to_death = 1 + static_cast<int>(Below(random_, 60));
      try {
        MQ_TRY(Operation());
      } catch (const Death&) {
        ++deaths_;
        MQ_TRY(Restart());
      }
    }
    passes_to_death = 0;
    return StopAndVerify();
  }

  uint64_t deaths() const { return deaths_; }
  uint64_t checks() const { return checks_; }
  uint64_t messages() const { return messages_; }
  uint64_t expired_files() const { return expired_files_; }

 private:
  store::StoreLayout layout() const { return store::StoreLayout(options_.root); }

  Status Operation() {
    const uint64_t kind = Below(random_, 1000);
    if (kind < 600) return Append();
    if (kind < 700) return AppendBatch();
    if (kind < 850) return Dispatch();
    if (kind < 940) return Flush();
    if (kind < 960) return DeleteTopic();
    if (kind < 975) return ReputDies();
    if (kind < 980) return Expire();
    if (kind < 985) return CompareAll();
    if (kind < 993) return Crash();
    MQ_TRY(StopAndVerify());
    return Boot(true);
  }

  store::QueueName AnyQueue() {
    return {kTopics[Below(random_, std::size(kTopics))], static_cast<int32_t>(Below(random_, kQueues))};
  }
  uint64_t NewMessage() {
    sizes_.push_back(static_cast<int32_t>(20 + (Percent(random_, 90) ? Below(random_, 400) : Below(random_, 9000))));
    ends_.push_back(INT64_MAX);
    ++messages_;
    return sizes_.size() - 1;
  }
  static std::string PropertiesOf(uint64_t id) { return "KEYS\x01" + KeyOf(id); }
  protocol::MessageView Envelope(const store::QueueName& queue) const {
    protocol::MessageView message;
    message.topic = queue.topic;
    message.queue_id = queue.queue_id;
    message.born_timestamp = clock_ms_;
    message.born_host = *protocol::ParseHost("127.0.0.1:1");
    message.store_host = *protocol::ParseHost("127.0.0.1:2");
    return message;
  }

  Status Append() {
    const store::QueueName queue = AnyQueue();
    const uint64_t id = NewMessage();
    const std::string body = BodyOf(id, sizes_[id]);
    const std::string properties = PropertiesOf(id);
    protocol::MessageView message = Envelope(queue);
    message.body = body;
    message.properties = properties;
    pending_ = Pending{queue, {id}};
    const auto result = log_->Append(message, table_.GetOrCreate(queue.topic, queue.queue_id), clock_ms_);
    return Appended(result, queue);
  }

  Status AppendBatch() {
    const store::QueueName queue = AnyQueue();
    Pending pending{queue, {}};
    std::string batch;
    const uint64_t count = 1 + Below(random_, 5);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t id = NewMessage();
      sizes_[id] = std::min(sizes_[id], 600);
      pending.ids.push_back(id);
      protocol::AppendBatchEntry(batch, {BodyOf(id, sizes_[id]), PropertiesOf(id), 0});
    }
    pending_ = std::move(pending);
    const auto result =
        log_->AppendBatch(Envelope(queue), batch, table_.GetOrCreate(queue.topic, queue.queue_id), clock_ms_, nullptr);
    return Appended(result, queue);
  }

  Status Appended(const store::AppendResult& result, const store::QueueName& queue) {
    if (result.status != store::AppendStatus::kOk) return Wrong("append: " + std::string(result.reason));
    std::vector<uint64_t>& held = queues_[queue];
    if (result.queue_offset.value() != static_cast<int64_t>(held.size())) {
      return Wrong("an append to " + queue.topic + " got offset " + std::to_string(result.queue_offset.value()) +
                   " instead of " + std::to_string(held.size()));
    }
    Hold(held, pending_->ids.size());
    return Ok();
  }
  // The first of the pending ones are in the log, which ends behind them.
  void Hold(std::vector<uint64_t>& held, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      held.push_back(pending_->ids[i]);
      ends_[pending_->ids[i]] = log_->wrote().value();
    }
    pending_.reset();
  }

  Status Dispatch() {
    MQ_TRY(OpenReput());
    MQ_ASSIGN(const auto outcome, reput_->Step(clock_ms_, static_cast<int64_t>(1 + Below(random_, 40))));
    (void)outcome;
    return Ok();
  }
  Status OpenReput() {
    if (reput_ != nullptr) return Ok();
    MQ_ASSIGN(reput_, store::Reput::Open(options_, *positions_));
    return Ok();
  }
  Status Flush() {
    if (Percent(random_, 10)) FlushdDies();
    MQ_TRY(OpenFlusher());
    if (Percent(random_, 30)) return flusher_->FlushAll();
    flusher_->Step(clock_ms_);
    return Ok();
  }
  Status OpenFlusher() {
    if (flusher_ != nullptr) return Ok();
    MQ_ASSIGN(flusher_, store::Flusher::Open(options_, *positions_));
    cleaner_ = std::make_unique<store::LogCleaner>(options_, *positions_, clock_ms_);
    return Ok();
  }
  void FlushdDies() {
    cleaner_.reset();
    flusher_.reset();
  }
  // Full files go, as far as they are dispatched and flushed; queues and index follow now or with a later dispatch. Now
  // and then mq-flushd dies alone when a minimum is published and its file still there, and mq-reputd goes on.
  Status Expire() {
    MQ_TRY(OpenFlusher());
    MQ_TRY(OpenReput());
    positions_->own_broker().clean_log_requests.fetch_add(1);
    const uint64_t before = positions_->flushd().removed_files.load();
    uint64_t minimums_to_death = Percent(random_, 20) ? 1 + Below(random_, 3) : 0;
    for (int steps = 0;; ++steps) {
      const auto outcome = cleaner_->Step(clock_ms_, NowMs());
      if (outcome.min_moved && minimums_to_death > 0 && --minimums_to_death == 0) {
        FlushdDies();
        return Dispatch();
      }
      if (outcome.min_moved) flusher_->FollowMin();
      if (outcome.next_step_ms == options_.clean.file_pause_ms) ++clock_ms_;  // the readers' pause is over
      if (outcome.next_step_ms > kBusyStepMs) break;
      if (steps > kMostSteps) return Wrong("removing expired files does not come to an end");
      if (positions_->flushd().wanted_marker.load() == 0) continue;  // a file is being removed
      MQ_TRY(flusher_->FlushAll());
      MQ_ASSIGN(const auto stepped, reput_->Step(clock_ms_, 100));
      (void)stepped;
    }
    expired_files_ += positions_->flushd().removed_files.load() - before;
    return Percent(random_, 50) ? Dispatch() : Ok();
  }
  // Nobody else is told: what it has done stays, and the next one goes on in the same life of the positions.
  Status ReputDies() {
    reput_.reset();
    return Ok();
  }

  // The order of the broker: tombstone, topic, numbering, page.
  Status DeleteTopic() {
    const std::string topic = kTopics[Below(random_, std::size(kTopics))];
    dying_topic_ = topic;
    tombstones_.Add(topic, log_->wrote());
    MQ_TRY(tombstones_.Save(layout()));
    PassKillPoint(KillPoint::kTombstoneSaved);
    Forget(topic);
    return Ok();
  }
  void Forget(std::string topic) {
    dying_topic_.clear();
    table_.ResetTopic(topic);
    std::erase_if(queues_, [&](const auto& queue) { return queue.first.topic == topic; });
    auto& page = positions_->own_broker();
    page.tombstones.store(page.tombstones.load() + 1);
  }

  Status Crash() {
    passes_to_death = 0;
    ++deaths_;
    return Restart();
  }

  // After a death: everything that was in memory is gone. Recovery itself may be cut short.
  Status Restart() {
    for (;;) {
      passes_to_death = Percent(random_, 30) ? 1 + static_cast<int>(Below(random_, 12)) : 0;
      try {
        MQ_TRY(Boot(false));
        break;
      } catch (const Death&) {
        ++deaths_;
      }
    }
    passes_to_death = 0;
    MQ_TRY(SettlePending());
    return CompareAll();
  }

  Status Boot(bool clean) {
    reput_.reset();
    FlushdDies();
    log_.reset();
    table_ = store::QueueTable();
    MQ_ASSIGN(auto positions, store::Positions::CreateForOneProcess());
    positions_ = std::make_unique<store::Positions>(std::move(positions));
    MQ_TRY(store::CreateAbort(layout()));
    MQ_ASSIGN(const auto recovered, store::RecoverCommitLog(options_, clean, nullptr));
    if (recovered.lost_log_begin.value() >= 0) return Wrong("files that expiry has removed are missed");
    MQ_ASSIGN(tombstones_, store::Tombstones::Recover(layout(), recovered.end));
    MQ_TRY(store::BuildQueueTable(options_, recovered, tombstones_, table_, nullptr));
    auto& page = positions_->own_broker();
    page.recovered_end.store(recovered.end.value());
    page.boot_min.store(recovered.min.value());
    if (!tombstones_.empty()) page.tombstones.store(1);
    store::PublishWrote(page, recovered.end, recovered.last_store_timestamp);
    MQ_ASSIGN(log_, store::CommitLog::Open(options_, *positions_, recovered.end));
    page.state.store(static_cast<uint32_t>(store::BrokerState::kServing));
    return Ok();
  }

  // Each record that was under way at the death is there whole or not at all.
  Status SettlePending() {
    if (!dying_topic_.empty()) {
      // The tombstone is on the disk, or it is not.
      MQ_ASSIGN(const auto saved, store::Tombstones::Load(layout()));
      const bool deleted = saved.Of(dying_topic_) == log_->wrote() && log_->wrote().value() > 0;
      if (deleted) Forget(dying_topic_);
      dying_topic_.clear();
    }
    if (!pending_) return Ok();
    std::vector<uint64_t>& held = queues_[pending_->queue];
    const store::QueueState* state = table_.Find(pending_->queue.topic, pending_->queue.queue_id);
    const auto next = static_cast<size_t>(state == nullptr ? 0 : state->next.value());
    if (next >= held.size() && next <= held.size() + pending_->ids.size()) {
      // Of a batch the first records may have been whole: nobody was told, so all, some or none of it may stay.
      Hold(held, next - held.size());
    } else {
      return Wrong("a record that was cut short moved " + pending_->queue.topic + " to offset " + std::to_string(next) +
                   " from " + std::to_string(held.size()));
    }
    return Ok();
  }

  Status CompareAll() {
    const int death = std::exchange(passes_to_death, 0);
    ++checks_;
    MQ_TRY(OpenReput());
    for (bool more = true; more;) {
      MQ_ASSIGN(const auto outcome, reput_->Step(clock_ms_, 1 << 16));
      more = outcome.more;
    }
    for (const char* topic : kTopics) {
      for (int32_t queue = 0; queue < kQueues; ++queue) MQ_TRY(CompareQueue({topic, queue}));
    }
    MQ_TRY(LookUpSome());
    passes_to_death = death;
    return Ok();
  }

  // How many messages of a queue have expired: its minimum offset.
  size_t Expired(const std::vector<uint64_t>& held) const {
    const int64_t min = store::LoadLogMin(*positions_).value();
    size_t count = 0;
    while (count < held.size() && ends_[held[count]] <= min) ++count;
    return count;
  }

  Status CompareQueue(const store::QueueName& name) {
    const std::vector<uint64_t>& held = queues_[name];
    const std::string where = name.topic + "/" + std::to_string(name.queue_id);
    const store::QueueState* state = table_.Find(name.topic, name.queue_id);
    if (state != nullptr && state->next.value() != static_cast<int64_t>(held.size())) {
      return Wrong(where + " goes on at " + std::to_string(state->next.value()) + ", not " +
                   std::to_string(held.size()));
    }
    store::ConsumeQueueReader queues(options_, positions_.get());
    store::LogReader log(options_, positions_.get());
    size_t offset = Expired(held);
    MQ_ASSIGN(const std::optional<store::QueueOffset> min, queues.MinOffset(name.topic, name.queue_id));
    if (min && min->value() != static_cast<int64_t>(offset)) {
      return Wrong(where + " begins at " + std::to_string(min->value()) + ", not " + std::to_string(offset));
    }
    if (!min && !held.empty()) return Wrong(where + " does not say where it begins");
    for (;;) {
      MQ_ASSIGN(const auto span,
                queues.Read(name.topic, name.queue_id, store::QueueOffset(static_cast<int64_t>(offset)), 1000));
      if (span.count == 0) break;
      for (int64_t i = 0; i < span.count; ++i, ++offset) {
        if (offset >= held.size()) return Wrong(where + " holds more than " + std::to_string(held.size()) + " entries");
        store::Slice slice;
        MQ_ASSIGN(const auto message, log.ReadRecord(span[i].physical_offset, &slice));
        if (message.body != BodyOf(held[offset], sizes_[held[offset]])) {
          return Wrong(where + " has another message at " + std::to_string(offset));
        }
      }
    }
    if (offset != held.size()) {
      return Wrong(where + " ends at " + std::to_string(offset) + " instead of " + std::to_string(held.size()));
    }
    return Ok();
  }

  Status LookUpSome() {
    store::IndexReader index(options_, positions_.get());
    for (const auto& [name, held] : queues_) {
      const size_t expired = Expired(held);
      if (held.size() == expired) continue;
      const uint64_t id = held[expired + Below(random_, held.size() - expired)];
      store::IndexQuery query;
      query.topic = name.topic;
      query.key = KeyOf(id);
      query.max_messages = 10;
      MQ_ASSIGN(const auto answer, index.Query(query));
      if (answer.records.size() != 1) {
        return Wrong("key " + query.key + " of " + name.topic + " finds " + std::to_string(answer.records.size()) +
                     " records");
      }
    }
    return Ok();
  }

  Status SaveTopics() {
    std::string text;
    for (const char* topic : kTopics) text += std::string(text.empty() ? "" : ",") + "\"" + topic + "\":{}";
    return WriteFileAtomically(layout().ConfigDir() + "/topics.json", "{\"topicConfigTable\":{" + text + "}}");
  }

  Status StopAndVerify() {
    const int death = std::exchange(passes_to_death, 0);
    MQ_TRY(CompareAll());
    FlushdDies();
    MQ_TRY(OpenFlusher());
    MQ_TRY(flusher_->FlushAll());
    MQ_TRY(reput_->Finish());
    MQ_TRY(flusher_->FlushAll());
    MQ_TRY(flusher_->stock().RemoveSpare());
    MQ_TRY(store::RemoveAbort(layout()));
    store::VerifyOptions verify;
    verify.root = options_.root;
    verify.delay_levels_ms = options_.delay_levels_ms;
    verify.index_slots = options_.index_slots;
    std::string first;
    MQ_ASSIGN(const auto report, store::VerifyStore(verify, [&first](const store::Fault& fault) {
                // Times of the model's clock are not those of the wall.
                if (fault.rule == "times" || !first.empty()) return;
                first =
                    fault.file + ":" + std::to_string(fault.byte) + " [" + std::string(fault.rule) + "] " + fault.text;
              }));
    (void)report;
    passes_to_death = death;
    return first.empty() ? Ok() : Status(Wrong("after a clean stop: " + first));
  }

  Random random_;
  store::StoreOptions options_;
  std::unique_ptr<store::Positions> positions_;
  std::unique_ptr<store::CommitLog> log_;
  std::unique_ptr<store::Flusher> flusher_;
  std::unique_ptr<store::LogCleaner> cleaner_;
  std::unique_ptr<store::Reput> reput_;
  store::QueueTable table_;
  store::Tombstones tombstones_;
  int64_t clock_ms_ = NowMs() - 3600 * 1000;
  // The model: what each queue holds; sizes of all messages ever made.
  std::map<store::QueueName, std::vector<uint64_t>> queues_;
  std::vector<int32_t> sizes_;
  std::vector<int64_t> ends_;  // of the log behind each, once it is in it
  std::optional<Pending> pending_;
  std::string dying_topic_;
  uint64_t deaths_ = 0;
  uint64_t checks_ = 0;
  uint64_t messages_ = 0;
  uint64_t expired_files_ = 0;
};

}  // namespace

bool RunModel(const LabOptions& options) {
  log::SetLevel(log::Level::kError);
  const int64_t began = MonotonicMs();
  const uint64_t all = options.rounds * 1000;
  uint64_t done = 0;
  uint64_t deaths = 0;
  uint64_t checks = 0;
  uint64_t expired = 0;
  for (uint64_t i = 0; done < all; ++i) {
    const uint64_t seed = options.seed + i;
    Model model(seed, options.base + "/model");
    const uint64_t operations = std::min(kOperationsOfAStore, all - done);
    if (const Status good = model.Run(operations); !good) {
      std::printf("model: seed %llu BAD: %s\nkept: %s\n", static_cast<unsigned long long>(seed),
                  good.error().what.c_str(), options.base.c_str());
      return false;
    }
    done += operations;
    deaths += model.deaths();
    checks += model.checks();
    expired += model.expired_files();
  }
  std::printf("model: %llu operations, %llu deaths, %llu comparisons, %llu expired files in %.1f s\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(deaths),
              static_cast<unsigned long long>(checks), static_cast<unsigned long long>(expired),
              static_cast<double>(MonotonicMs() - began) / 1000);
  return true;
}

}  // namespace mq::crash
