#include "lab.h"

#include <algorithm>

#include "base/clock.h"
#include "base/file.h"

namespace mq::crash {

namespace {

constexpr int64_t kReadyMs = 20000;
constexpr int64_t kStopMs = 20000;
constexpr size_t kOutstanding = 24;
constexpr int kAnswerMs = 5000;
constexpr const char* kShortLived = "Gone";  // the topic that is made and deleted

int64_t OneOf(Random& random, std::initializer_list<int64_t> values) {
  return values.begin()[Below(random, values.size())];
}

}  // namespace

Lab::Lab(const LabOptions& options, Disk disk)
    : random_(options.seed), disk_(std::move(disk)), client_(journal_), log_(options.base + "/daemons.log") {
  daemons_ =
      std::make_unique<Daemons>(Daemons::Options{options.programs, options.layer, disk_.root(), disk_.shadow(), log_});
}

Result<std::unique_ptr<Lab>> Lab::Create(const LabOptions& options) {
  MQ_ASSIGN(Disk disk, Disk::Create(options.base));
  std::unique_ptr<Lab> lab(new Lab(options, std::move(disk)));
  MQ_TRY(lab->daemons_->StartNameServer());
  return lab;
}

Status Lab::NewStore() {
  client_.Close();
  daemons_->KillAll();
  MQ_TRY(disk_.Clear());
  RemoveFile(log_).Ignore("a log of the store before");
  journal_ = Journal();
  crash_text_ = "no crash yet";
  store_ = store::StoreOptions();
  store_.root = disk_.root();
  store_.commit_log_file_bytes = 65536;
  store_.consume_queue_file_bytes = OneOf(random_, {400, 2000});
  store_.index_slots = 50;
  store_.index_entries = static_cast<int32_t>(OneOf(random_, {40, 200}));
  store_.flush_disk_type = Percent(random_, 50) ? store::FlushDiskType::kSync : store::FlushDiskType::kAsync;
  MQ_ASSIGN(store_.delay_levels_ms, store::ParseDelayLevels(store::kDefaultDelayLevels));
  const int64_t flush_ms = OneOf(random_, {1, 5, 50});
  const int64_t queue_ms = OneOf(random_, {1, 10, 100});
  const int64_t thorough_ms = OneOf(random_, {1, 30, 1000});
  const std::pair<const char*, std::string> settings[] = {
      {"--mapped-file-size-commit-log", std::to_string(store_.commit_log_file_bytes)},
      {"--mapped-file-size-consume-queue", std::to_string(store_.consume_queue_file_bytes)},
      {"--max-hash-slot-num", std::to_string(store_.index_slots)},
      {"--max-index-num", std::to_string(store_.index_entries)},
      {"--flush-disk-type", sync_flush() ? "SYNC_FLUSH" : "ASYNC_FLUSH"},
      {"--flush-interval-commit-log", std::to_string(flush_ms)},
      {"--flush-commit-log-least-pages", std::to_string(OneOf(random_, {0, 4}))},
      {"--flush-commit-log-thorough-interval", std::to_string(thorough_ms)},
      {"--flush-interval-consume-queue", std::to_string(queue_ms)},
      {"--flush-consume-queue-thorough-interval", std::to_string(thorough_ms)},
      {"--warm-window", "65536"},
  };
  arguments_.clear();
  for (const auto& [name, value] : settings) arguments_.insert(arguments_.end(), {name, value});
  settings_text_ = sync_flush() ? "sync" : "async";
  settings_text_ += " flush " + std::to_string(flush_ms) + " queues " + std::to_string(queue_ms) + " thorough " +
                    std::to_string(thorough_ms) + " ms";
  return Ok();
}

void Lab::Arm(int point, int countdown) {
  ControlPage& page = disk_.control();
  page.armed.store(kNoPoint);
  page.fired.store(0);
  page.countdown.store(countdown);
  page.armed.store(point);
}

std::string Lab::LogTail() const {
  constexpr size_t kTail = 2500;
  const auto text = ReadFile(log_);
  if (!text) return "";
  return text->size() <= kTail ? *text : text->substr(text->find('\n', text->size() - kTail) + 1);
}

Result<StartOutcome> Lab::Start() {
  MQ_TRY(daemons_->Start(arguments_));
  MQ_ASSIGN(const bool ready, daemons_->WaitReady(kReadyMs));
  if (!ready) {
    if (Fired()) return StartOutcome::kDiedAtPoint;
    return MakeError(ErrorCode::kCorruption, "the broker did not start: status " + std::to_string(daemons_->status()));
  }
  MQ_TRY(journal_.CheckRecovered(store_, *daemons_->positions()));
  if (const Status connected = client_.Connect(disk_.root() + "/mq/broker.sock"); !connected) {
    if (Fired() && !daemons_->alive()) return StartOutcome::kDiedAtPoint;
    return connected.error();
  }
  return StartOutcome::kReady;
}

void Lab::SendSome() {
  const auto size = [this]() -> int32_t {
    const uint64_t kind = Below(random_, 100);
    if (kind < 80) return static_cast<int32_t>(20 + Below(random_, 600));
    if (kind < 99) return static_cast<int32_t>(20 + Below(random_, 5000));
    return static_cast<int32_t>(20 + Below(random_, 40000));
  };
  std::vector<int32_t> sizes{size()};
  if (Percent(random_, 20)) {
    const uint64_t more = 1 + Below(random_, 6);
    sizes[0] = std::min(sizes[0], 1000);
    for (uint64_t i = 0; i < more; ++i) sizes.push_back(static_cast<int32_t>(20 + Below(random_, 900)));
  }
  const auto gone = journal_.topics.find(kShortLived);
  if (gone != journal_.topics.end() && gone->second == TopicState::kMade && Percent(random_, 20)) {
    return client_.Send(kShortLived, 0, sizes);
  }
  if (Percent(random_, 30)) return client_.Send("Single", 0, sizes);
  client_.Send("Four", static_cast<int32_t>(Below(random_, 4)), sizes);
}

// False when there was no answer.
bool Lab::ChangeTopic() {
  const int64_t deadline = MonotonicMs() + kAnswerMs;
  while (client_.outstanding() > 0) {
    if (!client_.Turn(5) || MonotonicMs() > deadline) return false;
  }
  const auto known = journal_.topics.find(kShortLived);
  if (known != journal_.topics.end() && known->second == TopicState::kMade) {
    client_.DeleteTopic(kShortLived);
  } else {
    client_.MakeTopic(kShortLived, 1);
  }
  return client_.WaitForTopic(kAnswerMs);
}

Status Lab::Work(int64_t milliseconds) {
  const int64_t deadline = MonotonicMs() + milliseconds;
  while (MonotonicMs() < deadline && client_.connected() && daemons_->alive()) {
    if (Percent(random_, 3)) {
      if (!ChangeTopic() && daemons_->alive() && client_.connected()) {
        return MakeError(ErrorCode::kTimeout, "no answer to a change of a topic, or to the sends before it");
      }
      continue;
    }
    while (client_.outstanding() < kOutstanding) SendSome();
    client_.Turn(1);
  }
  return Ok();
}

Status Lab::Crash(bool power) {
  daemons_->Freeze();
  client_.TakeAnswers();
  client_.Close();
  int64_t flushed = 0;
  if (const store::Positions* positions = daemons_->positions(); positions != nullptr) {
    flushed = store::LoadFlushed(*positions).value();
    const int64_t dispatched = positions->reputd().dispatched.load();
    const int64_t wrote = store::LoadWrote(positions->broker()).wrote.value();
    if (flushed > wrote) return MakeError(ErrorCode::kCorruption, "flushed is ahead of what was written");
    if (sync_flush() && dispatched > flushed) {
      return MakeError(ErrorCode::kCorruption, "dispatched is ahead of flushed although nobody may see that");
    }
  }
  daemons_->KillAll();
  crash_text_ = std::string(power ? "power cut" : "kill of all") + " at flushed " + std::to_string(flushed);
  if (Fired()) crash_text_ += ", one had died at point " + std::to_string(disk_.control().fired.load() - 1);
  MQ_TRY(disk_.CheckDurable("commitlog", store_.commit_log_file_bytes, flushed));
  journal_.RequireAfterCrash(flushed, !power || sync_flush());
  if (!power) return disk_.Settle();
  MQ_ASSIGN(cut_, disk_.CutPower(random_));
  crash_text_ += ", pages lost " + std::to_string(cut_.pages_lost) + " mixed " + std::to_string(cut_.pages_mixed) +
                 ", names lost " + std::to_string(cut_.names_lost) + ", sizes lost " + std::to_string(cut_.sizes_lost);
  return Ok();
}

Result<bool> Lab::Stop() {
  const int64_t deadline = MonotonicMs() + kAnswerMs;
  while (client_.outstanding() > 0 && client_.connected() && MonotonicMs() < deadline) client_.Turn(5);
  MQ_ASSIGN(const int status, daemons_->Stop(kStopMs));
  client_.TakeAnswers();
  client_.Close();
  if (status != 0 && Fired()) return false;
  if (status != 0) return MakeError(ErrorCode::kCorruption, "a clean stop ended with status " + std::to_string(status));
  // What a clean stop leaves is durable.
  journal_.RequireAfterCrash(0, true);
  MQ_TRY(journal_.CheckStopped(store_));
  return true;
}

}  // namespace mq::crash
