#include "ctl/seqpacket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "ctl/message.h"

namespace mq::ctl {

namespace {

constexpr int kBacklog = 16;
constexpr size_t kMaxDescriptors = 4;

// A socket address below an opened directory: store paths may be longer than sockaddr_un holds.
struct ShortAddress {
  UniqueFd directory;
  sockaddr_un address = {};
};

Result<ShortAddress> AddressIn(const std::string& directory, std::string_view name) {
  ShortAddress result;
  result.directory = UniqueFd(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!result.directory.valid()) {
    return ErrnoError(errno == ENOENT ? ErrorCode::kUnreachable : ErrorCode::kIo, "open " + directory);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(result.directory.get()) + "/" + std::string(name);
  if (path.size() >= sizeof result.address.sun_path) {
    return MakeError(ErrorCode::kInvalidArgument, "socket name is too long: " + std::string(name));
  }
  result.address.sun_family = AF_UNIX;
  std::memcpy(result.address.sun_path, path.c_str(), path.size() + 1);
  return result;
}

Result<UniqueFd> NewSocket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoError(ErrorCode::kIo, "make a socket");
  return fd;
}

}  // namespace

Result<UniqueFd> Listen(const std::string& directory, std::string_view name) {
  MQ_ASSIGN(ShortAddress at, AddressIn(directory, name));
  MQ_ASSIGN(UniqueFd fd, NewSocket());
  // The caller holds the store's lock, so a socket that is there belongs to nobody alive.
  ::unlinkat(at.directory.get(), std::string(name).c_str(), 0);
  if (::fchmod(fd.get(), 0600) != 0) return ErrnoError(ErrorCode::kIo, "protect the socket");
  const std::string path = directory + "/" + std::string(name);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&at.address), sizeof at.address) != 0) {
    return ErrnoError(ErrorCode::kIo, "bind " + path);
  }
  if (::listen(fd.get(), kBacklog) != 0) return ErrnoError(ErrorCode::kIo, "listen on " + path);
  return fd;
}

Result<UniqueFd> Connect(const std::string& directory, std::string_view name) {
  MQ_ASSIGN(ShortAddress at, AddressIn(directory, name));
  MQ_ASSIGN(UniqueFd fd, NewSocket());
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&at.address), sizeof at.address) != 0) {
    return ErrnoError(ErrorCode::kUnreachable, "connect to " + directory + "/" + std::string(name));
  }
  return fd;
}

Result<UniqueFd> Accept(int listener) {
  UniqueFd fd(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.valid() && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
    return ErrnoError(ErrorCode::kIo, "accept on ctl.sock");
  }
  return fd;
}

Result<Credentials> PeerOf(int fd) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return ErrnoError(ErrorCode::kIo, "ask who is connected");
  }
  return Credentials{peer.pid, peer.uid};
}

Status Send(int fd, std::string_view bytes, const std::vector<int>& descriptors) {
  iovec part = {const_cast<char*>(bytes.data()), bytes.size()};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control = {};
  if (!descriptors.empty()) {
    if (descriptors.size() > kMaxDescriptors) return MakeError(ErrorCode::kInternal, "too many descriptors");
    const size_t size = sizeof(int) * descriptors.size();
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(size);
    cmsghdr* message = CMSG_FIRSTHDR(&header);
    message->cmsg_level = SOL_SOCKET;
    message->cmsg_type = SCM_RIGHTS;
    message->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(message), descriptors.data(), size);
  }
  ssize_t sent;
  do {
    sent = ::sendmsg(fd, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return Ok();
  const bool full = errno == EAGAIN || errno == ENOBUFS;
  return ErrnoError(full ? ErrorCode::kBusy : ErrorCode::kClosed, "send on ctl.sock");
}

Result<Received> Receive(int fd) {
  Received received;
  received.bytes.resize(kMaxMessageBytes);
  iovec part = {received.bytes.data(), received.bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t size;
  do {
    size = ::recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < 0) {
    received.bytes.clear();
    received.nothing = errno == EAGAIN;
    received.closed = !received.nothing;
    return received;
  }
  for (cmsghdr* message = CMSG_FIRSTHDR(&header); message != nullptr; message = CMSG_NXTHDR(&header, message)) {
    if (message->cmsg_level != SOL_SOCKET || message->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (message->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int descriptor;
      std::memcpy(&descriptor, CMSG_DATA(message) + i * sizeof(int), sizeof descriptor);
      received.descriptors.emplace_back(descriptor);
    }
  }
  received.closed = size == 0;
  if ((header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    return MakeError(ErrorCode::kProtocol, "a ctl message is too long");
  }
  received.bytes.resize(static_cast<size_t>(size));
  return received;
}

}  // namespace mq::ctl
