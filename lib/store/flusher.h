// Flusher: the steps of mq-flushd. Makes the log durable and keeps files ready ahead of the writer.
//
// The timer and the wake-up call the same Step. It samples `wrote` with its store time, syncs, and only
// then publishes `flushed`: a failed sync never advances it, is published, and is tried again. One
// process, one thread; all log bytes belong to the broker: this only syncs them, populates pages without
// changing them, and makes new files that are zero until they have their name.
// Fed by positions (broker page); read by the broker (sync senders) and reput. Spec: mq-store(5), "Flush".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "store/checkpoint.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/positions.h"
#include "store/store_options.h"

namespace mq::store {

struct FlushOutcome {
  bool flushed = false;         // `flushed` has grown: ring the broker if it waits
  bool allocated = false;       // a new file has its name
  bool more = false;            // call again at once (warming, or more was written meanwhile)
  int64_t next_step_ms = 1000;  // otherwise at the latest then
};

class Flusher {
 public:
  static Result<std::unique_ptr<Flusher>> Open(const StoreOptions& options, Positions& positions,
                                               FileOps& file_ops = FileOps::Real());

  // Flush if somebody waits or it is time; then, as far as nobody waits for a flush, allocate and warm.
  FlushOutcome Step(int64_t now_ms);

  // Everything written so far, then the checkpoint. For drain and --once.
  Status FlushAll();

  // The single steps, for tests and --once.
  Result<bool> FlushStep(int64_t now_ms, bool thorough);
  Result<bool> AllocateStep();
  Result<bool> WarmStep(int64_t max_bytes);
  Status CheckpointStep();

 private:
  Flusher(const StoreOptions& options, Positions& positions, FileOps& file_ops, CheckpointFile checkpoint);
  Status SyncRange(int64_t from, int64_t to);
  bool WorthFlushing(int64_t wrote, int64_t now_ms, bool* thorough) const;
  void ReportSyncFailure(const Error& error, int64_t now_ms);

  StoreOptions options_;
  StoreLayout layout_;
  Positions& positions_;
  FlushdPage& page_;
  FileOps& file_ops_;
  CheckpointFile checkpoint_;
  MappedFileReader files_;
  int64_t flushed_ = 0;
  int64_t flushed_timestamp_ = 0;
  int64_t last_flush_ms_ = 0;
  int64_t last_thorough_ms_ = 0;
  int64_t warmed_to_ = 0;
  int64_t failed_report_ms_ = 0;
  int64_t retry_allocate_ms_ = 0;
};

}  // namespace mq::store
