#include "base/clock.h"

#include <ctime>

namespace mq {
namespace {
int64_t ReadNs(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}
}  // namespace

int64_t NowMs() { return ReadNs(CLOCK_REALTIME) / 1000000; }
int64_t MonotonicNs() { return ReadNs(CLOCK_MONOTONIC); }

}  // namespace mq
