#include "admin/bench_peer.h"

#include "base/bytes.h"

namespace mq::admin {
namespace {

// Of a binary header: code at its start, opaque after code, language and version.
constexpr size_t kCodeAt = protocol::kFramePrefixBytes;
constexpr size_t kOpaqueAt = protocol::kFramePrefixBytes + 5;
constexpr size_t kBinaryHeaderMin = 21;

}  // namespace

void BenchPeer::Connect(int64_t timeout_ms) {
  up_ = false;
  connection_ = loop::Connection::Connect(loop_, address_, timeout_ms, this);
}

void BenchPeer::OnConnected() {
  up_ = true;
  handler_.OnUp(index_);
}

void BenchPeer::OnClosed(const Error& why) { Down(why); }

void BenchPeer::Down(const Error& why) {
  up_ = false;
  connection_.reset();
  handler_.OnDown(index_, why);
}

size_t BenchPeer::OnData(std::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    const Result<size_t> size = protocol::FrameSize(rest);
    if (!size) {
      Down(size.error());
      return used;
    }
    if (*size == 0 || *size > rest.size()) {
      if (*size > 0) connection_->Expect(*size);
      return used;
    }
    used += *size;
    const std::string_view frame = rest.substr(0, *size);
    const bool binary = frame[4] == static_cast<char>(protocol::SerializeType::kRocketMq);
    if (binary && !wants_frames_ && *size >= protocol::kFramePrefixBytes + kBinaryHeaderMin) {
      handler_.OnAnswer(index_, static_cast<int16_t>(LoadBe16(frame.data() + kCodeAt)),
                        static_cast<int32_t>(LoadBe32(frame.data() + kOpaqueAt)));
    } else {
      const Status status = protocol::DecodeCommand(frame, view_);
      if (!status) {
        Down(status.error());
        return used;
      }
      if (wants_frames_) {
        handler_.OnFrame(index_, view_);
      } else {
        handler_.OnAnswer(index_, view_.code, view_.opaque);
      }
    }
    if (!connection_) return used;
  }
  return used;
}

void FrameTemplate::SetOpaque(int32_t opaque) { StoreBe32(frame_.data() + kOpaqueAt, static_cast<uint32_t>(opaque)); }

size_t FrameTemplate::body_at() const { return protocol::kFramePrefixBytes + (LoadBe32(frame_.data() + 4) & 0xFFFFFF); }

}  // namespace mq::admin
