// DumpFile: one file of a store, read for mq-storedump, whoever else writes, cuts or removes it meanwhile.
//
// Read with pread into a window and never mapped: a file that is cut while it is read is an error with the byte that
// was reached, where a mapping would be a SIGBUS. Memory stays bounded by the window. Feeds dump_log, dump_queue and
// dump_index. Not for several threads; nothing here writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "store/layout.h"

namespace mq::store {

class DumpFile {
 public:
  static constexpr int64_t kWindowBytes = 1 << 20;

  DumpFile() = default;
  // kNotFound when the file does not exist.
  static Result<DumpFile> Open(const std::string& path, int64_t window_bytes = kWindowBytes);

  bool valid() const { return fd_.valid(); }
  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // when it was opened

  // Bytes [offset, offset + size), which must lie below bytes(). The view is valid until the next call. kCorruption
  // when the file has been cut since.
  Result<std::string_view> Read(int64_t offset, int64_t size);
  // From `offset` on as much as is at hand, at least one byte; empty at bytes().
  Result<std::string_view> ReadSome(int64_t offset);
  // The first byte at or behind `offset` that may not be zero: holes are known without reading them.
  int64_t DataFrom(int64_t offset) const;
  // What is read next is read from the file again.
  void Forget() { window_.clear(); }

 private:
  Status Fill(int64_t offset, int64_t size);
  bool Holds(int64_t offset, int64_t size) const {
    return offset >= window_start_ && offset + size <= window_start_ + static_cast<int64_t>(window_.size());
  }

  UniqueFd fd_;
  std::string path_;
  int64_t bytes_ = 0;
  int64_t window_bytes_ = kWindowBytes;
  int64_t window_start_ = 0;
  std::string window_;
};

// What lies in a folder, in order of names. `kind` is empty for a file and says what else it is: "a folder", "a link
// that leads nowhere". A folder that is missing has nothing in it.
struct FoundFile {
  std::string name;
  std::string_view kind;
  int64_t bytes = 0;
};
Result<std::vector<FoundFile>> ListFound(const std::string& directory);
// The mapped files among them, as ListMappedFiles; what has such a name but is no file does not stop anything here.
Result<std::vector<FileEntry>> ListDumpFiles(const std::string& directory);
// The size that most have, the largest of these; 0 when there is none above 0.
int64_t UsualSize(const std::vector<int64_t>& sizes);
// What an error about a file says, without its path in front.
std::string WithoutPath(std::string_view what, std::string_view path);

// Whether all bytes are zero.
bool IsZero(std::string_view bytes);

}  // namespace mq::store
