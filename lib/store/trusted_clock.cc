#include "store/trusted_clock.h"

#include "base/log.h"
#include "base/time_text.h"

namespace mq::store {

int64_t TrustedClock::Advance(int64_t monotonic_ms, int64_t wall_ms) {
  const int64_t expected = trusted_ms_ + (monotonic_ms_ ? monotonic_ms - *monotonic_ms_ : 0);
  monotonic_ms_ = monotonic_ms;
  const bool ahead = trusted_ms_ > 0 && wall_ms > expected + kStepMs;
  if (ahead && !ahead_since_ms_) {
    ahead_since_ms_ = monotonic_ms;
    log::Warn("store.clean",
              "the clock is far ahead of the store: no file expires by it before it has been so for an hour")
        .Field("clock", FormatTime(wall_ms))
        .Field("store", FormatTime(expected));
  }
  if (ahead && monotonic_ms - *ahead_since_ms_ < kSettleMs) {
    trusted_ms_ = expected;
    return trusted_ms_;
  }
  if (ahead_since_ms_) {
    log::Info("store.clean", "the clock is believed").Field("clock", FormatTime(wall_ms));
    ahead_since_ms_.reset();
  }
  trusted_ms_ = wall_ms;
  return trusted_ms_;
}

}  // namespace mq::store
