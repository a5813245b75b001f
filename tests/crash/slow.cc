// The preloaded pause: works in unchanged daemons (LD_PRELOAD) and makes each of them wait at one kill point, every
// time it is passed. So what the others see in that moment, which is otherwise over in no time, is seen for long.
//
// MQ_CRASH_SLOW=POINT:MICROSECONDS, a KillPoint by its number; nothing without it. Built without libraries of ours.
#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "shadow.h"

namespace {

struct Pause {
  int point = mq::crash::kNoPoint;
  long microseconds = 0;
  Pause() {
    const char* const text = std::getenv(mq::crash::kSlowVariable);
    if (text != nullptr && std::sscanf(text, "%d:%ld", &point, &microseconds) != 2) point = mq::crash::kNoPoint;
  }
};
const Pause pause_at;

}  // namespace

extern "C" void mq_kill_point(int point) {
  if (point != pause_at.point) return;
  const timespec pause{pause_at.microseconds / 1000000, pause_at.microseconds % 1000000 * 1000};
  ::ppoll(nullptr, 0, &pause, nullptr);
}
