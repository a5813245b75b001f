#include "loop/listener.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <uv.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/log.h"
#include "loop/stream_util.h"

namespace mq::loop {
namespace {

// What waits beyond it is refused by the kernel.
constexpr int kBacklog = 1024;
// Connections taken in one turn: those that are open already have their turn too.
constexpr int kAcceptsPerTurn = 64;
// Without descriptors: how often it is tried again.
constexpr int64_t kRetryMs = 100;

bool OutOfDescriptors(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

Error ListenError(const Address& at, int error) {
  const auto code = error == EADDRINUSE ? ErrorCode::kHeldByOther : ErrorCode::kConfig;
  return MakeError(code, "listen on " + at.ToString() + ": " + uv_strerror(-error));
}

Result<UniqueFd> BindTcp(const Address& at) {
  sockaddr_storage address{};
  if (!NumericSockaddr(at.host, at.port, &address) && !ResolveSockaddr(at.host, at.port, &address)) {
    return MakeError(ErrorCode::kConfig, "listen on " + at.ToString() + ": the host is unknown");
  }
  UniqueFd fd(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return ListenError(at, errno);
  const int on = 1;
  const int off = 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // [::] takes IPv4 too, whatever the machine's default is.
  const bool v6 = address.ss_family == AF_INET6;
  if (v6) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const socklen_t length = v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) return ListenError(at, errno);
  return fd;
}

}  // namespace

// libuv's own listener takes and closes connections when there are no descriptors left. This one leaves them in the
// kernel's queue, where they wait for some to be free.
struct Listener::Impl {
  uv_poll_t poll;
  UniqueFd fd;
  Loop* loop = nullptr;
  Address address;
  OnAccept on_accept;
  UnixName unix_name;
  std::unique_ptr<Timer> pause;
  log::RateLimit pause_lines{6};

  void Watch() {
    uv_poll_start(&poll, UV_READABLE,
                  [](uv_poll_t* handle, int, int) noexcept { static_cast<Impl*>(handle->data)->AcceptAll(); });
  }

  // False when there are no descriptors for those that wait.
  bool AcceptAll() {
    for (int i = 0; i < kAcceptsPerTurn && on_accept; ++i) {
      UniqueFd accepted(::accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (accepted.valid()) {
        on_accept(Connection::FromSocket(*loop, std::move(accepted), address.kind == Address::Kind::kTcp));
      } else if (OutOfDescriptors(errno)) {
        Pause(errno);
        return false;
      } else if (errno != EINTR && errno != ECONNABORTED) {
        break;
      }
    }
    return true;
  }

  void Pause(int error) {
    if (pause != nullptr) return;
    uint64_t suppressed = 0;
    if (pause_lines.Allow(&suppressed)) {
      log::Warn("listen.pause", "no descriptors are left: new connections wait until some are closed")
          .Field("address", address.ToString())
          .Field("error", std::strerror(error))
          .Field("suppressed", suppressed);
    }
    uv_poll_stop(&poll);
    pause = std::make_unique<Timer>(*loop, [this] {
      if (!AcceptAll() || pause == nullptr) return;
      log::Info("listen.pause", "connections are taken again").Field("address", address.ToString());
      Watch();
      pause.reset();
    });
    pause->Start(kRetryMs, kRetryMs);
  }
};

Result<std::unique_ptr<Listener>> Listener::Open(Loop& loop, const Address& at, OnAccept on_accept) {
  UniqueFd fd;
  UnixName unix_name;
  if (at.kind == Address::Kind::kTcp) {
    MQ_ASSIGN(fd, BindTcp(at));
  } else {
    MQ_ASSIGN(unix_name, UnixName::Make(at.path));
    MQ_ASSIGN(fd, BindUnix(unix_name, at.path));
  }
  if (::listen(fd.get(), kBacklog) != 0) return ListenError(at, errno);
  auto impl = std::make_unique<Impl>();
  if (const int rc = uv_poll_init(loop.raw(), &impl->poll, fd.get()); rc != 0) return ListenError(at, -rc);
  impl->poll.data = impl.get();
  impl->fd = std::move(fd);
  impl->loop = &loop;
  impl->address = at;
  impl->on_accept = std::move(on_accept);
  impl->unix_name = std::move(unix_name);
  if (at.kind == Address::Kind::kTcp) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    ::getsockname(impl->fd.get(), reinterpret_cast<sockaddr*>(&address), &length);
    impl->address.port = HostPortOf(address).port;
  }
  impl->Watch();
  return std::unique_ptr<Listener>(new Listener(impl.release()));
}

Listener::~Listener() {
  impl_->on_accept = nullptr;
  impl_->pause.reset();
  impl_->unix_name.Unlink();
  uv_close(reinterpret_cast<uv_handle_t*>(&impl_->poll),
           [](uv_handle_t* handle) noexcept { delete static_cast<Impl*>(handle->data); });
}

const Address& Listener::address() const { return impl_->address; }

}  // namespace mq::loop
