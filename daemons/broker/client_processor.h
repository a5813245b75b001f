// ClientProcessor: questions about who is connected: the ids of a group's consumers (38), the connections of a consumer
// group (203), of a producer group (204) and of all producers (328), and whether a subscription can be served (46).
// Reads Clients; changes nothing. Loop thread only. Spec: protocol 2.4, 2.5 and 3.10.
#pragma once

#include "broker/clients.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class ClientProcessor {
 public:
  explicit ClientProcessor(const Clients& clients) : clients_(clients) {}

  void ProcessConsumerIds(remoting::Channel& channel, const protocol::CommandView& request) const;
  void ProcessConsumers(remoting::Channel& channel, const protocol::CommandView& request) const;
  void ProcessProducers(remoting::Channel& channel, const protocol::CommandView& request) const;
  void ProcessAllProducers(remoting::Channel& channel, const protocol::CommandView& request) const;
  void ProcessCheckConfig(remoting::Channel& channel, const protocol::CommandView& request) const;

 private:
  const Clients& clients_;
};

}  // namespace mq::broker
