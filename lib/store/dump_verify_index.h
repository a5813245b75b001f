// Index part of dump_verify: each file by itself first, then fed every record in log order.
//
// Entries lie in the order in which records were filed, so that one pass over them beside the log finds every key
// without walking chains; a pass over each file before it proves that the chains lead to every entry.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/dump_index.h"
#include "store/dump_log.h"
#include "store/dump_verify.h"

namespace mq::store {

class IndexVerifier {
 public:
  IndexVerifier(const VerifyOptions& options, bool unclean, const FaultSink& sink)
      : options_(options), unclean_(unclean), sink_(sink) {}

  // Headers, chains and the order of the files.
  Status Open();
  Status OnRecord(const LogItem& item, PhysicalOffset log_min);
  // Entries behind the last record, and records behind the last entry.
  Status Finish(PhysicalOffset log_end);

 private:
  Status CheckHeader(DumpIndex& index);
  Status CheckChains(DumpIndex& index);
  Status CheckSlots(DumpIndex& index, const std::vector<int32_t>& newest);
  void Say(const DumpIndex& index, int64_t byte, Severity severity, std::string_view rule, std::string text);
  // The entry under the cursor; nothing behind the last file.
  Result<std::optional<IndexEntry>> Current();
  Status Stray(const IndexEntry& entry, std::string_view why);

  const VerifyOptions& options_;
  bool unclean_;
  const FaultSink& sink_;
  std::vector<std::string> paths_;
  int64_t first_offset_ = -1;  // of the oldest entry: records below were filed in files that are gone
  int64_t last_end_offset_ = 0;
  int64_t last_end_time_ = 0;
  uint64_t said_in_file_ = 0;

  // The cursor.
  std::optional<DumpIndex> file_;
  size_t next_path_ = 0;
  int64_t number_ = 1;
  std::vector<int32_t> at_record_;  // hashes filed for the record at hand
  uint64_t unfiled_ = 0;            // records with keys behind the last entry
  PhysicalOffset unfiled_from_;
  uint64_t lost_keys_ = 0;
  uint64_t strays_ = 0;
};

}  // namespace mq::store
