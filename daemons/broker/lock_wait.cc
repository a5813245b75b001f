#include "broker/lock_wait.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "ctl/client.h"

namespace mq::broker {

namespace {

constexpr int64_t kLockWaitMs = 5000;     // for whoever it is that holds the lock and answers nobody
constexpr int64_t kHelperWaitMs = 30000;  // for a helper, which cannot leave before its sync returns

std::string NameHolders(const std::vector<store::LockHolder>& holders) {
  std::string text;
  for (const store::LockHolder& holder : holders) {
    text += (text.empty() ? "" : " and ") + holder.name + " (pid " + std::to_string(holder.pid) + ")";
  }
  return text;
}

Error HeldError(const store::StoreLayout& layout, std::optional<int64_t> answered) {
  const std::string what = "the store " + layout.root() + " is held by ";
  const auto pid = answered ? answered : store::ReadPid(layout);
  const bool alive = pid && (answered || ::kill(static_cast<pid_t>(*pid), 0) == 0 || errno == EPERM);
  if (alive) return MakeError(ErrorCode::kHeldByOther, what + "another broker (pid " + std::to_string(*pid) + ")");
  if (const auto holders = store::FindLockHolders(layout); !holders.empty()) {
    return MakeError(ErrorCode::kHeldByOther, what + NameHolders(holders) + " of a broker that is gone")
        .WithHint("it does not leave: it may be stopped, or its disk does not answer");
  }
  return MakeError(ErrorCode::kHeldByOther, what + "somebody who does not answer");
}

// Waiting for the lock of a broker that answers nobody any more. Says whom it waits for, once.
class LockWait {
 public:
  explicit LockWait(const store::StoreLayout& layout) : layout_(layout), began_ms_(MonotonicMs()) {}

  // Whether to try again, after a pause.
  bool GoOn() {
    const int64_t waited_ms = MonotonicMs() - began_ms_;
    if (waited_ms >= next_look_ms_) {
      next_look_ms_ = waited_ms + kLookMs;
      const auto holders = store::FindLockHolders(layout_);
      const auto helps = [](const store::LockHolder& holder) { return holder.is_helper(); };
      patience_ms_ = std::any_of(holders.begin(), holders.end(), helps) ? kHelperWaitMs : kLockWaitMs;
      if (std::string who = NameHolders(holders); !who.empty() && who != said_) {
        log::Info("broker.start", "waiting for " + who + " of the last run to leave").Field("at_most_ms", patience_ms_);
        said_ = std::move(who);
      }
    }
    if (waited_ms >= patience_ms_) return false;
    ::poll(nullptr, 0, kPauseMs);
    return true;
  }

 private:
  static constexpr int kPauseMs = 20;
  static constexpr int64_t kLookMs = 500;

  const store::StoreLayout& layout_;
  int64_t began_ms_;
  int64_t next_look_ms_ = 100;  // most are gone by then
  int64_t patience_ms_ = kLockWaitMs;
  std::string said_;
};

}  // namespace

Result<store::StoreLock> WaitForLock(const store::StoreLayout& layout) {
  LockWait wait(layout);
  for (;;) {
    auto lock = store::StoreLock::TryAcquire(layout);
    if (lock || lock.error().code != ErrorCode::kHeldByOther) return lock;
    const auto holder = ctl::AskHolder(layout.MqDir(), 500);
    if (holder || !wait.GoOn()) return HeldError(layout, holder);
  }
}

}  // namespace mq::broker
