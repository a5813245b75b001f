#include "broker/overload.h"

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "base/log.h"

namespace mq::broker {

using protocol::CommandView;
using remoting::Channel;

int64_t Overload::NoteStep() {
  const int64_t now = MonotonicMs();
  const int64_t turn = core_.loop.now_ms();
  if (turn != turn_ms_) {
    turn_ms_ = turn;
    slowest_ms_ = 0;
  } else {
    slowest_ms_ = std::max(slowest_ms_, now - step_ms_);
  }
  step_ms_ = now;
  return now - turn;
}

bool Overload::RefusesSend(Channel& channel, const CommandView& request, size_t held) {
  const int64_t waited = NoteStep();
  const bool page_cache_busy = slowest_ms_ > core_.options.page_cache_busy_ms;
  const bool too_late = core_.options.fast_failure && waited > core_.options.wait_send_ms;
  return (page_cache_busy || too_late) && Refuse(channel, request, waited, held);
}

bool Overload::RefusesPull(Channel& channel, const CommandView& request) {
  const int64_t waited = NoteStep();
  return core_.options.fast_failure && waited > core_.options.wait_pull_ms && Refuse(channel, request, waited, 0);
}

bool Overload::RefusesHeartbeat(Channel& channel, const CommandView& request) {
  const int64_t waited = NoteStep();
  return core_.options.fast_failure && waited > core_.options.wait_heartbeat_ms && Refuse(channel, request, waited, 0);
}

bool Overload::Refuse(Channel& channel, const CommandView& request, int64_t waited_ms, size_t held) {
  ++refused_;
  const std::string why = "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: " +
                          std::to_string(waited_ms) + "ms, size of queue: " + std::to_string(held) +
                          ", slowest step: " + std::to_string(slowest_ms_) + "ms";
  uint64_t suppressed = 0;
  if (lines_.Allow(&suppressed)) {
    log::Warn("broker.busy", "a request waited too long and was refused")
        .Field("code", request.code)
        .Field("waited_ms", waited_ms)
        .Field("slowest_step_ms", slowest_ms_)
        .Field("suppressed", suppressed);
  }
  // One-way requests are not answered, but not handled late either.
  channel.Reply(request, protocol::ResponseCode::kSystemBusy, why);
  return true;
}

}  // namespace mq::broker
