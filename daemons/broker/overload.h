// Overload: refusing what has waited too long, before it costs anything (brokerFastFailureEnable and its companions).
//
// RocketMQ measures how long a request lay in its queue. Here one loop handles requests in the order in which they
// became readable, so a request has waited at least since its loop turn began; how long the turn has been running is
// the measure, and a turn is long only when something in it was slow. osPageCacheBusyTimeOutMills looks at the single
// steps of the turn: an append that took so long says that the page cache is busy, and what arrived meanwhile is
// refused. Nothing of a refused request is stored. Loop thread only.
#pragma once

#include <cstdint>
#include <string_view>

#include "broker/core.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class Overload {
 public:
  explicit Overload(Core& core) : core_(core) {}

  // True when the request was refused with SYSTEM_BUSY and the figures. `held`: sends that wait, for the text.
  bool RefusesSend(remoting::Channel& channel, const protocol::CommandView& request, size_t held);
  bool RefusesPull(remoting::Channel& channel, const protocol::CommandView& request);
  bool RefusesHeartbeat(remoting::Channel& channel, const protocol::CommandView& request);

  uint64_t refused() const { return refused_; }

 private:
  // Milliseconds the present turn has been running; notes how long its steps took.
  int64_t NoteStep();
  bool Refuse(remoting::Channel& channel, const protocol::CommandView& request, int64_t waited_ms, size_t held);

  Core& core_;
  int64_t turn_ms_ = -1;    // when the present turn began
  int64_t step_ms_ = 0;     // when its latest request was looked at
  int64_t slowest_ms_ = 0;  // of its steps
  uint64_t refused_ = 0;
  log::RateLimit lines_{6};
};

}  // namespace mq::broker
