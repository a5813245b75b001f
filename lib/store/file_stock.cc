#include "store/file_stock.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/kill_point.h"
#include "store/step_note.h"

namespace mq::store {

namespace {

// One step's worth of preparing: a flush that becomes due meanwhile waits at most this long (1-3 ms).
constexpr int64_t kZeroBytesPerStep = int64_t{2} << 20;
constexpr int64_t kWarmBytesPerStep = int64_t{2} << 20;
constexpr int64_t kRetryMs = 1000;
// Small files are used up faster than they are made one by one.
constexpr int64_t kSpareFiles = 4;

}  // namespace

FileStock::FileStock(const StoreOptions& options, Positions& positions, FileOps& file_ops)
    : options_(options),
      layout_(options.layout()),
      broker_(positions.broker()),
      page_(positions.own_flushd()),
      file_ops_(file_ops),
      maker_(options.commit_log_file_bytes,
             options.warm_whole_file ? options.commit_log_file_bytes : options.warm_window_bytes) {}

Status FileStock::FinishFile() {
  const int64_t end = maker_.start() + options_.commit_log_file_bytes;
  MQ_TRY(maker_.Finish());
  page_.allocated_to.store(end, std::memory_order_release);
  page_.allocate_failed_errno.store(0, std::memory_order_relaxed);
  return Ok();
}

std::string FileStock::DirectoryFor(int64_t start) {
  return layout_.DirForNewLogFile(start / options_.commit_log_file_bytes, [this](const std::string& directory) {
    const auto space = file_ops_.Space(directory);
    return space && space->used_percent() * 10 > options_.clean.force_permille;
  });
}

Result<bool> FileStock::MakeStep(int64_t now_ms, bool* more) {
  const int64_t file_bytes = options_.commit_log_file_bytes;
  const int64_t wrote = broker_.wrote.load(std::memory_order_acquire);
  const bool urgent = broker_.waits_for_file.load(std::memory_order_acquire) != 0;
  int64_t allocated = page_.allocated_to.load(std::memory_order_relaxed);
  // The broker makes the first file itself, and --once may find files nobody told us about.
  allocated = std::max(allocated, (wrote + file_bytes - 1) / file_bytes * file_bytes);
  const int64_t ahead = std::max(file_bytes * 3 / 4, std::min(options_.warm_window_bytes, kSpareFiles * file_bytes));
  if (!maker_.busy()) {
    // Nothing is sent while the disk is full: what is left of it is for what was sent.
    const bool ready = page_.disk_full.load(std::memory_order_relaxed) != 0 || allocated - wrote >= ahead;
    const bool needed = urgent ? allocated <= wrote : !ready;
    if (!needed || now_ms < retry_make_ms_) return false;
    MQ_TRY(maker_.Begin(DirectoryFor(allocated), allocated));
  }
  const StepNote note(page_, FlushdStep::kFile);
  // A waiting broker gets the file without written zeros: late is worse than slow.
  if (!urgent) {
    MQ_ASSIGN(bool complete, maker_.Write(kZeroBytesPerStep));
    if (!complete) {
      *more = true;
      return false;
    }
  }
  MQ_TRY(FinishFile());
  *more = true;
  return true;
}

Status FileStock::RemoveSpare() {
  maker_.Abandon();
  const int64_t wrote = broker_.wrote.load(std::memory_order_acquire);
  MQ_ASSIGN(auto files, ListLogFiles(layout_));
  std::set<std::string> changed;
  for (const FileEntry& file : files) {
    // The first file of an empty log stays: it says where the log begins.
    if (file.start < wrote || file.start == files.front().start) continue;
    const std::string path = layout_.CommitLogFile(PhysicalOffset(file.start));
    if (::unlink(path.c_str()) != 0) return ErrnoError(ErrorCode::kIo, "remove " + path);
    changed.insert(DirectoryOf(path));
    PassKillPoint(KillPoint::kSpareFileRemoved);
  }
  for (const std::string& directory : changed) MQ_TRY(FsyncDirectory(directory));
  return Ok();
}

Result<bool> FileStock::WarmStep(int64_t max_bytes) {
  if (options_.pool_slots > 0) return false;  // nobody writes through the map
  const int64_t wrote = broker_.wrote.load(std::memory_order_acquire);
  const int64_t allocated = page_.allocated_to.load(std::memory_order_relaxed);
  const int64_t goal = std::min(wrote + options_.warm_window_bytes, allocated);
  int64_t from = std::max(warmed_to_, wrote);
  if (from >= goal) return false;
  const int64_t start = from / options_.commit_log_file_bytes * options_.commit_log_file_bytes;
  if (warm_file_ == nullptr || warm_file_->start() != start) {
    const std::string path = layout_.CommitLogFile(PhysicalOffset(start));
    MQ_ASSIGN(auto file, MappedFile::OpenReadWrite(path, start, options_.commit_log_file_bytes));
    warm_file_ = std::make_shared<MappedFile>(std::move(file));
  }
  const int64_t to = std::min({from + max_bytes, goal, warm_file_->end()});
  MQ_TRY(warm_file_->Populate(from - start, to - start));
  warmed_to_ = to;
  return true;
}

FileStock::Outcome FileStock::Step(int64_t now_ms, bool busy) {
  Outcome outcome;
  if (auto made = MakeStep(now_ms, &outcome.more)) {
    outcome.made = *made;
  } else {
    maker_.Abandon();
    retry_make_ms_ = now_ms + kRetryMs;
    page_.allocate_failed_errno.store(made.error().sys_errno, std::memory_order_release);
    uint64_t suppressed = 0;
    if (make_lines_.Allow(&suppressed)) {
      log::Err("store.flush", "the next commit log file cannot be made")
          .Field("error", made.error())
          .Field("suppressed", suppressed);
    }
  }
  if (busy || outcome.more || now_ms < retry_warm_ms_) return outcome;
  const auto warmed = WarmStep(kWarmBytesPerStep);
  outcome.more = warmed && *warmed;
  if (warmed) return outcome;
  retry_warm_ms_ = now_ms + kRetryMs;
  uint64_t suppressed = 0;
  if (warm_lines_.Allow(&suppressed)) {
    log::Warn("store.flush", "pages ahead of the writer cannot be prepared")
        .Field("error", warmed.error())
        .Field("suppressed", suppressed);
  }
  return outcome;
}

}  // namespace mq::store
