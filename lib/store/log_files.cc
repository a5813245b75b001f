#include "store/log_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "base/file.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "store/log_tail.h"
#include "store/mapped_file.h"
#include "store/record.h"

namespace mq::store {

namespace {

constexpr const char* kPutBack =
    "put the file back from a copy; to go on without them, remove checkpoint and mq/dispatched";

class LogFilesCheck {
 public:
  LogFilesCheck(const StoreOptions& options, PhysicalOffset durable, RecoverMode mode, std::vector<FileEntry>& files)
      : options_(options), layout_(options.layout()), durable_(durable), mode_(mode), files_(files) {}

  Result<PhysicalOffset> Run() {
    MQ_TRY(RefuseOtherSize());
    MQ_TRY(CheckEach());
    // Nothing to map, and nothing in it: a plan goes on without it.
    if (files_.back().bytes == 0) files_.pop_back();
    if (!files_.empty()) MQ_TRY(RefuseMissingEnd());
    return torn_end_;
  }

 private:
  int64_t file_bytes() const { return options_.commit_log_file_bytes; }
  std::string PathOf(const FileEntry& file) const { return layout_.CommitLogFile(PhysicalOffset(file.start)); }

  // Files that agree with one another alone: the store was made with another size.
  Status RefuseOtherSize() const {
    const FileEntry& first = files_.front();
    if (first.bytes == file_bytes() || first.bytes == 0 || first.bytes % kPageBytes != 0) return Ok();
    for (size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].start != first.start + static_cast<int64_t>(i) * first.bytes) return Ok();
      if (files_[i].bytes != first.bytes && i + 1 < files_.size()) return Ok();
    }
    const std::string size = std::to_string(first.bytes);
    return MakeError(ErrorCode::kCorruption, "the commit log files in " + layout_.CommitLogDir() + " have " + size +
                                                 " bytes; mappedFileSizeCommitLog is " + std::to_string(file_bytes()))
        .WithHint("set mappedFileSizeCommitLog=" + size + ", the size the store was made with" +
                  (files_.size() == 1 && first.bytes < file_bytes() ? "; " + IfCut(PathOf(first)) : ""));
  }

  // With zeros where the rest of the file was, what is whole is served, and they are damage like any other.
  std::string IfCut(const std::string& path) const {
    return "if the file was cut, put it back from a copy; without one this serves what is whole and tells the rest as "
           "damage: truncate -s " +
           std::to_string(file_bytes()) + " " + path;
  }

  // Contiguous, all of the configured size. The last one may be shorter after a crash: it gets its size back. A store
  // made with another file size is refused, not stretched.
  Status CheckEach() {
    for (size_t i = 0; i < files_.size(); ++i) {
      FileEntry& file = files_[i];
      const std::string path = PathOf(file);
      if (file.start != files_.front().start + static_cast<int64_t>(i) * file_bytes() ||
          file.start % file_bytes() != 0) {
        return MakeError(ErrorCode::kCorruption, path + ": files of " + std::to_string(file_bytes()) +
                                                     " bytes do not follow one another up to here");
      }
      if (file.bytes == file_bytes()) continue;
      const bool last = i + 1 == files_.size();
      const bool torn = file.bytes == 0 || file.bytes % kPageBytes != 0 || files_.size() > 1;
      if (!last || !torn || file.bytes > file_bytes()) {
        return MakeError(ErrorCode::kCorruption, path + " has " + std::to_string(file.bytes) +
                                                     " bytes; mappedFileSizeCommitLog is " +
                                                     std::to_string(file_bytes()))
            .WithHint(file.bytes < file_bytes()
                          ? IfCut(path)
                          : "put the file back from a copy; mq-storedump --verify says what is in it");
      }
      MQ_TRY(RestoreSize(path, file));
    }
    return Ok();
  }

  Status RestoreSize(const std::string& path, FileEntry& file) {
    if (mode_ == RecoverMode::kLookOnly) {
      return MakeError(ErrorCode::kCorruption, path + " is too short; start the broker to repair it");
    }
    // A crash leaves no empty file where durable records were: somebody cut it.
    if (file.bytes == 0 && durable_.value() > file.start) {
      return MakeError(ErrorCode::kCorruption, path + " is empty, and its records up to position " +
                                                   std::to_string(durable_.value()) + " were durable")
          .WithHint(kPutBack);
    }
    torn_end_ = PhysicalOffset(file.start + file.bytes);
    if (mode_ == RecoverMode::kPlan) return Ok();
    log::Warn("store.recover", "the last file was too short: filled up with zeros")
        .Field("file", path)
        .Field("bytes", file.bytes);
    // First: filled up, a record that was cut in its properties would look whole.
    MQ_ASSIGN(const int64_t whole, WholeBytes(path, file));
    MQ_TRY(ZeroTail(path, whole));
    MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDWR | O_CLOEXEC));
    if (::ftruncate(fd.get(), file_bytes()) != 0 || ::fsync(fd.get()) != 0) {
      return ErrnoError(ErrorCode::kIo, "size " + path);
    }
    file.bytes = file_bytes();
    return Ok();
  }

  // Up to the end of its last whole record, or all of it behind the head of a blank.
  Result<int64_t> WholeBytes(const std::string& path, const FileEntry& file) const {
    if (file.bytes == 0) return 0;
    MQ_ASSIGN(const auto mapped, MappedFile::OpenReadOnly(path, file.start, file.bytes));
    const std::string_view bytes(mapped.data(), static_cast<size_t>(mapped.bytes()));
    const PhysicalOffset start(file.start);
    PhysicalOffset position = start;
    while (position - start < file.bytes) {
      const std::string_view rest = bytes.substr(static_cast<size_t>(position - start));
      const RecordCheck check = CheckRecord(rest, position, protocol::BodyCheck::kSkip);
      if (check.kind != RecordKind::kBad) {
        position += check.bytes;
        continue;
      }
      if (IsBlankUpTo(rest, start + file_bytes() - position)) return file.bytes;
      const auto next = FindNextRecord(bytes, start, position + 1);
      if (!next) break;
      position = *next;
    }
    return position - start;
  }

  // A crash takes no file whose records were durable: somebody did.
  Status RefuseMissingEnd() {
    const int64_t end = files_.back().start + file_bytes();
    if (durable_.value() <= end) return Ok();
    return MakeError(ErrorCode::kCorruption, layout_.CommitLogFile(PhysicalOffset(end)) +
                                                 " is missing, and its records up to position " +
                                                 std::to_string(durable_.value()) + " were durable")
        .WithHint(kPutBack);
  }

  const StoreOptions& options_;
  StoreLayout layout_;
  PhysicalOffset durable_;
  RecoverMode mode_;
  std::vector<FileEntry>& files_;
  PhysicalOffset torn_end_;
};

}  // namespace

Result<PhysicalOffset> CheckLogFiles(const StoreOptions& options, PhysicalOffset durable, RecoverMode mode,
                                     std::vector<FileEntry>& files) {
  return LogFilesCheck(options, durable, mode, files).Run();
}

}  // namespace mq::store
