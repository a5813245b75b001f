// The producer: batches what is ready, keeps a window of requests in flight, retries elsewhere, and
// reports the exact outcome of every message once.
//
// Feeding: call Send for every message while CanSend() is true; when it turns false wait for
// on_ready. What was added during one loop turn goes together (SEND_BATCH_MESSAGE), up to the limits,
// as soon as the window has room: no timer delays a message. Finish with Drain.
//
//   Producer producer(loop, options, {.on_report = ..., .on_ready = ...});
//   producer.Send(message); ... producer.Drain([&] { loop.Stop(); });
//
// Loop thread only. The loop must outlive the producer. A message's bytes are copied by Send; "stored"
// in a report means acknowledged by the broker; whether that means flushed is the broker's
// flushDiskType and `wait_store`. See mq-remoting(5).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/message.h"
#include "protocol/compress.h"

namespace mq::loop {
class Loop;
}

namespace mq::client {

inline constexpr int kDefaultWindow = 64;
inline constexpr int kDefaultSendTimeoutMs = 3000;
inline constexpr int kDefaultRetries = 2;
// Of an automatic batch: enough to make the round trip negligible, little enough to keep latency low.
inline constexpr int kAutoBatchMessages = 1024;
inline constexpr size_t kAutoBatchBytes = 256 * 1024;

struct ProducerOptions {
  // Either name servers ("host:port", "unix:/path") or one broker address, which skips the name server.
  std::vector<std::string> name_servers;
  std::string broker;

  std::string group = "CLIENT_INNER_PRODUCER";
  bool oneway = false;
  int window = kDefaultWindow;                  // requests in flight; 1 keeps the order even across retries
  int batch_messages = 0;                       // 0: automatic; 1: never batch; N: wait for nothing, at most N together
  size_t batch_bytes = 0;                       // 0: automatic
  int64_t timeout_ms = kDefaultSendTimeoutMs;   // budget of one message over all its tries
  int retries = kDefaultRetries;                // tries beyond the first
  bool fault_delay = false;                     // avoid slow brokers (fault_table.h)
  bool wait_store = true;                       // property WAIT: with SYNC_FLUSH answer only when flushed
  int32_t max_message_bytes = 4 * 1024 * 1024;  // refused before sending when larger
  std::optional<protocol::CompressionType> compression;
  size_t compress_over = 4096;
  int compress_level = protocol::kDefaultCompressLevel;
};

struct ProducerStats {
  uint64_t accepted = 0;  // by Send
  uint64_t stored = 0;    // all three stored statuses, and one-way sends
  uint64_t failed = 0;
  uint64_t retried_messages = 0;
  uint64_t requests = 0;  // frames sent, retries included
  uint64_t in_flight_messages = 0;
};

struct ProducerHandler {
  std::function<void(const SendReport&)> on_report;
  std::function<void()> on_ready;  // CanSend() became true again; optional
  // What changes what a user can rely on, such as the order of messages. Optional.
  std::function<void(std::string_view)> on_warning;
  // A retry, an unreachable broker, a dead name server: for -v. Optional.
  std::function<void(std::string_view)> on_notice;
};

class Producer {
 public:
  Producer(loop::Loop& loop, ProducerOptions options, ProducerHandler handler);
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Whether Send takes another message now. False while the window and the open batches are full.
  bool CanSend() const;

  // Takes a message. An error means it was not taken and no report will come for it: too large, a name
  // or property the format cannot carry, or the producer is closed (code kInvalidArgument names what).
  // May be called when CanSend() is false; memory is then the caller's concern.
  Status Send(const OutgoingMessage& message);

  // Calls `done` once when every accepted message has been reported (at once when there is none).
  void Drain(std::function<void()> done);

  // Fails everything that is not reported yet with kClosed and closes all connections.
  void Close();

  const ProducerStats& stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mq::client
