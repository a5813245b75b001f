// IndexWriter: the one writer of the index files; owned by IndexFollower in mq-reputd.
//
// Keys are put in log order, each record once: the same log gives the same bytes, but for the files' names. A put is
// entry, slot, header; the count comes last, so that a kill in between leaves at most one entry that does not count
// yet. A file appears at full size (unnamed, sized, linked); blocks are allocated before they are written through the
// map. *Durable* only after Sync. Spec: mq-store(5), "Index file".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "protocol/message.h"
#include "store/index_check.h"
#include "store/index_file.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/store_options.h"

namespace mq::store {

class IndexWriter {
 public:
  // Goes on with the files that `start` keeps. Opens nothing yet.
  IndexWriter(const StoreOptions& options, const IndexCheck& start);

  // Puts all keys of a record. After an error (a file cannot be made, the disk is full) the keys put so far stay, and
  // the same record may be put again: it goes on with its first missing key. Records below the last one put are
  // skipped.
  Status Put(const protocol::MessageView& message);

  // Everything put so far is durable.
  Status Sync();
  // The files as they are now, which after Sync is what is durable.
  const std::vector<MarkedIndexFile>& files() const { return files_; }
  // The same, with sums only where they speak of all entries: until Sync they lack what was put.
  std::vector<MarkedIndexFile> SummedFiles() const;
  // Store time of the record last put.
  int64_t last_timestamp() const { return files_.empty() ? 0 : files_.back().header.end_timestamp; }

  // Keys that do not fit below `count` entries of the last file are left out: it is a file in the middle of others that
  // is made anew.
  void StopAt(int32_t count) { stop_at_ = count; }
  bool full() const { return stop_at_ > 0 && files_.back().header.count >= stop_at_; }
  // What is known of one of the files has changed: it was checked or made anew by somebody else. Never the last one.
  void Replace(const MarkedIndexFile& file);
  // The same for one that is no more.
  void Drop(std::string_view name);

  // Removes files all of whose records have expired; never the last one.
  Status Trim(PhysicalOffset log_min);

 private:
  struct OpenFile {
    std::string name;
    MappedFile file;
    IndexView view;
    int64_t allocated = 0;   // blocks exist up to here
    int32_t dirty_from = 1;  // first entry that is not durable yet
  };
  Status PutKey(int32_t hash, const protocol::MessageView& message);
  MarkedIndexFile* Find(std::string_view name);
  Status OpenForPut();
  Status OpenLast();
  Status CreateNext();
  Status AllocateEntry(int32_t number);
  Status SyncFile(OpenFile& open, MarkedIndexFile& file);

  const StoreOptions options_;
  StoreLayout layout_;
  std::vector<MarkedIndexFile> files_;           // the last one is being filled
  std::unique_ptr<OpenFile> open_;               // the last of files_, once something is put
  std::vector<std::unique_ptr<OpenFile>> full_;  // written since the last sync
  bool new_names_ = false;
  int32_t stop_at_ = 0;
  PhysicalOffset last_record_;
  int32_t keys_done_;  // of last_record_
  std::string topic_;  // whose hash is topic_hash_: records come in runs of one topic
  uint32_t topic_hash_ = 0;
};

}  // namespace mq::store
