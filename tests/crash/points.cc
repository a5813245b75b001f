// KIND=points: a process dies at each kill point (base/kill_point.h), the first and the third time it is passed; then
// all go down, with or without the power, and come back. A point that is never passed is a failure of the run.
#include <cstdio>

#include "base/clock.h"
#include "base/kill_point.h"
#include "lab.h"

namespace mq::crash {

namespace {

constexpr int64_t kPatienceMs = 20000;

struct PointName {
  const char* name;
  const char* what;
};
constexpr PointName kPoints[] = {
#define MQ_KILL_POINT_ROW(name, what) {#name, what},
    MQ_KILL_POINTS(MQ_KILL_POINT_ROW)
#undef MQ_KILL_POINT_ROW
};

// What a store must have for the point to be passed.
StoreKind KindFor(KillPoint point) {
  switch (point) {
    case KillPoint::kPoolCopied:
    case KillPoint::kCommittedPublished:
    case KillPoint::kLeftPoolFound:
    case KillPoint::kLeftPoolPartlyCopied:
    case KillPoint::kLeftPoolCommitted:
    case KillPoint::kPoolForgotten:
    case KillPoint::kPoolNamed:
    case KillPoint::kPoolMade:
      return StoreKind::kPool;
    case KillPoint::kMinPublished:
    case KillPoint::kLogFileRemoved:
    case KillPoint::kLogFileGone:
    case KillPoint::kQueueFileTrimmed:
    case KillPoint::kQueuesTrimmed:
    case KillPoint::kIndexFileTrimmed:
    case KillPoint::kTrimUnpublished:
      return StoreKind::kExpiry;
    default:
      return StoreKind::kAny;
  }
}

// Lives of the store, each ended in its own way, until one process has died at the point.
Status Provoke(Lab& lab) {
  const int64_t deadline = MonotonicMs() + kPatienceMs;
  while (!lab.Fired()) {
    if (MonotonicMs() > deadline) return MakeError(ErrorCode::kNotFound, "the point was never passed");
    MQ_ASSIGN(const StartOutcome started, lab.Start());
    if (started == StartOutcome::kDiedAtPoint) return Ok();
    MQ_TRY(lab.Work(20));
    if (lab.Fired()) return Ok();
    if (Percent(lab.random(), 50)) {
      MQ_ASSIGN(const bool stopped, lab.Stop());
      if (!stopped) return Ok();
    } else {
      MQ_TRY(lab.Crash(Percent(lab.random(), 50)));
    }
  }
  return Ok();
}

Status AfterDeath(Lab& lab, bool power) {
  // Where only a helper has died the broker may go on and stop cleanly.
  if (lab.broker_alive() && !power) {
    MQ_TRY(lab.Work(20));
    MQ_ASSIGN(const bool stopped, lab.Stop());
    if (!stopped) MQ_TRY(lab.Crash(power));
  } else {
    MQ_TRY(lab.Crash(power));
  }
  lab.Disarm();
  MQ_TRY(lab.Start());
  MQ_TRY(lab.Work(10));
  MQ_TRY(lab.Stop());
  return Ok();
}

Status TryPoint(Lab& lab, int point, int time, bool power) {
  MQ_TRY(lab.NewStore(KindFor(static_cast<KillPoint>(point))));
  lab.Arm(point, time);
  MQ_TRY(Provoke(lab));
  return AfterDeath(lab, power);
}

}  // namespace

bool RunPoints(const LabOptions& options) {
  auto lab = Lab::Create(options);
  if (!lab) {
    std::printf("points: %s\n", lab.error().what.c_str());
    return false;
  }
  const int64_t began = MonotonicMs();
  int tried = 0;
  // Round 0: the first time, with the power; round 1: the third time, without; and so on.
  for (uint64_t round = 0; round < options.rounds; ++round) {
    for (size_t point = 0; point < std::size(kPoints); ++point) {
      const int time = round % 2 == 0 ? 1 : 3;
      const bool power = (point + round) % 2 == 0;
      ++tried;
      const Status done = TryPoint(**lab, static_cast<int>(point), time, power);
      if (done) continue;
      std::printf("points: %s (%s), time %d, %s power, %s: BAD: %s\n%s\nkept: %s\n", kPoints[point].name,
                  kPoints[point].what, time, power ? "with the" : "without", (*lab)->Describe().c_str(),
                  done.error().what.c_str(), (*lab)->LogTail().c_str(), options.base.c_str());
      return false;
    }
  }
  std::printf("points: %d deaths at %zu points without a loss in %.1f s\n", tried, std::size(kPoints),
              static_cast<double>(MonotonicMs() - began) / 1000);
  return true;
}

}  // namespace mq::crash
