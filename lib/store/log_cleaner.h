// LogCleaner: removes commit log files that have expired, and guards the disk. Part of mq-flushd, beside the flusher;
// the timer and the wake-up call the same Step, one thread.
//
// A file goes when its time has come (an hour of deleteWhen, a request, or a disk that is rather full) and it is older
// than fileReservedTime, or whatever its age when the disk is nearly full. Oldest first, never past one that must stay,
// never the file of the newest record, never what is not flushed, dispatched and (unless by force) indexed; and
// mq-reputd's durable marker has to name a position behind it, or a power cut could take the numbers of queues that the
// log no longer knows: it is asked for one, and waited for. For each file: the new `min` is published, readers get a
// pause to let go of it, then it is removed on a thread of its own and the directory is synced. A kill in between
// leaves a file below `min`, which goes first the next time; queues and index are trimmed only when it is gone for good
// (`removed_to`), so that in front of what is left of the log there is never less of them than the log holds.
//
// The disk is measured every second and after each new file, also while a removal takes long: above the warning level
// appends are refused by the broker, and served again as soon as there is space. Ages are judged by trusted_clock.h,
// and no file is younger than one that was written after it. Spec: mq-store(5), "Expiry".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "store/file_remover.h"
#include "store/positions.h"
#include "store/store_options.h"
#include "store/trusted_clock.h"

namespace mq::store {

struct CleanOutcome {
  bool min_moved = false;      // ring broker and reputd: they have to let go of what is below
  bool disk_changed = false;   // ring the broker: appends are refused, or accepted again
  bool removed = false;        // ring reputd: queues and index follow
  bool marker_wanted = false;  // ring reputd: a file waits for its marker
  int64_t next_step_ms = 1000;
};

class LogCleaner {
 public:
  // RocketMQ's limit of one run, and the runs that one request stands for.
  static constexpr int kFilesPerRun = 10;
  static constexpr int kRunsPerRequest = 20;
  // The first run comes after this many intervals.
  static constexpr int kFirstRunIntervals = 6;
  static constexpr int64_t kMeasureMs = 1000;
  // For the marker: then the run is given up until the next one is due, or by force goes on without it.
  static constexpr int64_t kMarkerPatienceMs = 5000;
  static constexpr int64_t kForcedPatienceMs = 1000;

  // After Flusher::Open. `monotonic_ms` is the time of the first Step to come.
  LogCleaner(const StoreOptions& options, Positions& positions, int64_t monotonic_ms,
             FileOps& file_ops = FileOps::Real());

  CleanOutcome Step(int64_t monotonic_ms, int64_t wall_ms);
  // A file was made: a fast writer must not outrun the next look at the disk.
  void LookAgain() { measured_ = false; }
  void SetOptions(const CleanOptions& options) { options_.clean = options; }
  // Waits for a removal under way; nothing is begun any more. For drain.
  void Finish();

 private:
  struct Space {
    int log_percent = -1;
    int queue_percent = -1;
    bool full = false;   // above the warning level
    bool force = false;  // above the level from which on age does not count
    bool early = false;  // above the level from which on the hour does not count
  };
  struct Candidate {
    int64_t start = 0;
    bool expired = false;
  };
  Space Measure();
  void LookAtDisk(int64_t now_ms, CleanOutcome& outcome);
  void BeginRunIfDue(int64_t now_ms, int64_t wall_ms);
  void NextFile(int64_t now_ms, CleanOutcome& outcome);
  void TakeRemoved(int64_t now_ms, int64_t wall_ms, CleanOutcome& outcome);
  Result<std::optional<Candidate>> FindCandidate();
  Result<int64_t> NewestTimeFrom(const std::vector<FileEntry>& files, size_t first) const;
  int64_t RemovableEnd() const;
  void StopWaitingForMarker();
  bool MustWaitForMarker(int64_t end, int64_t now_ms, CleanOutcome& outcome);
  bool ByForce() const { return options_.clean.forcibly && space_.force; }
  int64_t NewestTrace() const;

  StoreOptions options_;
  StoreLayout layout_;
  Positions& positions_;
  FlushdPage& page_;
  FileOps& file_ops_;
  TrustedClock clock_;
  int64_t trusted_ms_ = 0;
  FileRemover remover_;
  Space space_;
  int64_t measured_ms_ = 0;
  bool measured_ = false;
  bool looked_ = false;  // the disk, in this step
  int64_t next_run_ms_;
  int64_t retry_ms_ = 0;   // nothing is begun before, because something went wrong
  bool leftovers_ = true;  // files below `min` may lie there from before a kill
  bool running_ = false;
  int files_in_run_ = 0;
  std::optional<int64_t> waits_since_ms_;  // for the marker
  // Below `min` already; removed when the readers have had their pause, or being removed.
  struct Pending {
    int64_t start = 0;
    std::string path;
    int64_t at_ms = 0;
    bool expired = false;
  };
  std::optional<Pending> pending_;
};

// Is it one of these hours in the local time zone, and when does the next one begin (wall ms; now when it is one)?
bool IsCleaningHour(const std::vector<int32_t>& hours, int64_t wall_ms);
int64_t NextCleaningTime(const std::vector<int32_t>& hours, int64_t wall_ms);

}  // namespace mq::store
