#include "loop/stream_util.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace mq::loop {

bool NumericSockaddr(const std::string& host, int port, sockaddr_storage* out) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(out);
  if (::inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    return true;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(out);
  if (::inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    return true;
  }
  return false;
}

bool ResolveSockaddr(const std::string& host, int port, sockaddr_storage* out) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0 || found == nullptr) return false;
  std::memcpy(out, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return true;
}

HostPort HostPortOf(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return HostPort::FromNumeric(text, ntohs(v6.sin6_port)).value_or(HostPort{});
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  HostPort out;
  std::memcpy(out.bytes, &v4.sin_addr, 4);
  out.port = ntohs(v4.sin_port);
  return out;
}

Result<UnixName> UnixName::Make(const std::string& path) {
  UnixName out;
  MQ_ASSIGN(out.directory_, OpenFile(DirectoryOf(path), O_PATH | O_DIRECTORY));
  const size_t slash = path.rfind('/');
  out.name_ = slash == std::string::npos ? path : path.substr(slash + 1);
  out.short_path_ = "/proc/self/fd/" + std::to_string(out.directory_.get()) + "/" + out.name_;
  if (out.name_.empty() || out.short_path_.size() >= sizeof(sockaddr_un{}.sun_path)) {
    return MakeError(ErrorCode::kInvalidArgument, "socket name '" + path + "' is empty or too long");
  }
  return out;
}

void UnixName::Unlink() {
  if (bound_) ::unlinkat(directory_.get(), name_.c_str(), 0);
  bound_ = false;
}

Result<UniqueFd> BindUnix(UnixName& name, const std::string& path, int type) {
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return ErrnoError(ErrorCode::kIo, "make a socket for " + path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, name.path().c_str(), sizeof address.sun_path - 1);
  const auto* raw = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(fd.get(), raw, sizeof address) == 0) {
    name.SetBound();
    return fd;
  }
  if (errno != EADDRINUSE) return ErrnoError(ErrorCode::kIo, "listen on unix:" + path);
  const UniqueFd probe(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int rc = ::connect(probe.get(), raw, sizeof address);
  if (rc == 0 || errno == EAGAIN || errno == EINPROGRESS) {
    return MakeError(ErrorCode::kHeldByOther, "listen on unix:" + path + ": a live process serves there");
  }
  ::unlink(address.sun_path);
  if (::bind(fd.get(), raw, sizeof address) != 0) return ErrnoError(ErrorCode::kIo, "listen on unix:" + path);
  name.SetBound();
  return fd;
}

}  // namespace mq::loop
