// Flusher: the steps of mq-flushd. Makes the log durable and keeps files ready ahead of the writer.
//
// The timer and the wake-up call the same Step. It samples `wrote` with its store time, syncs, and only
// then publishes `flushed`. A failed sync never advances it, is published, and is final until the broker
// starts again and recovers: the kernel may have dropped the pages, and a later sync that succeeds would
// prove nothing. One process, one thread; all log bytes belong to the broker: this only syncs them,
// populates pages without changing them, and makes new files that are zero until they have their name.
// With a transient pool it first copies what the broker has put there into the log files and publishes `committed`;
// only that is flushed. The pool's bytes stay until the broker takes the slot again, so a failed commit is tried again.
// Fed by positions (broker page); read by the broker (sync senders) and reput. Spec: mq-store(5), "Flush".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/log.h"
#include "base/result.h"
#include "store/checkpoint.h"
#include "store/file_stock.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/pool_committer.h"
#include "store/positions.h"
#include "store/store_options.h"

namespace mq::store {

struct FlushOutcome {
  bool flushed = false;         // `flushed` has grown: ring those that wait for it
  bool committed = false;       // `committed` has grown: the same
  bool allocated = false;       // a new file has its name: ring the broker if it waits for one
  bool failed = false;          // a sync or a commit has failed: ring the broker
  bool more = false;            // call again at once (making or warming a file)
  int64_t next_step_ms = 1000;  // otherwise at the latest then
};

class Flusher {
 public:
  // After the broker's recovery (state serving).
  static Result<std::unique_ptr<Flusher>> Open(const StoreOptions& options, Positions& positions,
                                               FileOps& file_ops = FileOps::Real());

  // Flushes if somebody waits or it is time; then a bounded piece of allocating and warming. Failures are
  // published and logged here: the caller has only to come back.
  FlushOutcome Step(int64_t now_ms);

  // Everything written so far, then the checkpoint. For drain and --once.
  Status FlushAll();
  // Its first two parts: what the pool holds goes into the log files, as far as the time allows; what is in the files
  // is made durable. The second writes nothing and needs no lock.
  Status CommitFor(int64_t at_most_ms);
  Status SyncAll();

  // The files ahead of the writer.
  FileStock& stock() { return stock_; }

  bool has_pool() const { return committer_.has_value(); }
  bool failed() const { return page_.flush_failed_errno.load(std::memory_order_relaxed) != 0; }

  void SetOptions(const CleanOptions& options) { options_.clean = options; }

  // The single steps, for Step and tests.
  // One piece of a flush: the files of one step, so that hundreds of small ones do not keep a sender waiting for the
  // next file. False when nothing is left to flush.
  Result<bool> FlushStep();
  bool flush_under_way() const { return target_.wrote.value() > flushed_; }
  Status CheckpointStep();
  // `min` has moved: nothing below it stays mapped here, and the checkpoint says so, durably, before a file is removed.
  void FollowMin();

 private:
  Flusher(const StoreOptions& options, Positions& positions, FileOps& file_ops, CheckpointFile checkpoint);
  Status NoteRemoved(int64_t first);
  bool WorthFlushing(int64_t now_ms);
  void TakeCommitStep(int64_t now_ms, FlushOutcome& outcome);
  // What a flush may reach now, with the store time of its last record.
  WrittenPosition Flushable() const;
  Status SyncRange(int64_t from, int64_t to);
  void PublishFailure(const Error& error);
  Checkpoint MakeCheckpoint() const;
  void SayCheckpointFailure(const Status& written);

  StoreOptions options_;
  StoreLayout layout_;
  Positions& positions_;
  FlushdPage& page_;
  FileOps& file_ops_;
  CheckpointFile checkpoint_;
  MappedFileReader files_;
  FileStock stock_;
  std::optional<PoolCommitter> committer_;
  int64_t flushed_ = 0;
  WrittenPosition target_;         // of the flush that is under way
  int64_t flushed_timestamp_ = 0;  // store time of the last record flushed by us
  int64_t last_flush_ms_ = 0;
  int64_t last_thorough_ms_ = 0;
  int64_t last_checkpoint_ms_ = 0;
  log::RateLimit checkpoint_lines_{6};
  int64_t retry_commit_ms_ = 0;
};

}  // namespace mq::store
