#include "lab.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/clock.h"
#include "base/file.h"
#include "store/pool_name.h"

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

Lab::~Lab() {
  daemons_.reset();
  RemovePool();
}

Status Lab::NewStore(StoreKind kind) {
  client_.Close();
  daemons_->KillAll();
  RemovePool();
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
  MQ_ASSIGN(store_.delay_levels_ms, store::ParseDelayLevels(store::kDefaultDelayLevels));
  arguments_.clear();
  pool_arguments_.clear();
  Set("--mapped-file-size-commit-log", std::to_string(store_.commit_log_file_bytes));
  Set("--mapped-file-size-consume-queue", std::to_string(store_.consume_queue_file_bytes));
  Set("--max-hash-slot-num", std::to_string(store_.index_slots));
  Set("--max-index-num", std::to_string(store_.index_entries));
  Set("--warm-window", "65536");
  const bool async = kind == StoreKind::kPool || Percent(random_, 50);
  store_.flush_disk_type = async ? store::FlushDiskType::kAsync : store::FlushDiskType::kSync;
  DrawFlushing();
  if (kind == StoreKind::kPool || (async && Percent(random_, 50))) DrawPool();
  expires_ = kind == StoreKind::kExpiry || Percent(random_, 40);
  if (expires_) DrawExpiry();
  return Ok();
}

void Lab::DrawFlushing() {
  const std::string flush_ms = std::to_string(OneOf(random_, {1, 5, 50}));
  const std::string queue_ms = std::to_string(OneOf(random_, {1, 10, 100}));
  const std::string thorough_ms = std::to_string(OneOf(random_, {1, 30, 1000}));
  Set("--flush-disk-type", sync_flush() ? "SYNC_FLUSH" : "ASYNC_FLUSH");
  Set("--flush-interval-commit-log", flush_ms);
  Set("--flush-commit-log-least-pages", std::to_string(OneOf(random_, {0, 4})));
  Set("--flush-commit-log-thorough-interval", thorough_ms);
  Set("--flush-interval-consume-queue", queue_ms);
  Set("--flush-consume-queue-thorough-interval", thorough_ms);
  settings_text_ = sync_flush() ? "sync" : "async";
  settings_text_ += " flush " + flush_ms + " queues " + queue_ms + " thorough " + thorough_ms + " ms";
}

void Lab::DrawPool() {
  store_.pool_slots = static_cast<int32_t>(OneOf(random_, {1, 2, 4}));
  const std::string commit_ms = std::to_string(OneOf(random_, {1, 20, 200}));
  pool_arguments_ = {"--transient-store-pool-enable",         "true",
                     "--transient-store-pool-size",           std::to_string(store_.pool_slots),
                     "--commit-interval-commit-log",          commit_ms,
                     "--commit-commit-log-least-pages",       std::to_string(OneOf(random_, {0, 4})),
                     "--commit-commit-log-thorough-interval", std::to_string(OneOf(random_, {1, 50, 200}))};
  settings_text_ += ", pool of " + std::to_string(store_.pool_slots) + " commit " + commit_ms + " ms";
}

// Every file has expired as soon as it is full. It goes when a client says so, or at any time.
void Lab::DrawExpiry() {
  const bool always = Percent(random_, 30);
  const std::time_t now = NowMs() / 1000;
  std::tm local{};
  ::localtime_r(&now, &local);
  std::string hours = std::to_string((local.tm_hour + 12) % 24);
  for (int hour = 0; always && hour < 24; ++hour) hours += ";" + std::to_string(hour);
  Set("--file-reserved-time", "0");
  Set("--delete-when", hours);
  Set("--clean-resource-interval", "10");
  Set("--delete-commit-log-files-interval", std::to_string(OneOf(random_, {0, 5})));
  settings_text_ += always ? ", expiry" : ", expiry when asked for";
}

void Lab::RemovePool() {
  const auto name = store::MakePoolName(store::StoreLayout(disk_.root()));
  if (!name) return;
  ::unlink(name->path.c_str());
  for (int i = 1; ::unlink((name->path + ".aside" + (i == 1 ? "" : "." + std::to_string(i))).c_str()) == 0; ++i)
    continue;
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
  std::vector<std::string> arguments = arguments_;
  // What a pool has left is brought into the log without one, too.
  if (has_pool() && Percent(random_, 85)) {
    arguments.insert(arguments.end(), pool_arguments_.begin(), pool_arguments_.end());
  }
  MQ_TRY(daemons_->Start(arguments));
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

// False when they do not come.
bool Lab::TakeAllAnswers() {
  const int64_t deadline = MonotonicMs() + kAnswerMs;
  while (client_.outstanding() > 0) {
    if (!client_.Turn(5) || MonotonicMs() > deadline) return false;
  }
  return true;
}

// False when there was no answer.
bool Lab::ChangeTopic() {
  if (!TakeAllAnswers()) return false;
  const auto known = journal_.topics.find(kShortLived);
  if (known != journal_.topics.end() && known->second == TopicState::kMade) {
    client_.DeleteTopic(kShortLived);
  } else {
    client_.MakeTopic(kShortLived, 1);
  }
  return client_.WaitForTopic(kAnswerMs);
}

Status Lab::CheckMinOffset() {
  const store::Positions& positions = *daemons_->positions();
  if (!TakeAllAnswers()) return Ok();  // whoever sends next says so
  const int64_t before = store::LoadLogMin(positions).value();
  // Until mq-reputd has looked at its files nobody knows where queues begin.
  const int64_t known_from = std::max(before, positions.broker().recovered_end.load());
  if (positions.reputd().queues_checked.load() == 0 || positions.reputd().dispatched.load() < known_from) return Ok();
  const auto offset = client_.MinOffset("Single", 0, kAnswerMs);
  const int64_t after = store::LoadLogMin(positions).value();
  return offset ? journal_.CheckMinOffset("Single", 0, *offset, before, after) : Ok();
}

Status Lab::Work(int64_t milliseconds) {
  const int64_t deadline = MonotonicMs() + milliseconds;
  while (MonotonicMs() < deadline && client_.connected() && daemons_->alive()) {
    if (expires_ && Percent(random_, 5)) client_.CleanLog();
    if (expires_ && Percent(random_, 3)) MQ_TRY(CheckMinOffset());
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

// What the daemons have published, while they stand still: each position is behind the one it depends on. The end of
// what is durable; 0 when they never came so far as to publish anything.
Result<int64_t> Lab::CheckPositions() {
  const store::Positions* const positions = daemons_->positions();
  if (positions == nullptr) return 0;
  const auto wrong = [](const char* what) { return MakeError(ErrorCode::kCorruption, what); };
  const int64_t flushed = store::LoadFlushed(*positions).value();
  const int64_t committed = store::LoadCommitted(*positions).value();
  const int64_t dispatched = positions->reputd().dispatched.load();
  const int64_t wrote = store::LoadWrote(positions->broker()).wrote.value();
  const int64_t min = store::LoadLogMin(*positions).value();
  if (flushed > wrote) return wrong("flushed is ahead of what was written");
  if (positions->broker().pool.load() != 0) {
    if (committed > wrote) return wrong("committed is ahead of what was written");
    if (flushed > committed) return wrong("flushed is ahead of committed");
    if (dispatched > committed) return wrong("dispatched is ahead of committed although nobody may read that");
  }
  if (sync_flush() && dispatched > flushed) {
    return wrong("dispatched is ahead of flushed although nobody may see that");
  }
  if (min > positions->broker().boot_min.load()) {
    if (min > flushed) return wrong("the log's minimum is ahead of flushed");
    if (min > dispatched) return wrong("the log's minimum is ahead of dispatched");
    if (min >= wrote) return wrong("the newest record's file is below the log's minimum");
    if (!expires_) return wrong("log files go although none has expired");
  }
  MQ_ASSIGN(const auto files, store::ListLogFiles(store_.layout()));
  if (!files.empty() && files.front().start > min) return wrong("a log file has gone that is not below the minimum");
  journal_.MayGo(min);
  return flushed;
}

// The machine's memory goes with its power, and its next life has another id.
Status Lab::LosePower() {
  RemovePool();
  MQ_ASSIGN(cut_, disk_.CutPower(random_));
  const std::string path = store_.layout().Pool();
  auto name = ReadFile(path);
  if (!name) return Ok();
  constexpr std::string_view kOther = "00000000-0000-0000-0000-000000000000\n";
  if (name->size() < kOther.size()) return Ok();
  name->replace(name->size() - kOther.size(), kOther.size(), kOther);
  MQ_TRY(WriteFileAtomically(path, *name));
  return disk_.Settle();
}

Status Lab::Crash(bool power) {
  daemons_->Freeze();
  client_.TakeAnswers();
  client_.Close();
  MQ_ASSIGN(const int64_t flushed, CheckPositions());
  int64_t in_files = INT64_MAX;
  if (const store::Positions* positions = daemons_->positions(); has_pool() && positions != nullptr) {
    in_files = store::LoadReadable(*positions).value();
  }
  daemons_->KillAll();
  crash_text_ = std::string(power ? "power cut" : "kill of all") + " at flushed " + std::to_string(flushed);
  if (Fired()) crash_text_ += ", one had died at point " + std::to_string(disk_.control().fired.load() - 1);
  MQ_TRY(disk_.CheckDurable("commitlog", store_.commit_log_file_bytes, flushed));
  if (!power) {
    journal_.RequireAfterKill(in_files);
    return disk_.Settle();
  }
  journal_.RequireAfterCut(flushed, sync_flush());
  MQ_TRY(LosePower());
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
  MQ_TRY(CheckPositions());
  // What a clean stop leaves is durable, and no pool is among it.
  journal_.RequireAfterKill(INT64_MAX);
  const auto pool = store::MakePoolName(store_.layout());
  if (pool && PathExists(pool->path)) return MakeError(ErrorCode::kCorruption, "a clean stop leaves " + pool->path);
  MQ_TRY(journal_.CheckStopped(store_));
  return true;
}

}  // namespace mq::crash
