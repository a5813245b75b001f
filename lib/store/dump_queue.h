// DumpQueue: the entries of one consume queue as they lie in its files, for mq-storedump.
//
// No end and no file size need be known; files of a wrong size are read as far as they go. Holds one small block and no
// descriptor, so that all queues of a store can be read side by side while its log is walked. Read by dump_verify.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/layout.h"
#include "store/queue_entry.h"

namespace mq::store {

class DumpQueue {
 public:
  // A queue without a folder has no entries.
  static Result<DumpQueue> Open(const StoreLayout& layout, const QueueName& name);

  // Looks for files that came into being, and reads entries anew.
  Status Refresh();

  const QueueName& name() const { return name_; }
  const std::vector<FileEntry>& files() const { return files_; }
  // Index of the first place, which may be pre-blank or expired.
  int64_t first() const { return files_.empty() ? 0 : files_.front().start / kQueueEntryBytes; }
  // One past the last entry that is written.
  Result<int64_t> End();
  // Nothing when no file holds that index; an entry that is not valid when nothing is written there.
  Result<std::optional<QueueEntry>> Entry(int64_t index);

  std::string PathOf(int64_t index) const;
  int64_t ByteOf(int64_t index) const;

 private:
  const FileEntry* FileOf(int64_t byte) const;
  Status Fill(const FileEntry& file, int64_t byte);

  QueueName name_;
  std::string directory_;
  std::vector<FileEntry> files_;
  std::string block_;
  int64_t block_start_ = 0;  // byte of the file sequence
};

}  // namespace mq::store
