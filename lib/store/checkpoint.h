// checkpoint: what is durable, as RocketMQ's three times and as a position. Written by mq-flushd alone, read at boot.
//
//   0   i64 physic   every log byte up to the last record stored at or before it is durable
//   8   i64 logics   the same for the consume queues
//   16  i64 index    the same for the index files
//   64  i64 flushed  every log byte below it is durable: records of one millisecond have one time, but not one position
//   72  i64 proof    the time of byte 0 xor the complement of the position: when it does not fit, a broker has written
//                    that knows the three times alone, or the file is damaged, and the position is not believed
//   80  i64 min      where the log's first file starts: what lay below it was removed by this broker
//   88  i64 proof    the same of it
//   4096 bytes in all; what lies between (5.x) and behind is kept as found
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "store/types.h"

namespace mq::store {

inline constexpr int64_t kCheckpointBytes = 4096;
inline constexpr size_t kCheckpointTimesBytes = 24;  // RocketMQ's part
inline constexpr int64_t kFlushedByte = 64;          // where the position lies
inline constexpr int64_t kLogMinByte = 80;           // and where the log began

struct Checkpoint {
  int64_t physic_timestamp = 0;
  int64_t logics_timestamp = 0;
  int64_t index_timestamp = 0;
  PhysicalOffset flushed;  // 0: not known
  // A position and its proof were written with this time. Not so: by a broker that knows the times alone, or damaged.
  bool proved = true;
  PhysicalOffset log_min{-1};  // -1: not known
  // By a broker that knows the times alone: they make sense.
  bool foreign() const { return !proved && physic_timestamp >= 0 && logics_timestamp >= 0; }
  bool operator==(const Checkpoint&) const = default;
};

// From the file's bytes: the three times at least, 24 of them. A position without its proof is 0.
Checkpoint DecodeCheckpoint(std::string_view bytes);

// Nothing for a missing or short file, and for one of zeros: none of them says whether anything is durable. One of ours
// that knows of nothing durable yet is proved.
Result<std::optional<Checkpoint>> ReadCheckpoint(const std::string& path);

class CheckpointFile {
 public:
  // Makes the file (4096 bytes, durable name) where missing or short; keeps other bytes.
  static Result<CheckpointFile> Open(const std::string& path);
  // Durable when it returns, with its proof. Skips the write when nothing changed.
  Status Write(Checkpoint checkpoint);
  // The same for whoever starts after killed processes, durable with the next Write: what it says must be so already.
  Status Note(Checkpoint checkpoint);
  const Checkpoint& current() const { return current_; }

 private:
  CheckpointFile() = default;
  std::string path_;
  UniqueFd fd_;
  std::string head_;  // the bytes that have a meaning, as they are in the file
  Checkpoint current_;
  bool unsynced_ = false;
};

}  // namespace mq::store
