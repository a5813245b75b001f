// TrustedClock: the time by which the age of files is judged.
//
// A wall clock that is wrong for a minute must not wipe a store. So a step of more than an hour ahead, while we run or
// against the newest trace that the store itself has of the time, is believed only after it has lasted for an hour;
// until then time goes on from where it was. A step back is believed at once: files only look younger. Used by the log
// cleaner.
#pragma once

#include <cstdint>
#include <optional>

namespace mq::store {

class TrustedClock {
 public:
  static constexpr int64_t kStepMs = 3600 * 1000;
  static constexpr int64_t kSettleMs = 3600 * 1000;

  // `trace_ms`: a wall time that is known to be over, 0 when there is none.
  explicit TrustedClock(int64_t trace_ms) : trusted_ms_(trace_ms) {}

  // The wall time to go by. Both arguments are milliseconds; `monotonic_ms` never steps.
  int64_t Advance(int64_t monotonic_ms, int64_t wall_ms);
  // The wall clock is ahead of what is believed.
  bool doubts() const { return ahead_since_ms_.has_value(); }

 private:
  int64_t trusted_ms_;
  std::optional<int64_t> monotonic_ms_;
  std::optional<int64_t> ahead_since_ms_;  // monotonic
};

}  // namespace mq::store
