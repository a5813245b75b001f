// KIND=damage: a store is damaged in one way; --verify must name it, and the broker must serve every record that was
// not hit, or refuse with one clear line. See damage_expect.h for what is asked.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/clock.h"
#include "base/file.h"
#include "client.h"
#include "damage_expect.h"
#include "damage_keys.h"
#include "damage_make.h"
#include "damage_read.h"
#include "damage_store.h"
#include "damage_verify.h"
#include "lab.h"
#include "protocol/message.h"
#include "protocol/names.h"

namespace mq::crash {

namespace {

constexpr int64_t kReadyMs = 10000;
constexpr int64_t kStopMs = 10000;
constexpr int kRefusedStatus = 8;
constexpr uint64_t kMostBad = 20;  // then the run ends
constexpr size_t kFreshSends = 3;  // queues that take a new message in a round

Error Bad(std::string what) { return MakeError(ErrorCode::kCorruption, std::move(what)); }

bool IsIndex(const std::string& name) { return name.starts_with("store/index/"); }

struct Tally {
  uint64_t rounds = 0;
  uint64_t refused = 0;
  uint64_t unnoticed = 0;  // nothing had to be named
  uint64_t hit = 0;        // records
  uint64_t cut = 0;        // rounds in which records behind the last flush were given up
};

class DamageRun {
 public:
  DamageRun(const LabOptions& options, DamageStores stores)
      : random_(options.seed),
        slow_random_(options.seed),
        stores_(std::move(stores)),
        daemons_(Daemons::Options{options.programs, options.programs + "/libcrash_slow.so", stores_.root(), "",
                                  stores_.log()}) {}
  ~DamageRun() {
    daemons_.KillAll();
    stores_.RemovePool();
  }

  Status Prepare() {
    MQ_TRY(MakeDirectories(stores_.base));
    MQ_ASSIGN(bases_, stores_.Make(random_));
    MQ_TRY(daemons_.StartNameServer());
    // What a store has by itself, damaged by nobody, is not held against a round.
    for (const BaseStore& base : bases_) {
      store_ = &base;
      damage_ = Damage();
      damage_.text = "nothing in " + base.name;
      MQ_TRY(stores_.Lay(base));
      MQ_TRY(CheckRound());
    }
    return Ok();
  }

  Status Round(Tally& tally) {
    store_ = &bases_[Below(random_, bases_.size())];
    MQ_TRY(stores_.Lay(*store_));
    MQ_ASSIGN(damage_, MakeDamage(random_, stores_, *store_));
    MQ_TRY(stores_.KeepCopy());
    SlowDown();
    Tally& kind = kinds_[static_cast<size_t>(damage_.kind)];
    tally_ = &kind;
    Status done = CheckRound();
    ++kind.rounds;
    ++tally.rounds;
    tally_ = nullptr;
    return done;
  }

  // After a bad round: nothing goes on, and the damaged copy is kept as it was before a broker saw it. Its place.
  std::string Fail(uint64_t round) {
    daemons_.KillAll();
    return stores_.SetCopyAside(round);
  }
  std::string damage_text() const { return damage_.text + slow_text_; }
  const Tally& KindTally(size_t kind) const { return kinds_[kind]; }
  std::string LogTail() const {
    constexpr size_t kTail = 4000;
    const auto text = ReadFile(stores_.log());
    if (!text) return "";
    return text->size() <= kTail ? *text : text->substr(text->size() - kTail);
  }

 private:
  Status CheckRound() {
    MQ_ASSIGN(expected_, Expect(stores_, *store_, damage_));
    MQ_ASSIGN(const auto before, Verify(stores_, store_->truth));
    if (const MustName* place = Unnamed(expected_, before)) {
      return Bad("--verify does not name " + place->file + " (bytes " + std::to_string(place->from) + " to " +
                 std::to_string(place->to) + (place->rules.empty() ? "" : ", by " + std::string(place->rules)) + ")");
    }
    if (tally_ != nullptr && expected_.must_name.empty()) ++tally_->unnoticed;
    if (tally_ != nullptr) tally_->hit += expected_.hit.size();
    if (tally_ != nullptr && expected_.cut_from != INT64_MAX) ++tally_->cut;
    RemoveFile(stores_.log()).Ignore("the log of the round before");
    MQ_TRY(daemons_.Start(DamageArguments(*store_)));
    MQ_ASSIGN(const bool ready, daemons_.WaitReady(kReadyMs));
    if (!ready) return CheckRefusal();
    MQ_TRY(CheckServed());
    MQ_ASSIGN(const int status, daemons_.Stop(kStopMs));
    if (status != 0) return Bad("a clean stop ended with status " + std::to_string(status));
    MQ_TRY(CheckNoCrash(stores_));
    MQ_ASSIGN(const auto after, Verify(stores_, store_->truth));
    return CheckLeft(after);
  }

  Status CheckRefusal() {
    if (tally_ != nullptr) ++tally_->refused;
    MQ_ASSIGN(const int status, daemons_.Stop(kStopMs));
    if (status != kRefusedStatus) return Bad("the broker did not start: status " + std::to_string(status));
    MQ_TRY(CheckRefusalText(stores_));
    if (damage_.touched.empty()) return Bad("the broker refuses a store that was not damaged");
    return CheckNoCrash(stores_);
  }

  Status CheckServed() {
    QueueClient reader;
    MQ_TRY(reader.Connect(stores_.root() + "/mq/broker.sock"));
    const bool configuration_hit =
        std::any_of(damage_.touched.begin(), damage_.touched.end(),
                    [](const std::string& name) { return name.starts_with("store/config"); });
    if (configuration_hit) MQ_TRY(MakeTopics(reader));
    for (const auto& [queue, count] : store_->truth.queues) {
      if (queue.first == protocol::kOpHalfTopic) continue;  // RocketMQ does not list it, so nobody can consume it
      auto served = reader.ReadQueue(queue);
      // A system topic comes back with its first use, not by an operator.
      if (!served && served.error().code == ErrorCode::kNotFound && configuration_hit && !MayBeMade(queue.first))
        continue;
      if (!served) return served.error();
      MQ_TRY(CompareQueue(store_->truth, queue, *served, expected_));
    }
    // Keys of an index that was left alone are worth a sample.
    const bool all = expected_.log_touched || std::any_of(damage_.touched.begin(), damage_.touched.end(), IsIndex);
    constexpr size_t kSample = 20;
    MQ_TRY(CompareKeys(reader, store_->truth, expected_, Below(random_, kSample), all ? 1 : kSample));
    return SendFresh(reader);
  }

  static bool MayBeMade(const std::string& topic) {
    return protocol::CheckTopicName(topic) && !protocol::IsSystemTopic(topic) && !protocol::IsForbiddenToSend(topic) &&
           !topic.starts_with("%") && !topic.ends_with(protocol::kReplyTopicSuffix);
  }

  Status MakeTopics(QueueClient& reader) {
    std::map<std::string, int32_t> topics;
    for (const auto& [queue, count] : store_->truth.queues) {
      int32_t& queues = topics[queue.first];
      queues = std::max(queues, queue.second + 1);
    }
    for (const auto& [topic, queues] : topics) MQ_TRY(reader.MakeTopic(topic, queues));
    return Ok();
  }

  // Queues that take a new message: of which records were hit, and others.
  std::vector<QueueKey> FreshQueues() {
    std::vector<QueueKey> all;
    std::vector<QueueKey> chosen;
    for (const auto& [queue, count] : store_->truth.queues) {
      if (MayBeMade(queue.first)) all.push_back(queue);
    }
    for (const size_t record : expected_.hit) {
      const QueueKey& queue = store_->truth.records[record].queue;
      const bool known = std::find(chosen.begin(), chosen.end(), queue) != chosen.end();
      if (!known && std::find(all.begin(), all.end(), queue) != all.end()) chosen.push_back(queue);
      if (chosen.size() + 1 >= kFreshSends) break;
    }
    while (chosen.size() < kFreshSends && chosen.size() < all.size()) {
      const QueueKey& queue = all[Below(random_, all.size())];
      if (std::find(chosen.begin(), chosen.end(), queue) == chosen.end()) chosen.push_back(queue);
    }
    return chosen;
  }

  // What the marker knows to have been given is not given again, whatever has become of the records.
  int64_t FirstFree(const QueueKey& queue) const {
    const Truth& truth = store_->truth;
    const bool marker_hit =
        std::find(damage_.touched.begin(), damage_.touched.end(), "store/mq/dispatched") != damage_.touched.end();
    if (marker_hit || expected_.hit.size() == truth.records.size()) return 0;  // or the log begins anew
    int64_t first = 0;
    for (const TrueRecord& record : truth.records) {
      if (record.queue == queue && record.position < truth.marked) first = std::max(first, record.queue_offset + 1);
    }
    return first;
  }

  Status SendFresh(QueueClient& reader) {
    Journal journal;
    Client client(journal);
    MQ_TRY(client.Connect(stores_.root() + "/mq/broker.sock"));
    const std::vector<QueueKey> queues = FreshQueues();
    for (const QueueKey& queue : queues) client.Send(queue.first, queue.second, {100});
    const int64_t deadline = MonotonicMs() + kReadyMs;
    while (client.outstanding() > 0) {
      if (!client.Turn(5) || MonotonicMs() > deadline) return Bad("new sends are not answered");
    }
    if (client.refused() > 0) return Bad("a new send is refused");
    for (size_t i = 0; i < queues.size(); ++i) {
      const SentMessage& sent = journal.at(i);
      MQ_ASSIGN(auto served, reader.ReadQueue(queues[i]));
      auto found = served.find(sent.queue_offset);
      // With a pool it is visible once it is committed.
      while (found == served.end() && !store_->pool.empty() && MonotonicMs() < deadline) {
        MQ_ASSIGN(served, reader.ReadQueue(queues[i]));
        found = served.find(sent.queue_offset);
      }
      const std::string place =
          queues[i].first + "/" + std::to_string(queues[i].second) + " at offset " + std::to_string(sent.queue_offset);
      if (sent.queue_offset < FirstFree(queues[i]))
        return Bad("a new message in " + place + " has an offset given before");
      if (found == served.end()) return Bad("a new message in " + place + " is not served");
      const auto message = protocol::DecodeMessage(found->second);
      if (!message || message->body != BodyOf(i, 100)) return Bad("a new message in " + place + " is not what came");
    }
    return Ok();
  }

  // What is still wrong after a clean stop: only what was hit and kept, or what no broker puts right.
  Status CheckLeft(const std::vector<FoundFault>& faults) {
    for (const FoundFault& fault : faults) {
      const std::string known = fault.file + " " + fault.rule;
      if (damage_.touched.empty()) {
        own_faults_[store_->name].insert(known);
        continue;
      }
      if (own_faults_[store_->name].contains(known)) continue;
      const bool touched = std::any_of(
          damage_.touched.begin(), damage_.touched.end(),
          [&fault](const std::string& name) { return name == fault.file || name.starts_with(fault.file + "/"); });
      // A record that is hit may speak of any topic and time.
      const bool of_records = fault.rule != "abort" && fault.rule != "marker";
      // A queue file is kept as it is: what it no longer says is found in the log, or by a rebuild. The index is put
      // right.
      if (touched && (!IsIndex(fault.file) || damage_.kind == DamageKind::kDirectory)) continue;
      if (expected_.log_touched && of_records) continue;
      return Bad("after a clean stop --verify says: " + fault.file + ":" + std::to_string(fault.byte) + ": " +
                 fault.text);
    }
    return Ok();
  }

  // What a start has yet to do is seen by who reads at once: in half of the rounds for longer.
  void SlowDown() {
    struct Pause {
      KillPoint point;
      int microseconds;
    };
    constexpr Pause kPauses[] = {
        {KillPoint::kQueueEntryWritten, 50}, {KillPoint::kDispatchedUnpublished, 20000}, {KillPoint::kQueueCut, 5000},
        {KillPoint::kQueuesChecked, 50000},  {KillPoint::kIndexFileChecked, 20000},      {KillPoint::kMarkerDue, 20000},
    };
    const Pause& chosen = kPauses[Below(slow_random_, std::size(kPauses))];
    const int microseconds = Percent(slow_random_, 50) ? chosen.microseconds : 0;
    daemons_.SetSlow(chosen.point, microseconds);
    slow_text_ = microseconds == 0 ? "" : ", slow at kill point " + std::to_string(static_cast<int>(chosen.point));
  }

  Random random_;
  Random slow_random_;  // of its own, so that a seed damages as it did before
  DamageStores stores_;
  Daemons daemons_;
  std::vector<BaseStore> bases_;
  const BaseStore* store_ = nullptr;
  Damage damage_;
  std::string slow_text_;
  Expectation expected_;
  std::map<std::string, std::set<std::string>> own_faults_;  // of a store: "file rule"
  Tally kinds_[static_cast<size_t>(DamageKind::kCount)];
  Tally* tally_ = nullptr;
};

}  // namespace

bool RunDamage(const LabOptions& options) {
  DamageStores stores{options.base, options.golden, options.programs};
  DamageRun run(options, stores);
  if (const Status prepared = run.Prepare(); !prepared) {
    std::printf("damage: %s: %s\n%s\nkept: %s\n", run.damage_text().c_str(), prepared.error().what.c_str(),
                run.LogTail().c_str(), options.base.c_str());
    return false;
  }
  const int64_t began = MonotonicMs();
  Tally all;
  uint64_t bad = 0;
  for (uint64_t round = 0; round < options.rounds && bad < kMostBad; ++round) {
    const Status done = run.Round(all);
    if (done) continue;
    ++bad;
    std::printf("damage: round %llu BAD (%s): %s\n%s\nkept: %s\n", static_cast<unsigned long long>(round),
                run.damage_text().c_str(), done.error().what.c_str(), run.LogTail().c_str(), run.Fail(round).c_str());
  }
  for (size_t kind = 0; kind < static_cast<size_t>(DamageKind::kCount); ++kind) {
    const Tally& tally = run.KindTally(kind);
    std::printf(
        "damage: %-10s %5llu rounds, %llu refused, %llu with nothing to name, %llu records hit, %llu with a cut\n",
        NameOf(static_cast<DamageKind>(kind)), static_cast<unsigned long long>(tally.rounds),
        static_cast<unsigned long long>(tally.refused), static_cast<unsigned long long>(tally.unnoticed),
        static_cast<unsigned long long>(tally.hit), static_cast<unsigned long long>(tally.cut));
  }
  const double seconds = static_cast<double>(MonotonicMs() - began) / 1000;
  std::printf("damage: %llu damaged stores in %.1f s: %s\n", static_cast<unsigned long long>(all.rounds), seconds,
              bad == 0 ? "each damage told, each intact message served" : (std::to_string(bad) + " BAD").c_str());
  return bad == 0;
}

}  // namespace mq::crash
