// QueueWriter: the one writer of a consume queue; owned by QueueWriters in mq-reputd.
//
// Entries are addressed by queue offset, so writing the same record twice gives the same bytes: replay
// after any kill is harmless. Gaps in numbering are filled with pre-blank entries, so that entry i always
// belongs to queue offset i. Files appear at full size (unnamed, sized, linked); blocks are allocated
// before they are written through the map. *Durable* only after Sync. Spec: mq-store(5), "Consume queue".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/dispatched_marker.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/queue_entry.h"
#include "store/queue_table.h"
#include "store/store_options.h"

namespace mq::store {

// What went wrong with the numbering of records, counted over all queues.
struct QueueAnomalies {
  uint64_t gaps = 0;       // filled with pre-blank entries
  uint64_t conflicts = 0;  // another record already has that queue offset: no entry
  uint64_t jumps = 0;      // beyond kMaxGapEntries: no entry, unless the next one follows it
};

// A queue whose files are kept.
struct KeptQueue {
  MarkedQueue marked;
  PhysicalOffset derived;  // what its records below this give is in the files
};

class QueueWriter {
 public:
  // `start`: where the queue ends; nothing for a queue that is written from its first record on (what
  // its directory holds is then overwritten).
  QueueWriter(const StoreOptions& options, QueueName name, std::optional<KeptQueue> start);

  // Writes the entry at `offset`; above the end: the gap is filled first; below it: normally already built, and nothing
  // changes. A record whose offset is damaged must not cost those their entries that are right: one that it overtook
  // gets its place back. Records that come again for another queue's sake do nothing here: what was derived of them may
  // be of a former life of the topic, and not in the files.
  Status Put(QueueOffset offset, const QueueEntry& entry, QueueAnomalies& anomalies);
  // Numbers below `end` were given to records that are lost: empty entries up to there, if there are fewer. Not where
  // the queue has begun again at or behind `known_at`.
  Status KeepNumbers(QueueOffset end, PhysicalOffset known_at, QueueAnomalies& anomalies);
  // Durable up to the present end.
  Status Sync();
  // Removes files none of whose records is at or behind `log_min`, oldest first; never the last one, and none in doubt:
  // a damaged entry takes no other one with it. True when some have gone, durably.
  Result<bool> Trim(PhysicalOffset log_min);
  int64_t dirty_bytes() const { return end_bytes() - dirty_from_; }
  // Starts to write what Sync would write, without waiting for it.
  void StartWriting() const;
  // Nothing before the first entry.
  std::optional<MarkedQueue> marked() const;
  const QueueName& name() const { return name_; }

 private:
  int64_t end_bytes() const { return end_.value() * kQueueEntryBytes; }
  Status StartAt(QueueOffset offset);
  Status FillGap(QueueOffset offset, QueueAnomalies& anomalies);
  Status PutBelowEnd(QueueOffset offset, const QueueEntry& entry, QueueAnomalies& anomalies);
  Status Believe(const PendingRecord& record, PhysicalOffset confirmed_at, QueueAnomalies& anomalies);
  Status StartAgain(QueueOffset offset, const QueueEntry& entry, PhysicalOffset shown_at, const char* why);
  Result<MappedFile*> WrittenFile(int64_t position);
  Result<bool> HasOvertaken(const QueueEntry& entry, int64_t position);
  Status OpenFileFor(int64_t position);
  Status CreateFile(int64_t start);
  Status AppendEntry(const QueueEntry& entry);
  Status AllocateAhead(int64_t position_in_file);

  const StoreOptions& options_;
  QueueName name_;
  std::string directory_;
  std::unique_ptr<MappedFile> file_;
  // Full files that were written since the last sync.
  std::vector<std::unique_ptr<MappedFile>> full_files_;
  std::unique_ptr<MappedFile> below_;  // the earlier file that was looked at last
  int64_t allocated_in_file_ = 0;
  QueueOffset alone_{-1};  // the offset of the only record so far, which may be wrong
  std::optional<PendingRecord> pending_;
  PhysicalOffset began_again_{-1};  // the record that showed it
  PhysicalOffset derived_;          // of KeptQueue
  bool started_ = false;
  int64_t first_ = 0;
  QueueOffset end_;
  int64_t dirty_from_ = 0;
  bool new_names_ = false;
};

}  // namespace mq::store
