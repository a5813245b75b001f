// GroupProcessor: creating and changing a consumer group (200), all groups (201), deleting one (207, with its offsets
// when asked). A change is answered when it is durable. Loop thread only. Spec: protocol 2.5 and 3.15.
#pragma once

#include "broker/core.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class GroupProcessor {
 public:
  explicit GroupProcessor(Core& core) : core_(core) {}

  void ProcessUpdate(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessAll(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessDelete(remoting::Channel& channel, const protocol::CommandView& request);

 private:
  Core& core_;
};

}  // namespace mq::broker
