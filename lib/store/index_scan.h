// Looks at every entry of one index file and puts right what a kill or damage has left of what follows from the
// entries: the slots and the header. Used by IndexChecker and IndexFileCheck, in steps: a file may have 420 MB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/index_file.h"
#include "store/mapped_file.h"

namespace mq::store {

class IndexScan {
 public:
  // The file must exist with the size that the options say; kNotFound or kCorruption otherwise.
  static Result<IndexScan> Open(const StoreOptions& options, const std::string& path);

  // As it was when opened or repaired.
  const IndexHeader& header() const { return header_; }
  IndexEntry Entry(int32_t number) const { return view_.LoadEntry(number); }

  // Begins to look at the entries below `count` (the unused 0 included). They are sound up to the first one with a
  // position that falls or is not below `log_end`, or that does not lead to the entry before it in its slot. The table
  // of all slots (20 MB for a file of the default size) lives as long as this object.
  void Begin(int32_t count, PhysicalOffset log_end);
  // Looks at as many more as the budget allows, and takes them off it. True when there is none left.
  bool StepEntries(int64_t& budget);
  // One past the last sound entry that was looked at.
  int32_t sound() const { return next_; }
  bool all_sound() const { return next_ == count_; }
  // CRC-32 of the entries [1, count), which must have been looked at: of all sound ones, or up to the mark.
  uint32_t crc() const { return crc_; }
  void MarkCrcAt(int32_t count) { mark_ = count; }
  uint32_t crc_at_mark() const { return crc_at_mark_; }

  // After the entries: compares the slots with what follows from them. True when there is none left.
  bool StepSlots(int64_t& budget);
  // Slots that lead to another entry than the newest; and those that lead beyond the entries looked at, which is
  // what a put leaves that is under way or was cut short.
  int32_t wrong_slots() const { return wrong_slots_; }
  int32_t slots_ahead() const { return slots_ahead_; }
  int32_t slots_used() const { return slots_used_; }

  // Both in one go: the sound entries up to `count`, and whether no slot leads beyond the header's count.
  int32_t SoundCount(int32_t count, PhysicalOffset log_end);
  bool SlotsWithinCount() const;

  // Whether nothing came to the disk of an entry, or of the part of it that lies in one page: what a power cut leaves.
  bool NeverSynced(int32_t number) const;
  // Whether the entries from sound() up to `count` are nothing but those of records behind the log's end, which
  // recovery has cut, or there may never have been any on the disk.
  bool EndsAsACrashLeavesIt(int32_t count) const;
  // Whether the header is `marked`, or one that puts behind it leave, the last of them perhaps cut short.
  bool HeaderMayFollow(const IndexHeader& marked) const;

  // Makes the file one of exactly `count` entries: slots as the look at `count` entries found them, `header`'s times
  // and positions, and with `zero_rest` nothing but zeros behind the last entry. Durable when it returns.
  Status Repair(int32_t count, IndexHeader header, bool zero_rest);
  // The same with positions from the entries, and times from the log where the header's were those of others.
  Status RepairFromEntries(int32_t count, bool zero_rest, LogReader& log);

  // Whether the record that the entry speaks of lies in the log and has a key of that hash.
  Result<bool> AgreesWithLog(int32_t number, LogReader& log) const;

 private:
  explicit IndexScan(MappedFile file, const StoreOptions& options);
  bool IsSound(const IndexEntry& entry) const;
  void ExtendCrc(int32_t from, int32_t to);

  MappedFile file_;
  IndexView view_;
  IndexHeader header_;
  std::vector<int32_t> slots_;  // as they follow from the entries
  int32_t slots_used_ = 0;
  int32_t count_ = 1;
  int32_t next_ = 1;
  bool over_ = true;
  PhysicalOffset last_;
  PhysicalOffset log_end_;
  uint32_t crc_ = 0;
  int32_t mark_ = 1;
  uint32_t crc_at_mark_ = 0;
  int32_t next_slot_ = 0;
  int32_t wrong_slots_ = 0;
  int32_t slots_ahead_ = 0;
};

}  // namespace mq::store
