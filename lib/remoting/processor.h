// Which function answers which request code. One table per listener (the fast port has another one).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "protocol/codes.h"
#include "protocol/command.h"

namespace mq::remoting {

class Channel;

// Answers one request: now, by writing the reply into the channel, or later through a ChannelHandle.
// The view is valid during the call only. For a one-way request nothing may be answered (Channel's reply
// functions drop what is written for one). Runs on the loop thread and must not block.
using Processor = std::function<void(Channel&, const protocol::CommandView&)>;

class ProcessorTable {
 public:
  void Register(protocol::RequestCode code, Processor processor);
  // For codes nobody registered. Without one: such requests are answered by nothing at all, as RocketMQ's
  // name server does; AnswerNotSupported below is what a broker wants here.
  void SetDefault(Processor processor);
  // The one for that code, or the default, or an empty one.
  const Processor& Find(int32_t code) const;

 private:
  std::vector<Processor> by_code_;  // request codes are small and dense
  Processor default_;
};

// Code 3, " request type N not supported".
void AnswerNotSupported(Channel& channel, const protocol::CommandView& request);

}  // namespace mq::remoting
