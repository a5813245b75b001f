// QueueEntriesProcessor: the entries of one queue as they are (QUERY_CONSUME_QUEUE 321), and for each whether the tags
// that a group which is online subscribes to would let it through. From the ring where it covers them, else from the
// queue's files; like a pull, never from a file that is behind what was dispatched. Loop thread only. Spec: protocol
// 321.
#pragma once

#include <cstdint>
#include <string_view>

#include "broker/clients.h"
#include "broker/core.h"
#include "broker/queues.h"
#include "protocol/broker_views.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class QueueEntriesProcessor {
 public:
  // Entries in one answer: 80 KB of a queue file, a screenful for a person.
  static constexpr int32_t kMaxEntries = 4096;

  QueueEntriesProcessor(Core& core, const Clients& clients) : core_(core), clients_(clients) {}

  void Process(remoting::Channel& channel, const protocol::CommandView& request);

 private:
  void AddSubscription(protocol::ConsumeQueueView& view, std::string_view group, std::string_view topic) const;
  // False when there are entries and mq-reputd has not written the first of them yet.
  bool AddEntries(protocol::ConsumeQueueView& view, Queue& queue, store::QueueOffset from, int32_t count) const;

  Core& core_;
  const Clients& clients_;
};

}  // namespace mq::broker
