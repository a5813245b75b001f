// ResetProcessor: moves a group to a time (222). The broker works out the offsets, keeps them, and tells every member
// (220), which drops what it holds, commits its new place and goes on from there. A group that is offline is answered
// CONSUMER_NOT_ONLINE: an operator's tool then writes the offsets itself (15). Loop thread only. Spec: protocol 2.5.
#pragma once

#include "broker/clients.h"
#include "broker/core.h"
#include "broker/offset_processor.h"
#include "protocol/command.h"
#include "protocol/offset_bodies.h"
#include "remoting/channel.h"

namespace mq::broker {

class ResetProcessor {
 public:
  ResetProcessor(Core& core, const Clients& clients, OffsetProcessor& queues)
      : core_(core), clients_(clients), queues_(queues) {}

  void ProcessReset(remoting::Channel& channel, const protocol::CommandView& request);

 private:
  struct Wish;
  // Where each queue of the topic shall stand.
  Result<protocol::ResetOffsetBody> Targets(const Wish& wish, const Topic& topic);
  void TellMembers(const Wish& wish, const ConsumerGroup& group, const protocol::ResetOffsetBody& targets);

  Core& core_;
  const Clients& clients_;
  OffsetProcessor& queues_;
};

}  // namespace mq::broker
