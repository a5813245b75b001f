// ProgressProcessor: how far topics and groups are: offsets of a topic (202), of a group (208) and of all groups (317),
// the groups that consume a topic (300), and the counters (315). Reads only; offsets are those that consumers may see.
// Loop thread only. Spec: protocol 2.5, 3.9 and 3.11, store 12.10.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/clients.h"
#include "broker/core.h"
#include "protocol/command.h"
#include "protocol/consume_stats.h"
#include "remoting/channel.h"

namespace mq::broker {

class ProgressProcessor {
 public:
  ProgressProcessor(Core& core, const Clients& clients) : core_(core), clients_(clients) {}

  void ProcessTopicStats(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessConsumeStats(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessAllConsumeStats(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessWhoConsumes(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessCounters(remoting::Channel& channel, const protocol::CommandView& request);

 private:
  // Adds where the group stands in every read queue of the topic.
  void AddTopic(std::string_view group, const Topic& topic, protocol::ConsumeStats* stats);
  // Store time of the message at that offset; 0 when there is none.
  int64_t TimeOf(Queue& queue, int64_t offset) const;
  bool IsSubscribed(std::string_view group, std::string_view topic) const;

  Core& core_;
  const Clients& clients_;
};

}  // namespace mq::broker
