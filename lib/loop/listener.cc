#include "loop/listener.h"

#include <sys/socket.h>
#include <uv.h>

#include <string>
#include <utility>

#include "loop/stream_util.h"

namespace mq::loop {

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
    auto connection = Connection::AcceptFrom(*loop, &stream, address.kind == Address::Kind::kTcp);
    if (connection && on_accept) on_accept(std::move(connection));
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
