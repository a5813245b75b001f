// TopicProcessor: creating and changing a topic (17), all topics (21), deleting one (215), removing the queues of
// topics that are gone (316), the system's own topics (305).
//
// A change is answered when it is durable and the name servers that answer know of it, so that the next command of a
// script finds it. A deletion leaves a durable tombstone at the end of the log before it is answered: older messages of
// that name never come back, whatever crashes. Spec: mq-store(5), "Tombstones"; protocol 7.3.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "broker/core.h"
#include "protocol/command.h"
#include "remoting/channel.h"
#include "store/layout.h"
#include "store/tombstones.h"

namespace mq::broker {

class PullHold;

class TopicProcessor {
 public:
  TopicProcessor(Core& core, PullHold& hold, store::Tombstones tombstones);

  void ProcessCreate(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessDelete(remoting::Channel& channel, const protocol::CommandView& request);
  // Records of the topic below this position were deleted with it.
  store::PhysicalOffset DeletedBelow(std::string_view topic) const { return tombstones_.Of(topic); }
  void ProcessCleanUnused(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessAll(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessSystem(remoting::Channel& channel, const protocol::CommandView& request);

 private:
  // Everything written so far under these names is dead, durably; their queues go and start again at 0.
  Status Bury(const std::vector<std::string>& names);
  void ReplyWhenKnown(remoting::Channel& channel, const protocol::CommandView& request);

  Core& core_;
  PullHold& hold_;
  store::StoreLayout layout_;
  store::Tombstones tombstones_;
};

}  // namespace mq::broker
