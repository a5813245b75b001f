// checkpoint: three times that say what is durable. Written by mq-flushd alone, read at boot.
//
//   i64 physic  every log byte up to the last record stored at or before it is durable
//   i64 logics  the same for the consume queues
//   i64 index   the same for the index files
//   4096 bytes in all; what 5.x puts behind the three is kept as found
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace mq::store {

inline constexpr int64_t kCheckpointBytes = 4096;

struct Checkpoint {
  int64_t physic_timestamp = 0;
  int64_t logics_timestamp = 0;
  int64_t index_timestamp = 0;
  bool operator==(const Checkpoint&) const = default;
};

// Nothing for a missing, short or all-zero file: all of them mean "nothing is known to be durable".
Result<std::optional<Checkpoint>> ReadCheckpoint(const std::string& path);

class CheckpointFile {
 public:
  // Makes the file (4096 bytes, durable name) where missing or short; keeps other bytes.
  static Result<CheckpointFile> Open(const std::string& path);
  // Durable when it returns. Skips the write when nothing changed.
  Status Write(const Checkpoint& checkpoint);
  const Checkpoint& current() const { return current_; }

 private:
  CheckpointFile() = default;
  std::string path_;
  UniqueFd fd_;
  Checkpoint current_;
};

}  // namespace mq::store
