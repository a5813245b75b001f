// Says once per peer, guess and minute that something which is not RocketMQ knocked. Internal to server.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mq::remoting {

class GarbageLog {
 public:
  // `what` as FrameSize or DecodeCommand put it.
  void Note(std::string_view peer, std::string_view what);

 private:
  struct Seen {
    int64_t logged_ms = 0;
    uint64_t suppressed = 0;
  };
  std::unordered_map<std::string, Seen> seen_;  // by address without port, and guess; bounded
};

}  // namespace mq::remoting
