// One stream, TCP or Unix: bytes in as they come, bytes out gathered once per loop turn.
//
// Neighbours: listener.h makes accepted ones; input_buffer.h and output_queue.h hold what waits; remoting/channel.h
// cuts frames out of what arrives here.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "loop/address.h"
#include "loop/loop.h"

namespace mq::loop {

// What the owner of a connection is told. Any of these may destroy the connection.
class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;
  virtual void OnConnected() {}
  // All bytes not consumed so far. Returns how many are consumed; the rest comes again with more behind it. The view
  // dies when the call returns.
  virtual size_t OnData(std::string_view bytes) = 0;
  // The peer closed (kClosed), the connection broke or could not be made (kUnreachable, kTimeout). Comes at most once,
  // and not after Close. Nothing else follows.
  virtual void OnClosed(const Error& why) = 0;
  // Queued output fell to half of the mark given to WatchOutput, after it had been above it.
  virtual void OnDrained() {}
};

class Connection {
 public:
  // Connects; the handler learns OnConnected or OnClosed. Writes before that are queued.
  static std::unique_ptr<Connection> Connect(Loop& loop, const Address& to, int64_t timeout_ms,
                                             ConnectionHandler* handler);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Begins to read. Accepted connections start here; connecting ones start by themselves.
  void Start(ConnectionHandler* handler);

  // Copies the bytes into the output of this turn.
  void Write(std::string_view bytes);
  // The output of this turn, to append to in place. Valid until the next call of this object or the turn's end.
  std::string& Output();
  // Sends bytes that are not copied: the view stays valid as long as the pin lives.
  void WritePinned(std::shared_ptr<const void> pin, std::string_view bytes);
  // Bytes accepted by Write and not yet taken by the kernel.
  size_t queued_bytes() const;
  void WatchOutput(size_t high_water_bytes);

  // Makes room for a frame of this size, so that the rest of it is read into place.
  void Expect(size_t bytes);
  void PauseReading();
  void ResumeReading();

  // Stops both ways at once; no callback follows. CloseAfterWrite first sends what is queued (for at most 5 s).
  void Close();
  void CloseAfterWrite();
  bool closed() const;

  const HostPort& peer() const;          // once connected
  const std::string& peer_text() const;  // "1.2.3.4:5" or "unix:"; what was asked for until connected
  std::string local_text() const;        // the numeric local address, "" for a Unix socket

 private:
  friend class Listener;
  struct Impl;
  // A socket that was accepted.
  static std::unique_ptr<Connection> FromSocket(Loop& loop, UniqueFd socket, bool is_tcp);
  explicit Connection(Impl* impl) : impl_(impl) {}
  Impl* impl_;
};

}  // namespace mq::loop
