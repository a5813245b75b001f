// FileMaker: makes the next commit log file in small steps, so that flushing never waits for it.
//
// The file is unnamed (O_TMPFILE) until it is complete: sized, allocated, its first part written with
// zeros (synced blocks of written extents are cheaper to flush than unwritten ones). Zeros are written
// only while it has no name: once it has one, its bytes are the broker's. Owned by the flusher.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace mq::store {

class FileMaker {
 public:
  FileMaker(int64_t file_bytes, int64_t zero_bytes);

  bool busy() const { return fd_.valid(); }
  int64_t start() const { return start_; }

  // Begins the file that starts at `start` in `directory`.
  Status Begin(std::string directory, int64_t start);
  // Writes up to `max_bytes` of zeros; true when there is nothing more to write.
  Result<bool> Write(int64_t max_bytes);
  // Syncs it and gives it its name. An existing file of that name is success: it was made meanwhile.
  Status Finish();
  void Abandon() { fd_.Reset(); }

 private:
  std::string PathOf(int64_t start) const;

  std::string directory_;
  int64_t file_bytes_;
  int64_t zero_bytes_;
  UniqueFd fd_;
  int64_t start_ = 0;
  int64_t written_ = 0;
};

}  // namespace mq::store
