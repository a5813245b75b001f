// LateReply: the answer to a request that comes after its processor has returned. Copyable; says nothing when the
// connection is gone or the request was one-way.
#pragma once

#include <string_view>

#include "base/result.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class LateReply {
 public:
  LateReply(remoting::Channel& channel, const protocol::CommandView& request)
      : channel_(channel.weak_from_this()),
        type_(request.type),
        opaque_(request.opaque),
        oneway_(request.is_oneway()) {}

  // The answer to a change, once it is known whether it is on the disk. In memory it is made already: whoever asked is
  // told that a restart would lose it.
  void SendSaved(const Status& saved, std::string_view body = {}) const {
    if (saved) return Send(protocol::ResponseCode::kSuccess, {}, body);
    Send(protocol::ResponseCode::kSystemError, "in effect, but not saved: " + saved.error().what);
  }
  void Send(protocol::ResponseCode code, std::string_view remark = {}, std::string_view body = {}) const {
    const auto channel = channel_.lock();
    if (!channel || oneway_) return;
    protocol::CommandHead head;
    head.type = type_;
    head.code = static_cast<int32_t>(code);
    head.opaque = opaque_;
    head.flag = protocol::kFlagResponse;
    head.remark = remark;
    channel->ReplyTo(head, body);
  }

 private:
  remoting::ChannelHandle channel_;
  protocol::SerializeType type_;
  int32_t opaque_;
  bool oneway_;
};

}  // namespace mq::broker
