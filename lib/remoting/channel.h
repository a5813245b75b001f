// One connection that speaks RemotingCommand, used alike by servers and clients: either side may send
// requests at any time.
//
// Incoming bytes are cut into frames; responses complete calls by their opaque, requests go to the
// processor table. Replies are written as frames into the channel's output, which is sent once at the end
// of the loop turn. Loop thread only.
//
// Life: a channel is owned by shared_ptr, by its Server or Client until it closes. Whoever wants to answer
// later keeps a ChannelHandle (weak); Lock() gives nothing once the connection is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "loop/connection.h"
#include "protocol/command.h"
#include "protocol/host.h"
#include "remoting/limits.h"
#include "remoting/processor.h"

namespace mq::remoting {

class Channel;
using ChannelHandle = std::weak_ptr<Channel>;

enum class CallOutcome {
  kReply,        // `reply` is the answer, whatever its code
  kTimeout,      // no answer until the deadline; a late one is dropped
  kUnreachable,  // could not connect, or the connection broke before the answer
  kRefused,      // not sent: too many calls wait already, or closed by us
};

struct CallResult {
  CallOutcome outcome = CallOutcome::kRefused;
  const protocol::CommandView* reply = nullptr;  // during the callback only
  std::string_view error;                        // a clause with the peer's address, unless kReply

  bool ok() const { return outcome == CallOutcome::kReply && reply->code == 0; }
  // The failure as an Error (kTimeout, kUnreachable, kBusy; for a reply its code and remark).
  Error ToError() const;
};

using CallCallback = std::function<void(const CallResult&)>;

// What a response code of a peer means as an error of ours.
ErrorCode ErrorCodeOf(int32_t response_code);

// An answer other than code 0 as an Error with its code, name and remark.
Error ErrorOfReply(int32_t response_code, std::string_view remark);

// What a channel needs from the Server or Client that owns it.
struct ChannelOptions {
  std::shared_ptr<const ProcessorTable> processors;  // null: requests are dropped
  size_t output_high_water = kOutputHighWater;
  size_t output_hard_limit = kOutputHardLimit;
  bool close_on_timeout = false;
};

class ChannelOwner {
 public:
  virtual ~ChannelOwner() = default;
  virtual void OnChannelConnected(Channel&) {}
  // Once, whatever the reason; `garbage` when the peer does not speak this protocol. The owner drops its
  // reference; the channel itself lives until the last one goes.
  virtual void OnChannelClosed(Channel& channel, const Error& why, bool garbage) = 0;
  virtual void OnRequest() {}
};

class CallTable;

class Channel : public std::enable_shared_from_this<Channel>, private loop::ConnectionHandler {
 public:
  // Made by Server and Client only, then given its connection with Adopt or Connect.
  Channel(loop::Loop& loop, ChannelOwner* owner, ChannelOptions options);
  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  void Adopt(std::unique_ptr<loop::Connection> connection);
  void Connect(const loop::Address& address, int64_t timeout_ms);
  // The owner goes away first: no more callbacks to it.
  void Orphan() { owner_ = nullptr; }

  // Replies to `request` with a header only. For a one-way request this does nothing.
  void Reply(const protocol::CommandView& request, protocol::ResponseCode code, std::string_view remark = {});
  // Replies with ext fields written by `header` (an object with Encode(CommandWriter&)) and a body.
  template <class Header>
  void Reply(const protocol::CommandView& request, protocol::ResponseCode code, const Header& header,
             std::string_view body, std::string_view remark = {}) {
    if (request.is_oneway()) return;
    ReplyTo(protocol::ReplyHead(request, code, remark), header, body);
  }
  // The same for a reply that comes later: keep the head (a copy of type and opaque; remark must live).
  template <class Header>
  void ReplyTo(const protocol::CommandHead& head, const Header& header, std::string_view body) {
    std::string& out = output();
    protocol::CommandWriter writer(out, head);
    header.Encode(writer);
    writer.Finish(body.size());
    out.append(body);
    OutputAdded();
  }
  // A later reply without ext fields.
  void ReplyTo(const protocol::CommandHead& head, std::string_view body = {});
  // Success with a body and no ext fields.
  void ReplyBody(const protocol::CommandView& request, std::string_view body, std::string_view remark = {});

  // The low-level way: append whole frames to output(), then call OutputAdded(). A frame whose body lies in
  // a mapped file: write its header with Finish(total), OutputAdded(), then WritePinned for each slice, in
  // order. Valid until the next call of this channel.
  std::string& output() { return connection_->Output(); }
  void OutputAdded();
  void WritePinned(std::shared_ptr<const void> pin, std::string_view bytes);

  // Calls the peer. The callback comes exactly once, never from inside Call. Sets opaque on the command.
  void Call(protocol::Command& command, int64_t timeout_ms, CallCallback callback);
  // For hot paths: reserves an opaque and registers the callback; the caller writes the frame with that
  // opaque into output() and calls OutputAdded(). Nothing when too many calls wait (no callback then).
  // With `silence_ms` the call ends before its timeout only when the peer has said nothing at all for so long: a busy
  // peer that answers one of many calls after the other is not given up, a frozen one is.
  std::optional<int32_t> BeginCall(int64_t timeout_ms, CallCallback callback, int64_t silence_ms = 0);
  // A request to which no answer comes.
  void SendOneway(protocol::Command& command);

  // Closes after what was written is sent; Abort closes at once. Pending calls end with kUnreachable.
  void Close();
  void Abort(std::string_view why);
  bool closed() const { return closed_; }
  bool connected() const { return connected_; }

  // "127.0.0.1:54321", "unix:"; stays readable after the close.
  const std::string& peer() const { return peer_; }
  // The peer as a record's born host.
  const protocol::Host& peer_host() const { return peer_host_; }
  // Address on our side of the connection; empty for a Unix socket.
  std::string local() const;
  // Distinguishes channels, never reused within the process.
  uint64_t id() const { return id_; }
  // Whether the peer understands the binary header: it used it, or it is RocketMQ 4 or newer.
  bool peer_speaks_binary() const { return peer_speaks_binary_; }
  protocol::SerializeType preferred_type() const {
    return peer_speaks_binary_ ? protocol::SerializeType::kRocketMq : protocol::SerializeType::kJson;
  }
  // Bytes that wait to be sent.
  size_t queued_bytes() const;
  size_t pending_calls() const;
  // Monotonic ms of the last byte in or out.
  int64_t last_activity_ms() const { return last_activity_ms_; }
  // Monotonic ms since which a whole frame is waited for: the connection's start until the first one is there, later
  // the first byte of a frame that is not complete; -1 when nothing is missing.
  int64_t incomplete_since_ms() const { return incomplete_since_ms_; }
  bool has_spoken() const { return has_spoken_; }
  // Everything queued has been sent, or can no longer be.
  bool output_done() const;

  // For the processors' own data about the peer (a broker's client tables): freed with the channel.
  std::shared_ptr<void> user_data;

 private:
  void OnConnected() override;
  size_t OnData(std::string_view bytes) override;
  void OnClosed(const Error& why) override;
  void OnDrained() override;

  void Dispatch(const protocol::CommandView& command);
  bool TooMuchQueued();
  void NotePeer();
  void ArmTimer(int64_t deadline_ms);
  void ExpireCalls();
  void FailCalls(CallOutcome outcome, const std::string& why);
  void Finished(const Error& why, bool garbage);

  loop::Loop& loop_;
  ChannelOwner* owner_;
  ChannelOptions options_;
  std::unique_ptr<loop::Connection> connection_;
  std::unique_ptr<CallTable> calls_;
  std::unique_ptr<loop::Timer> timer_;
  int64_t armed_ms_ = -1;
  std::string peer_;
  protocol::Host peer_host_;
  uint64_t id_;
  int64_t heard_ms_ = 0;       // when the peer last said something
  bool expiry_noted_ = false;  // an expired call was seen; input that waits is read before it ends
  int64_t last_activity_ms_;
  int64_t incomplete_since_ms_;
  bool has_spoken_ = false;
  bool peer_speaks_binary_ = false;
  bool connected_ = false;
  bool closed_ = false;
};

}  // namespace mq::remoting
