// RelayProcessor: questions that only a consumer can answer, passed on to it: what it is doing (307) and where it
// stands in its queues (223, asked as 221). A consumer that does not answer costs its own timeout, nobody else's: the
// loop goes on meanwhile. Loop thread only. Spec: protocol 2.5 and 2.6.
#pragma once

#include "broker/clients.h"
#include "protocol/command.h"
#include "remoting/channel.h"

namespace mq::broker {

class RelayProcessor {
 public:
  static constexpr int64_t kRunningInfoMs = 10000;
  static constexpr int64_t kStatusMs = 5000;

  explicit RelayProcessor(const Clients& clients) : clients_(clients) {}

  void ProcessRunningInfo(remoting::Channel& channel, const protocol::CommandView& request) const;
  void ProcessStatus(remoting::Channel& channel, const protocol::CommandView& request) const;

 private:
  const Clients& clients_;
};

}  // namespace mq::broker
