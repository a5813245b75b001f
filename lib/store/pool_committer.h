// PoolCommitter: copies what the broker has put into the transient pool into the log files. Part of the flusher, in
// mq-flushd alone; see transient_pool.h.
//
// In pieces, so that a sync or a new file never waits for a whole slot; but `committed` is published only where a
// record ends: at the end of a file, or at the `wrote` that was sampled before copying. After a kill the successor
// copies the unpublished piece again. Committed is not durable: the flusher syncs up to it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/file.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "store/layout.h"
#include "store/positions.h"
#include "store/store_options.h"
#include "store/transient_pool.h"

namespace mq::store {

class PoolCommitter {
 public:
  PoolCommitter(const StoreOptions& options, Positions& positions, std::unique_ptr<TransientPoolReader> pool,
                PhysicalOffset committed, FileOps& file_ops);

  // Whether to commit now: a reader or a held send waits, the file is full, or interval and pages say so.
  bool Due(int64_t now_ms);
  // Copies one piece; true when `committed` has grown. An error has changed nothing that is published.
  Result<bool> Step(int64_t now_ms);
  bool under_way() const { return copied_ < target_.wrote.value(); }
  // Everything written so far, or what can be done in that time: whole pieces.
  Status CommitFor(int64_t at_most_ms);

  // With the store time of a record below it.
  WrittenPosition committed() const { return committed_; }

 private:
  Status CopyPiece(int64_t to);

  const StoreOptions& options_;
  StoreLayout layout_;
  const BrokerPage& broker_;
  FlushdPage& page_;
  FileOps& file_ops_;
  std::unique_ptr<TransientPoolReader> pool_;
  WrittenPosition committed_;
  WrittenPosition target_;  // of the commit that is under way
  int64_t copied_;          // in the file, not all of it published
  UniqueFd file_;
  int64_t file_start_ = -1;
  int64_t last_look_ms_ = 0;
  int64_t last_commit_ms_ = 0;
};

}  // namespace mq::store
