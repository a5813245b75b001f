// RecordSearch: what recovery asks of the log's files where no record leads to the next one. Reads alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/layout.h"
#include "store/store_options.h"
#include "store/types.h"

namespace mq::store {

class RecordSearch {
 public:
  // `files` are those of the log, contiguous and in order; they may change as long as nothing else is called.
  RecordSearch(const StoreOptions& options, const std::vector<FileEntry>& files)
      : layout_(options.layout()), file_bytes_(options.commit_log_file_bytes), files_(files) {}

  std::string PathOf(const FileEntry& file) const { return layout_.CommitLogFile(PhysicalOffset(file.start)); }
  // `position` must lie in one of them.
  const FileEntry& FileOf(PhysicalOffset position) const { return files_[IndexOf(position)]; }
  bool AtEnd(PhysicalOffset position) const { return position.value() >= files_.back().start + file_bytes_; }

  // Store time of a file's first record; nothing when it does not start with one.
  Result<std::optional<int64_t>> FirstStoreTime(const FileEntry& file) const;
  // The next whole record at or behind `from`, in this or a later file.
  Result<std::optional<PhysicalOffset>> NextRecord(PhysicalOffset from) const;
  // Of the whole record at `position`.
  Result<int64_t> StoreTimeAt(PhysicalOffset position) const;
  // Whole records from the one at `from` to the end of the files, across what is damaged.
  Result<int64_t> CountRecords(PhysicalOffset from) const;

 private:
  size_t IndexOf(PhysicalOffset position) const {
    return static_cast<size_t>((position.value() - files_.front().start) / file_bytes_);
  }

  StoreLayout layout_;
  int64_t file_bytes_;
  const std::vector<FileEntry>& files_;
};

}  // namespace mq::store
