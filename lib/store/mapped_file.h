// MappedFile: one file of the commit log or of a consume queue, mapped whole.
// MappedFileReader: the read-only side of a directory of them, opened on demand by name arithmetic.
//
// Readers hold a pin (FilePin): the mapping lives as long as the longest pin, also after the file was
// unlinked or has left the reader's window. A view never outlives its pin. Files are never shrunk by
// any daemon; a file found shorter than it must be is refused when it is opened.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/mapped_region.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace mq::store {

class MappedFile {
 public:
  // The file must exist with exactly `bytes`. kNotFound when it does not exist, kCorruption for
  // another size.
  static Result<MappedFile> OpenReadOnly(const std::string& path, int64_t start, int64_t bytes);
  static Result<MappedFile> OpenReadWrite(const std::string& path, int64_t start, int64_t bytes);

  MappedFile(MappedFile&&) = default;
  MappedFile& operator=(MappedFile&&) = default;

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  int64_t start() const { return start_; }
  int64_t end() const { return start_ + bytes_; }
  int64_t bytes() const { return bytes_; }
  const char* data() const { return data_; }
  char* mutable_data() { return data_; }

  // Makes bytes [from, to) of the mapping durable (msync of the touched pages).
  Status Sync(int64_t from, int64_t to, FileOps& file_ops = FileOps::Real()) const;
  // The same for all that was written through descriptors (fdatasync).
  Status SyncWritten(FileOps& file_ops = FileOps::Real()) const;
  // Populates the pages [from, to) for writing without changing a byte. Safe beside a writer.
  Status Populate(int64_t from, int64_t to) const;
  // Reads ahead / drops: hints only.
  void WillNeed(int64_t from, int64_t to) const;

 private:
  MappedFile() = default;
  static Result<MappedFile> Open(const std::string& path, int64_t start, int64_t bytes, bool writable);
  Status CheckNotCut() const;

  std::string path_;
  UniqueFd fd_;
  MappedRegion region_;
  char* data_ = nullptr;
  int64_t start_ = 0;
  int64_t bytes_ = 0;
};

using FilePin = std::shared_ptr<const MappedFile>;

// A view and the pin that keeps it mapped.
struct Slice {
  std::string_view bytes;
  FilePin pin;
};

// Creates `directory`/<name of start> with `bytes` of zeros, allocated, in one step: unnamed
// (O_TMPFILE), fallocate, the first `written_bytes` written with zeros, linked under its final name,
// directory synced. An existing file of that name is left alone and is success. Never visible with a
// wrong size. Falls back to a sparse file where the file system cannot allocate.
Status CreateMappedFile(const std::string& directory, int64_t start, int64_t bytes, int64_t written_bytes);

// Not for several threads. Keeps at most `window` files mapped (pins may keep more alive): a full scan
// of a large store stays within a bounded number of page tables.
class MappedFileReader {
 public:
  MappedFileReader(std::string directory, int64_t file_bytes, size_t window);
  // Files that lie in any of several directories.
  MappedFileReader(std::vector<std::string> directories, int64_t file_bytes, size_t window);

  // The file that holds position `offset`.
  Result<FilePin> Get(int64_t offset);
  // Forgets mappings (the directory was removed, or files below `min` were).
  void Forget();
  void ForgetBelow(int64_t min);

  int64_t file_bytes() const { return file_bytes_; }

 private:
  struct Entry {
    FilePin pin;
    uint64_t used = 0;
  };
  Result<MappedFile> Open(int64_t start) const;

  std::vector<std::string> directories_;
  int64_t file_bytes_;
  size_t window_;
  uint64_t clock_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace mq::store
