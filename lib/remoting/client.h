// Connections to peers by address, opened on demand and kept: the client end of remoting. Used by
// mq-broker (to name servers) and by lib/client. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "remoting/channel.h"
#include "remoting/processor.h"

namespace mq::loop {
class Loop;
}

namespace mq::remoting {

struct ClientOptions {
  int64_t connect_timeout_ms = kConnectTimeoutMs;
  int64_t idle_close_ms = kIdleCloseMs;
  // Close the connection on which a call timed out, as RocketMQ's client does (a frozen peer is then
  // found by the next connect).
  bool close_on_timeout = true;
  // Requests the peer sends to us; null: they are dropped.
  std::shared_ptr<const ProcessorTable> processors;
};

class Client {
 public:
  explicit Client(loop::Loop& loop, ClientOptions options = {});
  ~Client();  // closes everything; pending callbacks come with kRefused first
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Connects when needed and calls. `timeout_ms` covers connecting and the answer. Sets opaque, and the
  // serialize type when the peer is known to understand the binary header. The callback comes exactly
  // once, never from inside Call. A bad address ends as kUnreachable naming it.
  void Call(const std::string& address, protocol::Command command, int64_t timeout_ms, CallCallback callback);
  void SendOneway(const std::string& address, protocol::Command command);

  // The open channel to that address, or null.
  std::shared_ptr<Channel> Find(const std::string& address) const;
  // The channel to that address, made and connecting when there is none: requests may be written at once and
  // are sent when it is connected. Null, with the reason, for a bad address.
  std::shared_ptr<Channel> Open(const std::string& address, std::string* why);
  // Connects when needed; `ready` (may be empty) is called once, with the channel or with null and the reason.
  using ReadyCallback = std::function<void(std::shared_ptr<Channel>, std::string_view error)>;
  void Connect(const std::string& address, ReadyCallback ready);

  // Called when a connection that was open breaks or is closed by the peer.
  void SetOnClosed(std::function<void(const std::string& address)> on_closed);

  // Drops the connection to an address that is no longer in use.
  void Forget(const std::string& address);
  void Close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mq::remoting
