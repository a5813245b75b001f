// One connection of a load generator: frames out, answers in, nothing between. It speaks the binary header, which every
// RocketMQ broker understands, and reads answers in either.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "loop/connection.h"
#include "loop/loop.h"
#include "protocol/command.h"

namespace mq::admin {

// Told by a peer. An answer's view lives during the call.
class BenchPeerHandler {
 public:
  virtual ~BenchPeerHandler() = default;
  virtual void OnUp(size_t peer) = 0;
  virtual void OnDown(size_t peer, const Error& why) = 0;
  virtual void OnAnswer(size_t peer, int32_t code, int32_t opaque) = 0;
  // For those who need more than code and opaque. Called instead of OnAnswer when WantsFrames.
  virtual void OnFrame(size_t /*peer*/, const protocol::CommandView& /*answer*/) {}
};

class BenchPeer : private loop::ConnectionHandler {
 public:
  BenchPeer(loop::Loop& loop, loop::Address address, size_t index, BenchPeerHandler& handler, bool wants_frames)
      : loop_(loop), address_(std::move(address)), index_(index), handler_(handler), wants_frames_(wants_frames) {}

  void Connect(int64_t timeout_ms);
  void Close() { connection_.reset(); }
  bool up() const { return up_; }
  // The output of this turn, to append frames to.
  std::string& output() { return connection_->Output(); }
  size_t queued_bytes() const { return connection_ ? connection_->queued_bytes() : 0; }

 private:
  void OnConnected() override;
  size_t OnData(std::string_view bytes) override;
  void OnClosed(const Error& why) override;
  void Down(const Error& why);

  loop::Loop& loop_;
  loop::Address address_;
  size_t index_;
  BenchPeerHandler& handler_;
  bool wants_frames_;
  bool up_ = false;
  std::unique_ptr<loop::Connection> connection_;
  protocol::CommandView view_;
};

// A frame of which only a few fields of fixed width change from one request to the next.
class FrameTemplate {
 public:
  // The encoded frame, with a binary header.
  explicit FrameTemplate(std::string frame) : frame_(std::move(frame)) {}
  // Where a text of fixed width stands, so that it can be overwritten; it must be there.
  size_t Find(std::string_view text, size_t from = 0) const { return frame_.find(text, from); }
  void SetOpaque(int32_t opaque);
  void Overwrite(size_t at, std::string_view text) { frame_.replace(at, text.size(), text); }
  const std::string& bytes() const { return frame_; }
  size_t body_at() const;

 private:
  std::string frame_;
};

}  // namespace mq::admin
