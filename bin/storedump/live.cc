#include "storedump/live.h"

#include <signal.h>

#include <cerrno>

#include "ctl/client.h"
#include "store/layout.h"

namespace mq::storedump {
namespace {

constexpr int kAskMs = 500;

store::BrokerState StateOf(const store::Positions& positions) {
  return static_cast<store::BrokerState>(positions.broker().state.load(std::memory_order_acquire));
}

}  // namespace

Status LiveBroker::Ask() {
  positions_.reset();
  auto asked = ctl::AskPositions(store::StoreLayout(root_).MqDir(), kAskMs);
  if (!asked) {
    Error error = std::move(asked).error();
    // Its socket is for the broker's own user: there may well be a broker.
    if (error.sys_errno == EACCES || error.sys_errno == EPERM) error.code = ErrorCode::kPermission;
    return error;
  }
  UniqueFd fd = std::move(*asked);
  MQ_ASSIGN(store::Positions positions, store::Positions::Attach(std::move(fd), store::PositionsRole::kReader));
  positions_ = std::make_unique<store::Positions>(std::move(positions));
  return Ok();
}

const store::Positions* LiveBroker::positions() const {
  if (!positions_) return nullptr;
  const store::BrokerState state = StateOf(*positions_);
  return state == store::BrokerState::kServing || state == store::BrokerState::kDraining ? positions_.get() : nullptr;
}

bool LiveBroker::Gone() const {
  if (!positions_) return true;
  if (StateOf(*positions_) == store::BrokerState::kStopped) return true;
  const auto pid = static_cast<pid_t>(positions_->broker().pid.load(std::memory_order_acquire));
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace mq::storedump
