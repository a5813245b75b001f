#include "loop/connection.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <uv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "loop/stream_util.h"

namespace mq::loop {
namespace {

// A frame that is not whole yet is kept in a buffer of its own; it starts no smaller than this.
constexpr size_t kFirstPendingBytes = 64 * 1024;
// A frame no larger than this gets its room at once, on its announcement alone.
constexpr size_t kTrustedFrameBytes = 1024 * 1024;
// An output buffer that grew past this is given back once it is empty.
constexpr size_t kKeepOutputBytes = 1024 * 1024;
constexpr size_t kMaxIovecs = 256;
constexpr int64_t kLingerMs = 5000;

// A piece of output: bytes of our own, or a view that the pin keeps valid.
struct Chunk {
  std::string owned;
  std::shared_ptr<const void> pin;
  std::string_view view;
  std::string_view bytes() const { return pin ? view : std::string_view(owned); }
};

// Bytes handed to the kernel's hands through uv_write; they live until its callback.
struct WriteRequest {
  uv_write_t request;
  std::deque<Chunk> chunks;
  size_t bytes = 0;
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

  // Input that no call of OnData has consumed yet.
  std::unique_ptr<char[]> pending;
  size_t pending_size = 0;
  size_t pending_capacity = 0;
  size_t expected = 0;

  std::deque<Chunk> output;
  std::string spare;  // an empty buffer with capacity, for the next turn
  size_t queued = 0;
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
    if (output.empty() || output.back().pin) {
      output.emplace_back();
      output.back().owned = std::move(spare);
      output.back().owned.clear();
    }
    AskTurnEnd();
    return output.back().owned;
  }
  void AskTurnEnd() {
    if (turn_end_asked || closing) return;
    turn_end_asked = true;
    loop->AtTurnEnd(this);
  }

  size_t OutputBytes() const {
    size_t n = queued;
    for (const auto& chunk : output) n += chunk.bytes().size();
    return n;
  }

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
      unsigned count = 0;
      size_t total = 0;
      for (const auto& chunk : output) {
        if (count == kMaxIovecs) break;
        if (chunk.bytes().empty()) continue;
        bufs[count++] =
            uv_buf_init(const_cast<char*>(chunk.bytes().data()), static_cast<unsigned>(chunk.bytes().size()));
        total += chunk.bytes().size();
      }
      if (count == 0) {
        output.clear();
        return;
      }
      const int n = uv_try_write(&stream, bufs, count);
      if (n == UV_EAGAIN) return;
      if (n < 0) return Fail(MakeError(ErrorCode::kUnreachable, "write to " + peer_text + ": " + uv_strerror(n)));
      Consume(static_cast<size_t>(n));
      if (static_cast<size_t>(n) < total) return;
    }
  }

  void Consume(size_t n) {
    while (!output.empty()) {
      Chunk& front = output.front();
      const size_t size = front.bytes().size();
      if (n < size) {
        if (front.pin) {
          front.view.remove_prefix(n);
        } else {
          front.owned.erase(0, n);
        }
        return;
      }
      n -= size;
      if (!front.pin && front.owned.capacity() > spare.capacity() && front.owned.capacity() <= kKeepOutputBytes) {
        spare = std::move(front.owned);
        spare.clear();
      }
      output.pop_front();
    }
  }

  void WriteRest() {
    auto* request = new WriteRequest;
    request->chunks.swap(output);
    std::vector<uv_buf_t> bufs;
    for (const auto& chunk : request->chunks) {
      if (chunk.bytes().empty()) continue;
      bufs.push_back(uv_buf_init(const_cast<char*>(chunk.bytes().data()), static_cast<unsigned>(chunk.bytes().size())));
      request->bytes += chunk.bytes().size();
    }
    request->request.data = request;
    queued += request->bytes;
    writing = true;
    const int rc = uv_write(&request->request, &stream, bufs.data(), static_cast<unsigned>(bufs.size()),
                            [](uv_write_t* w, int status) noexcept {
                              const std::unique_ptr<WriteRequest> r(static_cast<WriteRequest*>(w->data));
                              auto* self = static_cast<Impl*>(w->handle->data);
                              self->writing = false;
                              self->queued -= r->bytes;
                              if (self->closing) return;
                              if (status < 0) {
                                return self->Fail(MakeError(ErrorCode::kUnreachable, "write to " + self->peer_text +
                                                                                         ": " + uv_strerror(status)));
                              }
                              self->Flush();
                            });
    if (rc != 0) {
      writing = false;
      queued -= request->bytes;
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
    if (self->pending_size == 0 && self->expected == 0) {
      *buf = uv_buf_init(self->loop->read_buffer(), Loop::kReadBufferBytes);
      return;
    }
    const size_t want =
        std::max({self->Trusted(self->pending_size), kFirstPendingBytes, self->pending_size + self->pending_size / 2});
    if (want > self->pending_capacity) self->GrowPending(want);
    *buf = uv_buf_init(self->pending.get() + self->pending_size,
                       static_cast<unsigned>(self->pending_capacity - self->pending_size));
  }
  // Room for what was announced, as far as the bytes that did come are worth it: eight bytes that promise the largest
  // frame must not reserve that much on each of thousands of connections.
  size_t Trusted(size_t arrived) const { return std::min(expected, std::max(kTrustedFrameBytes, 2 * arrived)); }

  void GrowPending(size_t capacity) {
    std::unique_ptr<char[]> bigger(new char[capacity]);
    if (pending_size > 0) std::memcpy(bigger.get(), pending.get(), pending_size);
    pending = std::move(bigger);
    pending_capacity = capacity;
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
    const bool in_place = pending_size > 0 || (pending && base == pending.get());
    if (in_place) pending_size += n;
    const std::string_view all = in_place ? std::string_view(pending.get(), pending_size) : std::string_view(base, n);
    expected = 0;
    const size_t consumed = handler == nullptr ? 0 : handler->OnData(all);
    if (closing) return;
    KeepRest(all.substr(std::min(consumed, all.size())), in_place);
  }
  // Offers again what was left over when reading was paused.
  void DeliverPending() {
    if (paused || pending_size == 0 || handler == nullptr) return;
    const std::string_view all(pending.get(), pending_size);
    expected = 0;
    const size_t consumed = handler->OnData(all);
    if (closing) return;
    KeepRest(all.substr(std::min(consumed, all.size())), true);
  }
  void KeepRest(std::string_view rest, bool in_place) {
    if (rest.empty()) {
      pending_size = 0;
      if (expected == 0) {
        pending.reset();
        pending_capacity = 0;
      }
      return;
    }
    if (in_place) {
      std::memmove(pending.get(), rest.data(), rest.size());
      pending_size = rest.size();
      return;
    }
    pending_size = 0;
    if (rest.size() > pending_capacity) GrowPending(std::max({rest.size(), Trusted(rest.size()), kFirstPendingBytes}));
    std::memcpy(pending.get(), rest.data(), rest.size());
    pending_size = rest.size();
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
  if (impl_->closing) {
    impl_->spare.clear();
    return impl_->spare;
  }
  return impl_->AppendTarget();
}

void Connection::WritePinned(std::shared_ptr<const void> pin, std::string_view bytes) {
  if (impl_->closing || bytes.empty()) return;
  impl_->output.push_back({{}, std::move(pin), bytes});
  impl_->AskTurnEnd();
}

size_t Connection::queued_bytes() const { return impl_->OutputBytes(); }
void Connection::WatchOutput(size_t high_water_bytes) { impl_->high_water = high_water_bytes; }
void Connection::Expect(size_t bytes) { impl_->expected = bytes; }

void Connection::PauseReading() {
  impl_->paused = true;
  if (std::exchange(impl_->reading, false) && !impl_->closing) uv_read_stop(&impl_->stream);
}
void Connection::ResumeReading() {
  impl_->paused = false;
  impl_->StartReading();
  if (impl_->pending_size > 0) {
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

struct Listener::Impl {
  union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  };
  Loop* loop = nullptr;
  Address address;
  OnAccept on_accept;
  UnixName unix_name;
  Impl() {}
  ~Impl() {}

  void Accept() {
    auto* accepted = new Connection::Impl;
    accepted->Init(*loop, address.kind == Address::Kind::kTcp);
    std::unique_ptr<Connection> connection(new Connection(accepted));
    if (uv_accept(&stream, &accepted->stream) != 0) return;
    accepted->connected = true;
    accepted->LearnPeer();
    if (on_accept) on_accept(std::move(connection));
  }
};

Result<std::unique_ptr<Listener>> Listener::Open(Loop& loop, const Address& at, OnAccept on_accept) {
  auto* impl = new Impl;
  impl->loop = &loop;
  impl->address = at;
  impl->on_accept = std::move(on_accept);
  std::unique_ptr<Listener> listener(new Listener(impl));
  int rc = 0;
  if (at.kind == Address::Kind::kTcp) {
    uv_tcp_init(loop.raw(), &impl->tcp);
    impl->handle.data = impl;
    sockaddr_storage address{};
    if (!NumericSockaddr(at.host, at.port, &address) && !ResolveSockaddr(at.host, at.port, &address)) {
      return MakeError(ErrorCode::kConfig, "listen on " + at.ToString() + ": the host is unknown");
    }
    rc = uv_tcp_bind(&impl->tcp, reinterpret_cast<sockaddr*>(&address), 0);
  } else {
    uv_pipe_init(loop.raw(), &impl->pipe, 0);
    impl->handle.data = impl;
    MQ_ASSIGN(impl->unix_name, UnixName::Make(at.path));
    MQ_ASSIGN(UniqueFd fd, BindUnix(impl->unix_name, at.path));
    rc = uv_pipe_open(&impl->pipe, fd.Release());
  }
  if (rc == 0) {
    rc = uv_listen(&impl->stream, 1024, [](uv_stream_t* server, int status) noexcept {
      if (status == 0) static_cast<Impl*>(server->data)->Accept();
    });
  }
  if (rc != 0) {
    const auto code = rc == UV_EADDRINUSE ? ErrorCode::kHeldByOther : ErrorCode::kConfig;
    return MakeError(code, "listen on " + at.ToString() + ": " + uv_strerror(rc));
  }
  if (at.kind == Address::Kind::kTcp) {
    sockaddr_storage address{};
    int length = sizeof address;
    uv_tcp_getsockname(&impl->tcp, reinterpret_cast<sockaddr*>(&address), &length);
    impl->address.port = HostPortOf(address).port;
  }
  return listener;
}

Listener::~Listener() {
  impl_->on_accept = nullptr;
  impl_->unix_name.Unlink();
  uv_close(&impl_->handle, [](uv_handle_t* h) noexcept { delete static_cast<Impl*>(h->data); });
}

const Address& Listener::address() const { return impl_->address; }

}  // namespace mq::loop
