// Positions: how far each daemon has come, in shared memory.
//
// A memfd, sealed against shrinking, that the broker makes at every start: one 4 KiB page per writer.
// Each process maps its own page writable and the others read-only, so a stray write cannot reach
// another's page. A new start is a new memfd: nothing stale is ever believed.
//
//   page 0  broker   wrote (with its store time), wanted_flush, wanted_commit, confirm, min wanted, pool, state
//   page 1  flushd   flushed, committed, min, allocated_to, fsync state, disk state
//   page 2  reputd   dispatched, indexed, state of the index, trimmed, checkpoint times, tombstones applied, state
//
// Promises: publishing is a release store after the bytes, reading an acquire load before them. Every
// position only grows. `wrote` is *acknowledged*, `flushed` is *durable*, `dispatched` is *in the queues*,
// `indexed` is *found by key*. What may be read of the log ends at `wrote`, or with a transient pool at
// `committed`: LoadReadable says it for everybody.
//
// The doorbell: each reader owns `waiting` flags in its own page. A writer publishes, then asks
// MustRing(flag) and rings (over ctl) only when the reader waits. A reader that wants to block calls
// StartWaiting(flag), looks at the positions once more, and blocks only if nothing is new. Both sides
// have a full fence between their store and their load, so one of them always sees the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/mapped_region.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "store/types.h"

namespace mq::store {

// Raised with every change of the pages below. Broker and helpers must agree (checked in the hello).
inline constexpr uint32_t kPositionsVersion = 9;
// Identifies the build: the hello compares it, so that daemons of different builds never share pages.
std::string_view BuildId();

struct BrokerPage;

enum class BrokerState : uint32_t {
  kRecovering = 0,
  kServing = 1,   // helpers may work
  kDraining = 2,  // no more appends; helpers finish
  kStopped = 3,
};

// What mq-flushd is doing: the words for "busy" (daemons/broker/core.h).
enum class FlushdStep : uint32_t { kNone = 0, kSync = 1, kFile = 2, kCommit = 3 };

enum class HelperState : uint32_t { kAbsent = 0, kAttached = 1, kWorking = 2, kFailed = 3 };

// Do not renumber: readers print their names.
enum class RecoverPhase : uint32_t { kPool = 0, kLog = 1, kQueues = 2 };
// "walking the commit log, 40%"
std::string RecoverText(const BrokerPage& page);

// A position together with the store time of the record before it.
struct WrittenPosition {
  PhysicalOffset wrote;
  int64_t store_timestamp = 0;
};

struct alignas(64) PageHeader {
  uint32_t version = 0;
  uint32_t pages = 0;
  char build[56] = {};
};
static_assert(sizeof(PageHeader) == 64);

// Written by the broker alone. Groups that change together share a cache line.
struct BrokerPage {
  PageHeader header;
  // Sequence lock of the pair: odd while the two are being changed.
  alignas(64) std::atomic<uint64_t> sequence;
  std::atomic<int64_t> wrote;
  std::atomic<int64_t> store_timestamp;
  std::atomic<int64_t> wanted_flush;   // sync senders wait for this; 0 = nobody
  std::atomic<int64_t> wanted_commit;  // readers wait for this; 0 = nobody
  alignas(64) std::atomic<int64_t> confirm;
  std::atomic<int64_t> recovered_from;  // recovery has looked at the log from here to the end: damage there is told
  std::atomic<int64_t> recovered_end;   // end of the log after recovery; queues are cut to it
  std::atomic<uint32_t> log_damaged;    // recovery has kept damage: numbers of lost records stand in queue files alone
  std::atomic<int64_t> boot_min;        // first log file found by recovery
  std::atomic<uint32_t> state;          // BrokerState
  std::atomic<uint32_t> recover_phase;  // RecoverPhase, while the state is recovering
  std::atomic<uint32_t> recover_percent;
  std::atomic<int64_t> pid;
  std::atomic<uint32_t> tombstones;             // grows with each change of mq/tombstones, published after it
  std::atomic<uint32_t> clean_log_requests;     // grows with each wish that expired log files go now
  std::atomic<uint32_t> clean_queues_requests;  // the same for queue and index files
  std::atomic<uint32_t> index_check_requests;   // grows with each query that met an index file that cannot be right
  std::atomic<uint32_t> pool;                   // 1: appends go to the transient pool; set before the state is serving
  // Doorbells the broker waits on.
  alignas(64) std::atomic<uint32_t> waits_for_flushed;
  std::atomic<uint32_t> waits_for_dispatched;
  std::atomic<uint32_t> waits_for_committed;
  std::atomic<uint32_t> waits_for_file;  // appends are held until the next file exists, or a slot of the pool is free
};

// Written by mq-flushd alone.
struct FlushdPage {
  PageHeader header;
  alignas(64) std::atomic<int64_t> flushed;
  std::atomic<int64_t> committed;           // in the log files; differs from `flushed` only with a transient pool
  std::atomic<int64_t> min;                 // first log file that is not being deleted
  std::atomic<int64_t> removed_to;          // log files below are gone for good; `min` may be ahead
  std::atomic<int64_t> allocated_to;        // end of the last file that exists under its name
  std::atomic<int64_t> flush_failed_errno;  // last fsync failure, 0 = none since the last success
  std::atomic<uint64_t> flush_failures;
  std::atomic<int64_t> allocate_failed_errno;
  std::atomic<int64_t> commit_failed_errno;  // last commit from the pool, 0 = it worked
  std::atomic<uint64_t> flushes;
  // The step under way (FlushdStep) and since when, on the monotonic clock; how long each took the last time.
  std::atomic<uint32_t> step;
  std::atomic<int64_t> step_since_ms;
  std::atomic<int64_t> last_step_ms[4];
  std::atomic<int64_t> turned_ms;        // when it last looked
  std::atomic<int64_t> checkpoint_time;  // physic timestamp last made durable
  std::atomic<uint32_t> state;           // HelperState
  std::atomic<int64_t> pid;
  // Space and cleaning (log_cleaner.h).
  alignas(64) std::atomic<int32_t> log_disk_percent;  // used of the commit log's filesystem; -1 = cannot be told
  std::atomic<int32_t> queue_disk_percent;            // of the consume queues'
  std::atomic<uint32_t> disk_full;                    // above the warning level: appends must be refused
  std::atomic<uint32_t> removed_by_force;             // the last step of `min` went over files that had not expired
  std::atomic<uint64_t> removed_files;
  std::atomic<int64_t> last_clean_time;  // wall time of the last file's removal, 0 = none yet
  std::atomic<int64_t> next_clean_time;  // wall time of the next hour of deleteWhen
  // The last of the broker's clean_log_requests that was heard, and the runs still due for it: the next mq-flushd goes
  // on.
  std::atomic<uint32_t> clean_log_heard;
  std::atomic<int32_t> clean_log_runs;
  std::atomic<int64_t> wanted_marker;  // a log file goes once mq-reputd's durable marker is here or further; 0 = none
  alignas(64) std::atomic<uint32_t> waits_for_wrote;  // sleeps until there is something to flush
  std::atomic<uint32_t> waits_for_wanted_commit;      // has something to commit, and commits it early for a reader
};

// Written by mq-reputd alone.
struct ReputdPage {
  PageHeader header;
  alignas(64) std::atomic<int64_t> dispatched;
  std::atomic<int64_t> indexed;           // every key of the records below is in the index
  std::atomic<int64_t> logics_timestamp;  // for the checkpoint: entries up to it are durable
  std::atomic<int64_t> index_timestamp;
  std::atomic<int64_t> durable_dispatched;   // offset of the marker last written
  std::atomic<uint32_t> queues_checked;      // tails cut, lost files found: `dispatched` may be believed
  std::atomic<uint32_t> tombstones_applied;  // value of BrokerPage::tombstones whose removals are done
  std::atomic<uint32_t> queue_error;         // errno: a queue could not be written, appends must be refused; 0 = none
  std::atomic<uint64_t> gaps;                // queue gaps filled
  std::atomic<int64_t> log_skipped_at;       // where the last one of those begins that log_skipped counts
  std::atomic<uint32_t> log_skipped;         // damaged stretches of the log that recovery did not look at, gone over
  std::atomic<int64_t> trimmed;              // queue and index files of records below this log minimum are gone
  std::atomic<uint32_t> index_failing;       // the index cannot be written at the moment
  std::atomic<uint32_t> index_unsure;        // files of it that may lack keys: not checked yet, or being made anew
  std::atomic<uint32_t> index_damaged;       // files of it found damaged in this life of the store
  std::atomic<int64_t> index_damaged_file;   // the last one of them: its name is a number
  std::atomic<uint32_t> index_checks;        // value of BrokerPage::index_check_requests that was served
  std::atomic<uint32_t> state;               // HelperState
  std::atomic<int64_t> pid;
  alignas(64) std::atomic<uint32_t> waits_for_wrote;
  std::atomic<uint32_t> waits_for_flushed;  // dispatch follows `flushed` (SYNC_FLUSH) or `committed` (pool)
};
static_assert(sizeof(BrokerPage) <= kPageBytes && sizeof(FlushdPage) <= kPageBytes && sizeof(ReputdPage) <= kPageBytes);
static_assert(std::atomic<int64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

enum class PositionsRole { kBroker = 0, kFlushd = 1, kReputd = 2, kReader = 3 };

class Positions {
 public:
  // Broker, before anything is read. All positions 0, state recovering.
  static Result<Positions> Create();
  // Helper (or a reader): maps the pages of `fd`. Refuses another version, build or size.
  static Result<Positions> Attach(UniqueFd fd, PositionsRole role);

  Positions(Positions&&) = default;
  Positions& operator=(Positions&&) = default;

  int fd() const { return fd_.get(); }

  const BrokerPage& broker() const { return *broker_; }
  const FlushdPage& flushd() const { return *flushd_; }
  const ReputdPage& reputd() const { return *reputd_; }
  // The own page; a programmer error in any other role.
  BrokerPage& own_broker();
  FlushdPage& own_flushd();
  ReputdPage& own_reputd();

  // One page, as flushd and reputd of tests and --once need all three in one process.
  static Result<Positions> CreateForOneProcess();

 private:
  Positions() = default;
  static Result<Positions> Map(UniqueFd fd, PositionsRole role);

  UniqueFd fd_;
  PositionsRole role_ = PositionsRole::kReader;
  bool all_writable_ = false;
  MappedRegion regions_[3];
  BrokerPage* broker_ = nullptr;
  FlushdPage* flushd_ = nullptr;
  ReputdPage* reputd_ = nullptr;
};

// --- The pair (wrote, store time) ---

// Broker only, after the record's bytes. Release.
inline void PublishWrote(BrokerPage& page, PhysicalOffset wrote, int64_t store_timestamp) {
  uint64_t sequence = page.sequence.load(std::memory_order_relaxed);
  page.sequence.store(sequence + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  page.wrote.store(wrote.value(), std::memory_order_release);
  page.store_timestamp.store(store_timestamp, std::memory_order_relaxed);
  page.sequence.store(sequence + 2, std::memory_order_release);
}

// Any process. Acquire: bytes below `wrote` may be read after it.
inline WrittenPosition LoadWrote(const BrokerPage& page) {
  for (;;) {
    uint64_t before = page.sequence.load(std::memory_order_acquire);
    WrittenPosition position{PhysicalOffset(page.wrote.load(std::memory_order_acquire)),
                             page.store_timestamp.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if ((before & 1) == 0 && page.sequence.load(std::memory_order_relaxed) == before) return position;
  }
}

// --- Derived positions ---

// All bytes below are durable: mq-flushd's word, or what recovery made durable before it came.
inline PhysicalOffset LoadFlushed(const Positions& positions) {
  return PhysicalOffset(std::max(positions.flushd().flushed.load(std::memory_order_acquire),
                                 positions.broker().recovered_end.load(std::memory_order_acquire)));
}
// All bytes below are in the log files: what mq-flushd has copied from the pool, or what recovery found.
inline PhysicalOffset LoadCommitted(const Positions& positions) {
  return PhysicalOffset(std::max(positions.flushd().committed.load(std::memory_order_acquire),
                                 positions.broker().recovered_end.load(std::memory_order_acquire)));
}
// Whole records lie below, and no reader looks at or beyond it: pull, reput, queries, dump.
inline PhysicalOffset LoadReadable(const Positions& positions) {
  if (positions.broker().pool.load(std::memory_order_acquire) != 0) return LoadCommitted(positions);
  return PhysicalOffset(positions.broker().wrote.load(std::memory_order_acquire));
}
// First position that is still there.
inline PhysicalOffset LoadLogMin(const Positions& positions) {
  return PhysicalOffset(std::max(positions.flushd().min.load(std::memory_order_acquire),
                                 positions.broker().boot_min.load(std::memory_order_acquire)));
}

// No power cut brings a log file below it back: what queues and index know of it may go.
inline PhysicalOffset LoadLogRemoved(const Positions& positions) {
  return PhysicalOffset(std::max(positions.flushd().removed_to.load(std::memory_order_acquire),
                                 positions.broker().boot_min.load(std::memory_order_acquire)));
}

// --- Doorbell ---

// Writer side, after publishing: does the reader sleep?
inline bool MustRing(const std::atomic<uint32_t>& waiting) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return waiting.load(std::memory_order_relaxed) != 0;
}

// Reader side, before blocking; look at the positions once more after it.
inline void StartWaiting(std::atomic<uint32_t>& waiting) {
  waiting.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void StopWaiting(std::atomic<uint32_t>& waiting) { waiting.store(0, std::memory_order_relaxed); }

}  // namespace mq::store
