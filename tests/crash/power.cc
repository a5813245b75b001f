// KIND=power: the machine loses its power again and again, while the broker serves, starts, recovers or stops.
#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "lab.h"

namespace mq::crash {

namespace {

constexpr uint64_t kCutsOfAStore = 8;

// One cut (or, now and then, a kill of all) and the recovery after it, itself cut short now and then.
Status Round(Lab& lab) {
  Random& random = lab.random();
  // Half of the strokes come at a step of the code, the others at any time.
  if (Percent(random, 50)) {
    constexpr int kSteps[] = {20, 200, 2000};
    lab.Arm(kAnyPoint, 1 + static_cast<int>(Below(random, static_cast<uint64_t>(kSteps[Below(random, 3)]))));
  } else {
    lab.Disarm();
  }
  MQ_ASSIGN(const StartOutcome started, lab.Start());
  if (started == StartOutcome::kReady) MQ_TRY(lab.Work(static_cast<int64_t>(Below(random, 40))));
  // A clean stop may be what is cut short.
  if (started == StartOutcome::kReady && Percent(random, 15)) {
    MQ_ASSIGN(const bool stopped, lab.Stop());
    if (stopped) {
      // Its files must survive the cut that follows.
      return lab.Crash(true);
    }
  }
  return lab.Crash(!Percent(random, 15));
}

Status FinishStore(Lab& lab) {
  lab.Disarm();
  MQ_TRY(lab.Start());
  MQ_TRY(lab.Work(3));
  MQ_TRY(lab.Stop());
  return Ok();
}

}  // namespace

bool RunPower(const LabOptions& options) {
  auto lab = Lab::Create(options);
  if (!lab) {
    std::printf("power: %s\n", lab.error().what.c_str());
    return false;
  }
  const int64_t began = MonotonicMs();
  CutFigures all;
  uint64_t acknowledged = 0;
  uint64_t lost = 0;
  for (uint64_t round = 0; round < options.rounds; ++round) {
    const bool last = round % kCutsOfAStore == kCutsOfAStore - 1 || round + 1 == options.rounds;
    Status done = round % kCutsOfAStore == 0 ? (*lab)->NewStore() : Ok();
    if (done) done = Round(**lab);
    const CutFigures& cut = (*lab)->cut();
    all.pages_lost += cut.pages_lost;
    all.pages_mixed += cut.pages_mixed;
    all.pages_kept += cut.pages_kept;
    all.names_lost += cut.names_lost;
    all.sizes_lost += cut.sizes_lost;
    if (done && last) {
      done = FinishStore(**lab);
      acknowledged += (*lab)->journal().acknowledged();
      lost += (*lab)->journal().lost_unacknowledged();
    }
    if (!done) {
      std::printf("power: round %llu BAD (%s): %s\n%s\nkept: %s\n", static_cast<unsigned long long>(round),
                  (*lab)->Describe().c_str(), done.error().what.c_str(), (*lab)->LogTail().c_str(),
                  options.base.c_str());
      return false;
    }
  }
  const double seconds = static_cast<double>(MonotonicMs() - began) / 1000;
  std::printf(
      "power: %llu rounds without a loss in %.1f s: %llu acknowledged, %llu that were not flushed are gone; at the "
      "cuts "
      "%lld pages lost, %lld mixed, %lld kept, %lld names and %lld sizes lost\n",
      static_cast<unsigned long long>(options.rounds), seconds, static_cast<unsigned long long>(acknowledged),
      static_cast<unsigned long long>(lost), static_cast<long long>(all.pages_lost),
      static_cast<long long>(all.pages_mixed), static_cast<long long>(all.pages_kept),
      static_cast<long long>(all.names_lost), static_cast<long long>(all.sizes_lost));
  return true;
}

}  // namespace mq::crash
