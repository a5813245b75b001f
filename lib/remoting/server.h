// Listeners and their channels: the server end of remoting. Used by mq-namesrv and mq-broker.
//
// Each listener (main port, fast port, Unix socket) has its own processor table. Idle connections, those that never
// complete a frame, slow readers and peers that do not speak this protocol are closed as remoting/limits.h says; of the
// latter one line per peer and minute is logged with a guess (HTTP, TLS...). Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "loop/address.h"
#include "remoting/channel.h"
#include "remoting/processor.h"

namespace mq::loop {
class Loop;
}

namespace mq::remoting {

struct ServerOptions {
  int64_t idle_close_ms = kIdleCloseMs;
  int64_t first_frame_ms = kFirstFrameMs;
  int64_t whole_frame_ms = kWholeFrameMs;
  size_t max_connections = kMaxConnections;
  size_t output_high_water = kOutputHighWater;
  size_t output_low_water = kOutputLowWater;
  size_t output_hard_limit = kOutputHardLimit;
};

struct ServerStats {
  uint64_t accepted = 0;
  uint64_t refused = 0;  // above max_connections
  uint64_t silent = 0;   // closed because no whole frame came in time
  uint64_t garbage = 0;  // closed because of bytes that are not this protocol
  uint64_t requests = 0;
};

class Server {
 public:
  Server(loop::Loop& loop, ServerOptions options = {});
  ~Server();  // closes everything
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds and serves. Returns the address really bound (port 0 chosen by the system). The error names the
  // address and why ("listen on 0.0.0.0:9876: Address already in use").
  Result<loop::Address> Listen(const loop::Address& address, std::shared_ptr<const ProcessorTable> table);

  // Called once for every accepted channel that closes, whatever the reason.
  void SetOnClosed(std::function<void(Channel&)> on_closed);

  // Stops accepting; existing channels go on. Close() closes them too.
  void StopListening();
  void Close();

  size_t connections() const;
  const ServerStats& stats() const;
  // Visits every open channel.
  void ForEachChannel(const std::function<void(Channel&)>& visit);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mq::remoting
