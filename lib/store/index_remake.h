// IndexRemake: puts the keys of an index file anew, in its place, from the records of the log between its first and its
// last one. Used by IndexAudit for a damaged file that others follow; steps of a few milliseconds.
//
// Name, size and neighbours stay. While it runs the file holds a part of its keys: who asks for one must be told to
// come again (ReputdPage::index_unsure). A kill in between leaves a file that the next check finds damaged.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/index_writer.h"
#include "store/log_walk.h"
#include "store/store_options.h"

namespace mq::store {

class IndexRemake {
 public:
  // Empties `file`, whose header is the marker's. `before`: the sound file in front of it; null when there is none.
  static Result<IndexRemake> Start(const StoreOptions& options, LogReader& log, const MarkedIndexFile* before,
                                   const MarkedIndexFile& file);

  // Takes what it does (entries, more or less) off the budget. True when the file is whole and durable.
  Result<bool> Step(int64_t& budget);
  // With one entry number in use: no record of it is left, and it should be removed.
  const MarkedIndexFile& file() const { return writer_->files().back(); }

 private:
  IndexRemake() = default;

  LogReader* log_ = nullptr;
  std::unique_ptr<IndexWriter> writer_;
  std::unique_ptr<LogWalk> walk_;
  PhysicalOffset last_;  // record of the file
};

}  // namespace mq::store
