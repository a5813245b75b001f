// GroupOffsetProcessor: where groups stand: asking (14), committing (15), all offsets at once (43), copying those of
// one group to another (314). Reads and writes ConsumerOffsets. Loop thread only. Spec: protocol 7.4.
#pragma once

#include "broker/clients.h"
#include "broker/core.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class GroupOffsetProcessor {
 public:
  GroupOffsetProcessor(Core& core, const Clients& clients) : core_(core), clients_(clients) {}

  void ProcessQuery(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessUpdate(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessAll(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessClone(remoting::Channel& channel, const protocol::CommandView& request);

 private:
  // Whether a group without an offset is told to start at 0, as RocketMQ tells it on a young queue.
  bool StartsAtZero(std::string_view topic, int32_t queue_id) const;

  Core& core_;
  const Clients& clients_;
};

}  // namespace mq::broker
