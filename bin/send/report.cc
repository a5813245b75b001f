#include "send/report.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/strings.h"

namespace mq::send {
namespace {

// Record numbers far beyond what could have been counted are kept apart, so that a damaged file cannot ask for memory.
constexpr std::uint64_t kMaxDense = std::uint64_t{1} << 32;

// A field must not break the line: tabs, newlines and other controls become blanks.
void AppendField(std::string& out, std::string_view text) {
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
}

}  // namespace

void StoredRecords::Add(std::uint64_t number) {
  if (Contains(number)) return;
  ++count_;
  if (number >= kMaxDense || (number > 64 * (count_ + 1024))) {
    sparse_.insert(number);
    return;
  }
  if (number / 64 >= dense_.size()) dense_.resize(number / 64 + 1);
  dense_[number / 64] |= std::uint64_t{1} << (number % 64);
}

bool StoredRecords::Contains(std::uint64_t number) const {
  const bool dense = number / 64 < dense_.size() && (dense_[number / 64] >> (number % 64) & 1) != 0;
  return dense || sparse_.contains(number);
}

Result<StoredRecords> StoredRecords::Read(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text) {
    Error error = std::move(text).error();
    error.code = ErrorCode::kIo;
    return error;
  }
  StoredRecords records;
  std::string_view rest = *text;
  for (std::uint64_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // torn
    const std::vector<std::string_view> fields = Split(rest.substr(0, end), '\t');
    rest.remove_prefix(end + 1);
    const Result<std::int64_t> number = ParseInt64(fields.front());
    if (!number || *number < 1 || fields.size() < 2 || (fields[1] != "stored" && fields[1] != "failed")) {
      return MakeError(ErrorCode::kConfig, path + ":" + std::to_string(line) + ": not a line of a report");
    }
    if (fields[1] == "stored") records.Add(static_cast<std::uint64_t>(*number));
  }
  return records;
}

Result<ReportFile> ReportFile::Open(const std::string& path, bool append) {
  auto opened = OpenFile(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (append ? 0 : O_TRUNC), 0644);
  if (!opened) {
    opened.error().code = ErrorCode::kIo;
    return std::move(opened).error();
  }
  ReportFile report(std::move(*opened), path);
  // A torn last line of an earlier run is cut off, so that it spoils no line of this one.
  const off_t size = ::lseek(report.fd_.get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && ::pread(report.fd_.get(), &last, 1, size - 1) == 1 && last != '\n') {
    MQ_ASSIGN(const std::string text, ReadFile(path));
    const std::size_t newline = text.rfind('\n');
    const std::size_t keep = newline == std::string::npos ? 0 : newline + 1;
    if (::ftruncate(report.fd_.get(), static_cast<off_t>(keep)) != 0) {
      return ErrnoError(ErrorCode::kIo, "cut the torn last line of " + path);
    }
  }
  return report;
}

void ReportFile::Add(const ReportLine& line) {
  pending_ += std::to_string(line.number);
  pending_ += line.stored ? "\tstored\t" : "\tfailed\t";
  AppendField(pending_, line.message_id);
  pending_ += '\t';
  AppendField(pending_, line.broker);
  pending_ += '\t';
  if (line.queue >= 0) pending_ += std::to_string(line.queue);
  pending_ += '\t';
  if (line.offset >= 0) pending_ += std::to_string(line.offset);
  pending_ += '\t';
  AppendField(pending_, line.reason);
  pending_ += '\n';
}

Status ReportFile::Flush() {
  if (pending_.empty()) return Ok();
  const Status written = WriteAll(fd_.get(), pending_, path_);
  pending_.clear();
  return written;
}

}  // namespace mq::send
