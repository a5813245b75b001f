#include "store/log_cleaner.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/kill_point.h"
#include "base/log.h"

namespace mq::store {

namespace {

constexpr int64_t kQuarterMs = 15 * 60 * 1000;
// While a thread removes a file.
constexpr int64_t kRemovalPollMs = 10;
constexpr int64_t kMarkerPollMs = 10;

int LocalHour(int64_t wall_ms) {
  const std::time_t seconds = wall_ms / 1000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return local.tm_hour;
}

// When the file was last written to; nothing when it is gone.
Result<std::optional<int64_t>> WrittenAt(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::optional<int64_t>();
    return ErrnoError(ErrorCode::kIo, "look at " + path);
  }
  return std::optional<int64_t>(int64_t{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1000000);
}

}  // namespace

bool IsCleaningHour(const std::vector<int32_t>& hours, int64_t wall_ms) {
  return std::find(hours.begin(), hours.end(), LocalHour(wall_ms)) != hours.end();
}

int64_t NextCleaningTime(const std::vector<int32_t>& hours, int64_t wall_ms) {
  if (IsCleaningHour(hours, wall_ms)) return wall_ms;
  // Zones differ from each other by quarters of an hour; a night may lack an hour.
  int64_t at = (wall_ms / kQuarterMs + 1) * kQuarterMs;
  for (int quarters = 0; quarters < 4 * 48 && !IsCleaningHour(hours, at); ++quarters) at += kQuarterMs;
  return at;
}

LogCleaner::LogCleaner(const StoreOptions& options, Positions& positions, int64_t monotonic_ms, FileOps& file_ops)
    : options_(options),
      layout_(options.layout()),
      positions_(positions),
      page_(positions.own_flushd()),
      file_ops_(file_ops),
      clock_(NewestTrace()),
      remover_(file_ops),
      next_run_ms_(monotonic_ms + kFirstRunIntervals * options.clean.interval_ms) {}

// Files that were written, and the checkpoint that is rewritten while the log grows.
int64_t LogCleaner::NewestTrace() const {
  int64_t newest = 0;
  const auto look = [&newest](const std::string& path) {
    const auto at = WrittenAt(path);
    if (at && *at) newest = std::max(newest, **at);
  };
  look(layout_.Checkpoint());
  const auto files = ListLogFiles(layout_);
  if (!files) return newest;
  for (const FileEntry& file : *files) look(layout_.CommitLogFile(PhysicalOffset(file.start)));
  return newest;
}

LogCleaner::Space LogCleaner::Measure() {
  Space space;
  const CleanOptions& clean = options_.clean;
  const auto percent_of = [this](const std::string& path) {
    const auto found = file_ops_.Space(path);
    return found ? found->used_percent() : -1;
  };
  // Of several paths the emptiest counts: new files go there.
  for (const std::string& directory : layout_.WritableLogDirs()) {
    const int percent = percent_of(directory);
    if (space.log_percent < 0 || (percent >= 0 && percent < space.log_percent)) space.log_percent = percent;
  }
  space.queue_percent = percent_of(layout_.ConsumeQueueDir());
  for (const int percent : {space.log_percent, space.queue_percent}) {
    space.full |= percent * 10 > clean.full_permille;
    space.force |= percent * 10 > clean.force_permille || percent * 10 > clean.full_permille;
    space.early |= percent < 0 || percent * 10 > clean.early_permille;
  }
  const auto allocation = page_.allocate_failed_errno.load(std::memory_order_relaxed);
  space.force |= allocation == ENOSPC || allocation == EDQUOT;
  return space;
}

void LogCleaner::LookAtDisk(int64_t now_ms, CleanOutcome& outcome) {
  looked_ = !measured_ || now_ms - measured_ms_ >= kMeasureMs;
  if (!looked_) return;
  measured_ = true;
  measured_ms_ = now_ms;
  const bool was_forced = ByForce();
  space_ = Measure();
  page_.log_disk_percent.store(space_.log_percent, std::memory_order_relaxed);
  page_.queue_disk_percent.store(space_.queue_percent, std::memory_order_relaxed);
  const uint32_t full = space_.full ? 1 : 0;
  outcome.disk_changed = page_.disk_full.exchange(full, std::memory_order_acq_rel) != full;
  if (ByForce() && !was_forced) {
    log::Warn("store.clean", "the disk is nearly full: the oldest files go before their time")
        .Field("log_disk_percent", space_.log_percent)
        .Field("queue_disk_percent", space_.queue_percent);
  }
}

void LogCleaner::BeginRunIfDue(int64_t now_ms, int64_t wall_ms) {
  if (looked_) {
    page_.next_clean_time.store(NextCleaningTime(options_.clean.hours, wall_ms), std::memory_order_relaxed);
  }
  const uint32_t requests = positions_.broker().clean_log_requests.load(std::memory_order_acquire);
  const bool asked = requests != page_.clean_log_heard.load(std::memory_order_relaxed);
  if (asked) {
    // The runs first: whoever is killed in between hears the request once more rather than not at all.
    page_.clean_log_runs.store(kRunsPerRequest, std::memory_order_relaxed);
    page_.clean_log_heard.store(requests, std::memory_order_release);
  }
  // A changed interval counts at once.
  next_run_ms_ = std::min(next_run_ms_, now_ms + kFirstRunIntervals * options_.clean.interval_ms);
  const bool due = asked || now_ms >= next_run_ms_ || (looked_ && ByForce());
  if (running_ || !due || now_ms < retry_ms_) return;
  const bool manual = page_.clean_log_runs.load(std::memory_order_relaxed) > 0;
  if (manual) page_.clean_log_runs.fetch_sub(1, std::memory_order_relaxed);
  next_run_ms_ = now_ms + options_.clean.interval_ms;
  running_ = manual || space_.early || ByForce() || IsCleaningHour(options_.clean.hours, wall_ms);
  files_in_run_ = 0;
}

int64_t LogCleaner::RemovableEnd() const {
  const ReputdPage& reputd = positions_.reputd();
  int64_t end =
      std::min(page_.flushed.load(std::memory_order_acquire), reputd.dispatched.load(std::memory_order_acquire));
  // An index that is being built has the records counted that it can still find; space matters more.
  const bool indexes = options_.index_enable && reputd.index_failing.load(std::memory_order_relaxed) == 0;
  if (indexes && !ByForce()) end = std::min(end, reputd.indexed.load(std::memory_order_acquire));
  // The file of the newest record stays: it says where the log goes on.
  return std::min(end, positions_.broker().wrote.load(std::memory_order_acquire) - 1);
}

// No file was written after one that follows it: a time that says so comes from a clock that was ahead.
Result<int64_t> LogCleaner::NewestTimeFrom(const std::vector<FileEntry>& files, size_t first) const {
  const int64_t wrote = positions_.broker().wrote.load(std::memory_order_acquire);
  int64_t time = INT64_MAX;
  for (size_t i = first; i < files.size() && files[i].start < wrote; ++i) {
    MQ_ASSIGN(const auto at, WrittenAt(layout_.CommitLogFile(PhysicalOffset(files[i].start))));
    if (at) time = std::min(time, *at);
  }
  return time;
}

Result<std::optional<LogCleaner::Candidate>> LogCleaner::FindCandidate() {
  MQ_ASSIGN(const auto files, ListLogFiles(layout_));
  const int64_t min = page_.min.load(std::memory_order_relaxed);
  if (files.empty()) return std::optional<Candidate>();
  // Left behind by a removal that did not come to its end.
  if (files[0].start + options_.commit_log_file_bytes <= min) {
    return std::optional<Candidate>(Candidate{files[0].start, true});
  }
  leftovers_ = false;
  if (!running_ || files_in_run_ >= kFilesPerRun) return std::optional<Candidate>();
  if (files[0].start + options_.commit_log_file_bytes > RemovableEnd()) return std::optional<Candidate>();
  MQ_ASSIGN(const int64_t written_ms, NewestTimeFrom(files, 0));
  const bool expired = written_ms <= trusted_ms_ - options_.clean.reserved_ms;
  if (!expired && !ByForce()) return std::optional<Candidate>();
  return std::optional<Candidate>(Candidate{files[0].start, expired});
}

void LogCleaner::StopWaitingForMarker() {
  waits_since_ms_.reset();
  page_.wanted_marker.store(0, std::memory_order_release);
}

// Without it the store would forget the numbers of a queue whose last message goes and whose entries are not durable.
bool LogCleaner::MustWaitForMarker(int64_t end, int64_t now_ms, CleanOutcome& outcome) {
  // Behind the end: a marker at the log's first position has no record before it to be believed by.
  if (positions_.reputd().durable_dispatched.load(std::memory_order_acquire) > end) {
    StopWaitingForMarker();
    return false;
  }
  outcome.marker_wanted = page_.wanted_marker.exchange(end + 1, std::memory_order_release) != end + 1;
  if (!waits_since_ms_) waits_since_ms_ = now_ms;
  const int64_t waited_ms = now_ms - *waits_since_ms_;
  if (waited_ms < (ByForce() ? kForcedPatienceMs : kMarkerPatienceMs)) return true;
  StopWaitingForMarker();
  if (ByForce()) {
    log::Warn("store.clean", "a file goes before its queues are durable, because the disk is nearly full")
        .Field("to", end);
    return false;
  }
  log::Warn("store.clean", "no file goes: mq-reputd does not make the queues durable")
      .Field("wanted", end)
      .Field("waited_ms", waited_ms);
  running_ = false;
  retry_ms_ = now_ms + options_.clean.interval_ms;
  return true;
}

void LogCleaner::NextFile(int64_t now_ms, CleanOutcome& outcome) {
  const auto candidate = FindCandidate();
  if (!candidate) {
    log::Warn("store.clean", "cannot tell which files have expired").Field("error", candidate.error());
    running_ = false;
    retry_ms_ = now_ms + options_.clean.interval_ms;
    return;
  }
  if (!*candidate) {
    // Many were found: a request goes on at once with its next run.
    if (running_ && files_in_run_ >= kFilesPerRun && page_.clean_log_runs.load(std::memory_order_relaxed) > 0)
      next_run_ms_ = now_ms;
    running_ = false;
    StopWaitingForMarker();
    leftovers_ = false;
    return;
  }
  const int64_t start = (*candidate)->start;
  const int64_t end = start + options_.commit_log_file_bytes;
  const bool published = end <= page_.min.load(std::memory_order_relaxed);
  if (!published && MustWaitForMarker(end, now_ms, outcome)) return;
  ++files_in_run_;
  pending_ = Pending{start, layout_.CommitLogFile(PhysicalOffset(start)), now_ms + options_.clean.file_pause_ms,
                     (*candidate)->expired};
  if (published) return;
  page_.removed_by_force.store((*candidate)->expired ? 0 : 1, std::memory_order_relaxed);
  page_.min.store(end, std::memory_order_release);
  PassKillPoint(KillPoint::kMinPublished);
  outcome.min_moved = true;
}

void LogCleaner::TakeRemoved(int64_t now_ms, int64_t wall_ms, CleanOutcome& outcome) {
  const auto removed = remover_.Take();
  if (!removed) return;
  if (*removed) {
    page_.removed_to.store(pending_->start + options_.commit_log_file_bytes, std::memory_order_release);
    outcome.removed = true;
    page_.removed_files.fetch_add(1, std::memory_order_relaxed);
    page_.last_clean_time.store(wall_ms, std::memory_order_relaxed);
    log::Info("store.clean", "commit log file removed")
        .Field("file", pending_->path)
        .Field("min", page_.min.load(std::memory_order_relaxed))
        .Field("because", pending_->expired ? "expired" : "disk");
  } else {
    log::Err("store.clean", "a commit log file cannot be removed").Field("error", removed->error());
    running_ = false;
    retry_ms_ = now_ms + options_.clean.interval_ms;
  }
  pending_.reset();
  // What was given back decides whether another one has to go.
  measured_ = false;
}

CleanOutcome LogCleaner::Step(int64_t monotonic_ms, int64_t wall_ms) {
  CleanOutcome outcome;
  trusted_ms_ = clock_.Advance(monotonic_ms, wall_ms);
  TakeRemoved(monotonic_ms, wall_ms, outcome);
  LookAtDisk(monotonic_ms, outcome);
  BeginRunIfDue(monotonic_ms, wall_ms);
  if (!pending_ && (running_ || leftovers_)) NextFile(monotonic_ms, outcome);
  if (pending_ && !remover_.busy() && monotonic_ms >= pending_->at_ms) remover_.Begin(pending_->path);
  if (remover_.busy()) {
    outcome.next_step_ms = kRemovalPollMs;
  } else if (pending_) {
    outcome.next_step_ms = pending_->at_ms - monotonic_ms;
  } else if (waits_since_ms_) {
    outcome.next_step_ms = kMarkerPollMs;
  } else {
    outcome.next_step_ms = std::clamp<int64_t>(std::max(next_run_ms_, retry_ms_) - monotonic_ms, 0, kMeasureMs);
  }
  return outcome;
}

void LogCleaner::Finish() {
  remover_.Wait();
  pending_.reset();
  running_ = false;
}

}  // namespace mq::store
