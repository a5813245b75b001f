// The two clocks. Wall time is what RocketMQ stores (milliseconds since 1970 UTC) and may step; durations and
// deadlines use monotonic time only.
#pragma once

#include <cstdint>

namespace mq {

int64_t NowMs();
int64_t MonotonicNs();
inline int64_t MonotonicMs() { return MonotonicNs() / 1000000; }

}  // namespace mq
