// Looks at every entry of one index file and puts right what a kill may have left half done: the slots and the header,
// which both follow from the entries. Used by CheckIndex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/index_file.h"
#include "store/mapped_file.h"

namespace mq::store {

class IndexScan {
 public:
  // The file must exist with the size that the options say; kNotFound or kCorruption otherwise.
  static Result<IndexScan> Open(const StoreOptions& options, const std::string& path);

  const IndexHeader& header() const { return header_; }
  IndexEntry Entry(int32_t number) const { return view_.LoadEntry(number); }

  // How many entry numbers (the unused 0 included) up to `count` form a sound file: positions that do not fall and
  // stay below `log_end`, and chains that lead to the entries before.
  int32_t SoundCount(int32_t count, PhysicalOffset log_end);
  // Whether no slot leads beyond the header's count: no put was cut short.
  bool SlotsWithinCount() const;

  // Makes the file one of exactly `count` entries: slots as SoundCount(count) found them, `header`'s times and
  // positions, and with `zero_rest` nothing but zeros behind the last entry.
  Status Repair(int32_t count, IndexHeader header, bool zero_rest);

  // Whether the record that the entry speaks of lies in the log and has a key of that hash.
  Result<bool> AgreesWithLog(int32_t number, LogReader& log) const;

 private:
  explicit IndexScan(MappedFile file, const StoreOptions& options);

  MappedFile file_;
  IndexView view_;
  IndexHeader header_;
  std::vector<int32_t> slots_;  // as they follow from the entries
  int32_t slots_used_ = 0;
};

}  // namespace mq::store
