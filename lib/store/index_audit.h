// IndexAudit: looks into the index files that are not being written to, one after the other in small steps beside the
// work, and puts right or makes anew those that were damaged. Owned by IndexFollower.
//
// A file that was whole when the daemons stopped may have been damaged since; every entry of it is looked at once in a
// life of the store before "there is no such message" is believed. Oldest first: a file that is made anew goes on where
// the one before it ends.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/index_file_check.h"
#include "store/index_remake.h"
#include "store/index_writer.h"
#include "store/store_options.h"

namespace mq::store {

class IndexAudit {
 public:
  // Files of `writer`, which stays the one that knows them.
  IndexAudit(const StoreOptions& options, LogReader& log, IndexWriter& writer, std::vector<std::string> names)
      : options_(options), layout_(options.root), log_(log), writer_(writer), names_(names.begin(), names.end()) {}

  // How many files are left, the one under way included.
  size_t left() const { return names_.size(); }
  // Does some of it. After an error the file is begun anew with the next step.
  Status Step(int64_t budget);

  // Names of the files found damaged since the last call.
  std::vector<std::string> TakeDamaged() { return std::exchange(damaged_, {}); }
  // Whether what the writer knows of the files has changed since the last call: the marker is to say it.
  bool TakeChanged() { return std::exchange(changed_, false); }

 private:
  Result<bool> StepFile(const MarkedIndexFile& file, int64_t& budget);
  Result<bool> StepRemake(const MarkedIndexFile& file, int64_t& budget);
  Status Remove(const std::string& name);
  void Damaged(const std::string& name, const char* what);

  const StoreOptions options_;
  StoreLayout layout_;
  LogReader& log_;
  IndexWriter& writer_;
  std::deque<std::string> names_;  // left, the oldest first
  std::optional<IndexFileCheck> check_;
  std::optional<IndexRemake> remake_;
  bool named_ = false;  // the file at hand was named as damaged
  std::vector<std::string> damaged_;
  bool changed_ = false;
};

}  // namespace mq::store
