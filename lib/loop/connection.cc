#include "loop/connection.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <uv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "loop/input_buffer.h"
#include "loop/output_queue.h"
#include "loop/stream_util.h"

namespace mq::loop {
namespace {

constexpr size_t kMaxIovecs = 256;
constexpr int64_t kLingerMs = 5000;

// Bytes handed to the kernel's hands through uv_write; they live until its callback.
struct WriteRequest {
  uv_write_t request;
  OutputQueue output;
};

}  // namespace

// Life: open (owner set) -> closing (owner gone or Close called) -> freed in the close callback.
struct Connection::Impl : TurnEndHook {
  union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  };
  Loop* loop = nullptr;
  ConnectionHandler* handler = nullptr;
  bool owned = true;     // the Connection object still points here
  bool closing = false;  // uv_close was called
  bool connected = false;
  bool reading = false;
  bool paused = false;
  bool close_after_write = false;
  bool turn_end_asked = false;
  bool writing = false;  // a uv_write is under way
  bool above_mark = false;
  bool redeliver = false;  // reading was resumed with bytes in hand
  HostPort peer;
  std::string peer_text;
  UnixName unix_name;  // keeps the directory open while the name is in use

  InputBuffer input;
  OutputQueue output;
  size_t queued = 0;  // bytes of the uv_write that is under way
  size_t high_water = 0;
  std::unique_ptr<Timer> timer;  // of the connect, later of the lingering close
  uv_connect_t connect_request;
  uv_getaddrinfo_t lookup_request;
  bool looking_up = false;

  Impl() {}
  ~Impl() override {}

  void Init(Loop& l, bool is_tcp) {
    loop = &l;
    if (is_tcp) {
      uv_tcp_init(l.raw(), &tcp);
    } else {
      uv_pipe_init(l.raw(), &pipe, 0);
    }
    handle.data = this;
  }

  std::string& AppendTarget() {
    AskTurnEnd();
    return output.Tail();
  }
  void AskTurnEnd() {
    if (turn_end_asked || closing) return;
    turn_end_asked = true;
    loop->AtTurnEnd(this);
  }

  size_t OutputBytes() const { return queued + output.bytes(); }

  void OnTurnEnd() override {
    turn_end_asked = false;
    if (std::exchange(redeliver, false)) DeliverPending();
    if (closing) return;
    // What one turn produced counts even if the socket takes it all at once: whoever paused above the mark is told.
    if (high_water != 0 && OutputBytes() > high_water) above_mark = true;
    Flush();
  }

  void Flush() {
    if (!connected || writing || closing) return;
    TryWrite();
    if (closing) return;
    if (!output.empty()) WriteRest();
    NoteOutput();
    if (output.empty() && !writing && close_after_write) BeginClose();
  }

  // Writes what the socket takes right now.
  void TryWrite() {
    while (!output.empty()) {
      uv_buf_t bufs[kMaxIovecs];
      size_t total = 0;
      const unsigned count = output.Gather(bufs, kMaxIovecs, &total);
      if (count == 0) return;
      const int n = uv_try_write(&stream, bufs, count);
      if (n == UV_EAGAIN) return;
      if (n < 0) return Fail(MakeError(ErrorCode::kUnreachable, "write to " + peer_text + ": " + uv_strerror(n)));
      output.Consume(static_cast<size_t>(n));
      if (static_cast<size_t>(n) < total) return;
    }
  }

  void WriteRest() {
    auto* request = new WriteRequest;
    request->output.Take(output);
    std::vector<uv_buf_t> bufs(request->output.pieces());
    size_t total = 0;
    const unsigned count = request->output.Gather(bufs.data(), bufs.size(), &total);
    request->request.data = request;
    queued = total;
    writing = true;
    const int rc = uv_write(&request->request, &stream, bufs.data(), count, [](uv_write_t* w, int status) noexcept {
      const std::unique_ptr<WriteRequest> r(static_cast<WriteRequest*>(w->data));
      auto* self = static_cast<Impl*>(w->handle->data);
      self->writing = false;
      self->queued = 0;
      if (self->closing) return;
      if (status < 0) {
        return self->Fail(
            MakeError(ErrorCode::kUnreachable, "write to " + self->peer_text + ": " + uv_strerror(status)));
      }
      self->Flush();
    });
    if (rc != 0) {
      writing = false;
      queued = 0;
      delete request;
      Fail(MakeError(ErrorCode::kUnreachable, "write to " + peer_text + ": " + uv_strerror(rc)));
    }
  }

  void NoteOutput() {
    if (high_water == 0) return;
    const size_t bytes = OutputBytes();
    if (bytes > high_water) {
      above_mark = true;
    } else if (above_mark && bytes <= high_water / 2) {
      above_mark = false;
      if (handler != nullptr) handler->OnDrained();
    }
  }

  void StartReading() {
    if (reading || paused || closing || !connected) return;
    reading = true;
    uv_read_start(&stream, &Impl::OnAlloc, &Impl::OnRead);
  }

  static void OnAlloc(uv_handle_t* h, size_t, uv_buf_t* buf) noexcept {
    auto* self = static_cast<Impl*>(h->data);
    if (self->input.wants_loop_buffer()) {
      *buf = uv_buf_init(self->loop->read_buffer(), Loop::kReadBufferBytes);
      return;
    }
    const auto [room, bytes] = self->input.Room();
    *buf = uv_buf_init(room, static_cast<unsigned>(bytes));
  }

  static void OnRead(uv_stream_t* s, ssize_t n, const uv_buf_t* buf) noexcept {
    auto* self = static_cast<Impl*>(s->data);
    if (n == 0) return;
    self->loop->NoteInput();
    if (n < 0) {
      return self->Fail(n == UV_EOF ? MakeError(ErrorCode::kClosed, self->peer_text + " closed the connection")
                                    : MakeError(ErrorCode::kUnreachable, "read from " + self->peer_text + ": " +
                                                                             uv_strerror(static_cast<int>(n))));
    }
    self->Deliver(buf->base, static_cast<size_t>(n));
  }

  void Deliver(const char* base, size_t n) {
    const std::string_view all = input.Arrived(base, n);
    const size_t consumed = handler == nullptr ? 0 : handler->OnData(all);
    if (!closing) input.Keep(all.substr(std::min(consumed, all.size())));
  }
  // Offers again what was left over when reading was paused.
  void DeliverPending() {
    if (paused || input.empty() || handler == nullptr) return;
    const std::string_view all = input.Again();
    const size_t consumed = handler->OnData(all);
    if (!closing) input.Keep(all.substr(std::min(consumed, all.size())));
  }

  // The connection is lost: tells the handler once and closes.
  void Fail(Error why) {
    if (closing) return;
    ConnectionHandler* told = std::exchange(handler, nullptr);
    BeginClose();
    if (told != nullptr) told->OnClosed(why);
  }

  void BeginClose() {
    if (closing) return;
    closing = true;
    handler = nullptr;
    timer.reset();
    if (turn_end_asked) loop->CancelTurnEnd(this);
    turn_end_asked = false;
    if (looking_up) uv_cancel(reinterpret_cast<uv_req_t*>(&lookup_request));
    uv_close(&handle, [](uv_handle_t* h) noexcept {
      auto* self = static_cast<Impl*>(h->data);
      self->handle_closed = true;
      self->MaybeFree();
    });
  }
  bool handle_closed = false;
  void MaybeFree() {
    if (handle_closed && !owned && !looking_up) delete this;
  }

  void Connected() {
    timer.reset();
    connected = true;
    LearnPeer();
    if (handler != nullptr) handler->OnConnected();
    if (closing) return;
    StartReading();
    if (!output.empty()) AskTurnEnd();
  }

  void LearnPeer() {
    if (handle.type != UV_TCP) {
      if (peer_text.empty()) peer_text = "unix:";
      return;
    }
    uv_tcp_nodelay(&tcp, 1);
    sockaddr_storage address{};
    int length = sizeof address;
    if (uv_tcp_getpeername(&tcp, reinterpret_cast<sockaddr*>(&address), &length) != 0) return;
    peer = HostPortOf(address);
    peer_text = peer.ToString();
  }

  void ConnectTo(const sockaddr* address) {
    connect_request.data = this;
    const int rc = uv_tcp_connect(&connect_request, &tcp, address, &Impl::OnConnect);
    if (rc != 0) FailConnectLater(rc);
  }
  static void OnConnect(uv_connect_t* request, int status) noexcept {
    auto* self = static_cast<Impl*>(request->data);
    if (self->closing) return;
    if (status != 0) return self->FailConnect(status);
    self->Connected();
  }
  void FailConnect(int rc) {
    Fail(MakeError(ErrorCode::kUnreachable, "connect to " + peer_text + ": " + uv_strerror(rc)));
  }
  // The handler must not hear of a failure before Connect has returned the object it belongs to.
  void FailConnectLater(int rc) {
    timer = std::make_unique<Timer>(*loop, [this, rc] { FailConnect(rc); });
    timer->Start(0);
  }
};

std::unique_ptr<Connection> Connection::Connect(Loop& loop, const Address& to, int64_t timeout_ms,
                                                ConnectionHandler* handler) {
  auto* impl = new Impl;
  impl->Init(loop, to.kind == Address::Kind::kTcp);
  impl->handler = handler;
  impl->peer_text = to.ToString();
  impl->timer = std::make_unique<Timer>(loop, [impl, timeout_ms] {
    impl->Fail(MakeError(ErrorCode::kTimeout,
                         "connect to " + impl->peer_text + ": no answer within " + std::to_string(timeout_ms) + " ms"));
  });
  impl->timer->Start(timeout_ms);
  std::unique_ptr<Connection> connection(new Connection(impl));
  if (to.kind == Address::Kind::kUnix) {
    auto name = UnixName::Make(to.path);
    if (!name) {
      impl->FailConnectLater(UV_ENOENT);
      return connection;
    }
    impl->unix_name = std::move(*name);
    impl->connect_request.data = impl;
    uv_pipe_connect(&impl->connect_request, &impl->pipe, impl->unix_name.path().c_str(), &Impl::OnConnect);
    return connection;
  }
  sockaddr_storage address{};
  if (NumericSockaddr(to.host, to.port, &address)) {
    impl->ConnectTo(reinterpret_cast<sockaddr*>(&address));
    return connection;
  }
  impl->looking_up = true;
  impl->lookup_request.data = impl;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  const int rc = uv_getaddrinfo(
      loop.raw(), &impl->lookup_request,
      [](uv_getaddrinfo_t* request, int status, addrinfo* found) noexcept {
        auto* self = static_cast<Impl*>(request->data);
        self->looking_up = false;
        if (self->closing) {
          self->MaybeFree();
        } else if (status != 0) {
          self->FailConnect(status);
        } else {
          self->ConnectTo(found->ai_addr);
        }
        uv_freeaddrinfo(found);
      },
      to.host.c_str(), std::to_string(to.port).c_str(), &hints);
  if (rc != 0) {
    impl->looking_up = false;
    impl->FailConnectLater(rc);
  }
  return connection;
}

std::unique_ptr<Connection> Connection::FromSocket(Loop& loop, UniqueFd socket, bool is_tcp) {
  auto* impl = new Impl;
  impl->Init(loop, is_tcp);
  std::unique_ptr<Connection> connection(new Connection(impl));
  // Neither asks the system for anything that a fresh socket could refuse.
  if (is_tcp) {
    uv_tcp_open(&impl->tcp, socket.Release());
  } else {
    uv_pipe_open(&impl->pipe, socket.Release());
  }
  impl->connected = true;
  impl->LearnPeer();
  return connection;
}

Connection::~Connection() {
  impl_->owned = false;
  if (impl_->closing) {
    impl_->MaybeFree();
  } else {
    impl_->BeginClose();
  }
}

void Connection::Start(ConnectionHandler* handler) {
  impl_->handler = handler;
  impl_->StartReading();
}

void Connection::Write(std::string_view bytes) {
  if (!impl_->closing) impl_->AppendTarget().append(bytes);
}

std::string& Connection::Output() {
  if (impl_->closing) return impl_->output.Nowhere();
  return impl_->AppendTarget();
}

void Connection::WritePinned(std::shared_ptr<const void> pin, std::string_view bytes) {
  if (impl_->closing || bytes.empty()) return;
  impl_->output.AddPinned(std::move(pin), bytes);
  impl_->AskTurnEnd();
}

size_t Connection::queued_bytes() const { return impl_->OutputBytes(); }
void Connection::WatchOutput(size_t high_water_bytes) { impl_->high_water = high_water_bytes; }
void Connection::Expect(size_t bytes) { impl_->input.Expect(bytes); }

void Connection::PauseReading() {
  impl_->paused = true;
  if (std::exchange(impl_->reading, false) && !impl_->closing) uv_read_stop(&impl_->stream);
}
void Connection::ResumeReading() {
  impl_->paused = false;
  impl_->StartReading();
  if (!impl_->input.empty()) {
    impl_->redeliver = true;
    impl_->AskTurnEnd();
  }
}

void Connection::Close() { impl_->BeginClose(); }

void Connection::CloseAfterWrite() {
  if (impl_->closing || impl_->close_after_write) return;
  impl_->handler = nullptr;
  PauseReading();
  impl_->close_after_write = true;
  auto* impl = impl_;
  impl->timer = std::make_unique<Timer>(*impl->loop, [impl] { impl->BeginClose(); });
  impl->timer->Start(kLingerMs);
  impl->AskTurnEnd();
}

bool Connection::closed() const { return impl_->closing; }
const HostPort& Connection::peer() const { return impl_->peer; }
const std::string& Connection::peer_text() const { return impl_->peer_text; }

std::string Connection::local_text() const {
  if (impl_->closing || impl_->handle.type != UV_TCP) return {};
  sockaddr_storage address{};
  int length = sizeof address;
  if (uv_tcp_getsockname(&impl_->tcp, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  return HostPortOf(address).ToString();
}

}  // namespace mq::loop
