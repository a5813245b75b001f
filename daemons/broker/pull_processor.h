// PullProcessor: PULL_MESSAGE (11), with long polling.
//
// Fed by remoting; reads through MessageReader; a pull that finds nothing may be parked in PullHold. The reply's body
// is written straight from the mapped log. Spec: mq-remoting(5), "Pulling"; protocol 7.2, store 11.1 to 11.5.
#pragma once

#include <string>
#include <unordered_map>

#include "broker/clients.h"
#include "broker/core.h"
#include "broker/message_reader.h"
#include "broker/pull_hold.h"
#include "protocol/pull_headers.h"

namespace mq::broker {

class SendProcessor;

class PullProcessor {
 public:
  PullProcessor(Core& core, Clients& clients, SendProcessor& sends);

  void Process(remoting::Channel& channel, const protocol::CommandView& request);
  PullHold& hold() { return hold_; }

 private:
  struct Pull;
  // Null: refused already.
  Queue* Admit(remoting::Channel& channel, const protocol::CommandView& request,
               const protocol::PullMessageRequestHeader& header);
  bool FilterOf(remoting::Channel& channel, const protocol::CommandView& request,
                const protocol::PullMessageRequestHeader& header, TagFilter* filter);
  bool TryAgain(HeldPull& pull, bool last);
  // Now, or once cold bytes are in memory.
  void Answer(remoting::Channel& channel, const protocol::CommandHead& head, const GetMessageResult& result);
  void Reply(remoting::Channel& channel, const protocol::CommandHead& head, const GetMessageResult& result);
  void Count(std::string_view group, const Queue& queue, const GetMessageResult& result);
  protocol::ResponseCode CodeOf(const GetMessageResult& result, store::QueueOffset asked) const;
  void ReportOffsetMoved(const Queue& queue, std::string_view group, store::QueueOffset asked,
                         store::QueueOffset moved);

  Core& core_;
  Clients& clients_;
  SendProcessor& sends_;
  MessageReader reader_;
  PullHold hold_;
  std::string key_;  // reused
  // When an event was stored last, by "topic@queue@group": a consumer that asks for the same over and over stores one a
  // minute.
  std::unordered_map<std::string, int64_t> moved_ms_;
};

}  // namespace mq::broker
