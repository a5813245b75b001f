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
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/command.h"
#include "protocol/host.h"
#include "remoting/limits.h"
#include "remoting/processor.h"

namespace mq::loop {
class Connection;
class Loop;
}  // namespace mq::loop

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

class Channel : public std::enable_shared_from_this<Channel> {
 public:
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Replies to `request` with a header only. For a one-way request this does nothing.
  void Reply(const protocol::CommandView& request, protocol::ResponseCode code, std::string_view remark = {});
  // Replies with ext fields written by `header` (an object with Encode(CommandWriter&)) and a body.
  template <class Header>
  void Reply(const protocol::CommandView& request, protocol::ResponseCode code, const Header& header,
             std::string_view body, std::string_view remark = {}) {
    if (request.is_oneway()) return;
    ReplyTo(protocol::ReplyHead(request, code, remark), header, body);
  }
  // The same for a reply that comes later: keep the head (a copy of type, opaque; remark must live).
  template <class Header>
  void ReplyTo(const protocol::CommandHead& head, const Header& header, std::string_view body) {
    protocol::CommandWriter writer(output(), head);
    header.Encode(writer);
    writer.Finish(body.size());
    output().append(body);
    OutputAdded();
  }
  // Body without ext fields.
  void ReplyBody(const protocol::CommandView& request, std::string_view body);

  // The low-level way: append whole frames to output(), then call OutputAdded(). A frame's body that lies
  // in a mapped file: Finish(total), OutputAdded(), then WritePinned for each slice, in order.
  std::string& output() { return output_; }
  void OutputAdded();
  void WritePinned(std::shared_ptr<const void> pin, std::string_view bytes);

  // Calls the peer. The callback comes exactly once, never from inside Call.
  // Sets opaque on the command.
  void Call(protocol::Command& command, int64_t timeout_ms, CallCallback callback);
  // For hot paths: reserves an opaque and registers the callback; the caller writes the frame with that
  // opaque into output() and calls OutputAdded(). Nothing when too many calls wait (no callback then).
  std::optional<int32_t> BeginCall(int64_t timeout_ms, CallCallback callback);
  // A request to which no answer comes.
  void SendOneway(protocol::Command& command);

  // Closes after what was written is sent (or `abort` at once). Pending calls end with kUnreachable.
  void Close();
  void Abort(std::string_view why);
  bool closed() const;

  // "127.0.0.1:54321", "unix"; stays readable after the close.
  const std::string& peer() const { return peer_; }
  // The peer as the born host of its messages: 127.0.0.1, port 0 for a Unix socket. Set once connected.
  const protocol::Host& peer_host() const { return peer_host_; }
  // Address on our side of the connection.
  const std::string& local() const { return local_; }
  // Distinguishes channels, never reused within the process.
  uint64_t id() const { return id_; }
  // Whether the peer has answered, or asked, with the binary header: then it understands it.
  bool peer_speaks_binary() const { return peer_speaks_binary_; }
  // Bytes that wait to be sent.
  size_t queued_bytes() const;
  size_t pending_calls() const;
  // For the owner's own data about the peer (a broker's client tables): freed with the channel.
  std::shared_ptr<void> user_data;

 protected:
  Channel();

  std::string output_;
  std::string peer_;
  protocol::Host peer_host_{.address = {127, 0, 0, 1}};
  std::string local_;
  uint64_t id_ = 0;
  bool peer_speaks_binary_ = false;
};

}  // namespace mq::remoting
