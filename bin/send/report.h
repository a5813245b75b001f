// The report of mq-send: one tab-separated line a record, and its use for --resume.
//
//   record number from 1 | stored or failed | message id | broker | queue | offset | reason
//
// A field that is not known is empty. Lines are in the order of the outcomes. A line is in the file before the run
// ends; it is not synced, a lost one costs a second copy of a message, never a message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace mq::send {

// The records that a report says are stored.
class StoredRecords {
 public:
  // A torn last line is passed over; any other line that is no report line is an error that names it.
  static Result<StoredRecords> Read(const std::string& path);
  bool Contains(std::uint64_t number) const;
  std::uint64_t count() const { return count_; }

 private:
  void Add(std::uint64_t number);

  std::vector<std::uint64_t> dense_;  // a bit for each number: they come from a count, so they are dense
  std::unordered_set<std::uint64_t> sparse_;
  std::uint64_t count_ = 0;
};

struct ReportLine {
  std::uint64_t number = 0;
  bool stored = false;
  std::string_view message_id;
  std::string_view broker;
  std::int64_t queue = -1;
  std::int64_t offset = -1;
  std::string_view reason;
};

class ReportFile {
 public:
  // `append`: keep what is there (the same file is resumed from); otherwise the file begins empty.
  static Result<ReportFile> Open(const std::string& path, bool append);
  void Add(const ReportLine& line);
  // Writes what was added since the last time.
  Status Flush();

 private:
  ReportFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  UniqueFd fd_;
  std::string path_;
  std::string pending_;
};

}  // namespace mq::send
