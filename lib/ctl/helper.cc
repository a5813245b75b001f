#include "ctl/helper.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "loop/process.h"

namespace mq::ctl {

namespace {

// A broker that dies between starting us and our hello leaves us without a connection that could end.
constexpr int64_t kParentCheckMs = 500;
// Its socket is there before we are, so that a broker that is alive takes our connection at once.
constexpr int64_t kConnectMs = 2000;

}  // namespace

Helper::Helper(HelperOptions options, HelperWork& work)
    : options_(std::move(options)),
      work_(work),
      turn_(loop_, [this] { TakeTurn(); }),
      next_turn_(loop_, [this] { TakeTurn(); }),
      parent_check_(loop_, [this] { CheckParent(); }),
      client_(loop_, options_.directory, options_.role, options_.page_version, options_.build, *this) {}

Helper::~Helper() = default;

Result<int> Helper::Run() {
  loop::Signal terminated(loop_, SIGTERM, [this] { Leave(); });
  loop::Signal interrupted(loop_, SIGINT, [this] { Leave(); });
  const auto watchdog = loop::StartWatchdog(loop_);
  if (options_.supervised) {
    parent_ = ::getppid();
    started_ms_ = MonotonicMs();
    parent_check_.Start(kParentCheckMs, kParentCheckMs);
  }
  client_.Start();
  // Ready means waiting for the broker: it may start as soon as we do.
  loop::NotifyReady(options_.ready_fd, options_.ready_text);
  loop_.Run();
  client_.Close();
  StopTurns();
  parent_check_.Stop();
  if (failure_) return *std::move(failure_);
  return EXIT_SUCCESS;
}

void Helper::CheckParent() {
  if (attached_) return;
  // A parent that died before we could look left us to somebody who is no broker: nobody takes our connection.
  const bool nobody_there = !client_.connected() && MonotonicMs() - started_ms_ > kConnectMs;
  const bool orphaned = ::getppid() != parent_ || nobody_there;
  if (orphaned) loop_.Stop();
}

void Helper::TakeTurn() {
  if (!attached_) return;
  const int64_t delay_ms = work_.Turn();
  StopTurns();
  if (delay_ms > 0) return turn_.Start(delay_ms);
  next_turn_.Start();
}

void Helper::StopTurns() {
  turn_.Stop();
  next_turn_.Stop();
}

void Helper::Fail(Error error) {
  failure_ = std::move(error);
  loop_.Stop();
}

void Helper::DetachWork(const char* why) {
  if (!std::exchange(attached_, false)) return;
  StopTurns();
  if (Status finished = work_.Detach(); !finished) {
    log::Err("helper", why).Field("error", finished.error());
    if (!failure_) failure_ = finished.error();
  }
}

void Helper::Leave() {
  loop::NotifyStopping();
  DetachWork("told to leave, but not everything was finished");
  loop_.Stop();
}

void Helper::OnAttached(const Settings& settings, UniqueFd positions, UniqueFd lock) {
  failure_.reset();
  if (Status attached = work_.Attach(settings, std::move(positions), std::move(lock)); !attached) {
    return Fail(attached.error());
  }
  attached_ = true;
  TakeTurn();
}

void Helper::OnWake() { TakeTurn(); }

void Helper::OnSettings(const Settings& settings) {
  if (Status taken = work_.Reconfigure(settings); !taken) {
    log::Warn("helper", "changed settings are not taken over").Field("error", taken.error());
  }
  TakeTurn();
}

void Helper::OnDrain() {
  Status drained = work_.Drain();
  client_.Drained(drained ? "" : drained.error().what);
}

void Helper::OnLost() {
  DetachWork("the broker is gone, but not everything was finished");
  if (options_.supervised) return loop_.Stop();
  client_.Start();
}

void Helper::OnRefused(const Error& error) { Fail(error); }

}  // namespace mq::ctl
