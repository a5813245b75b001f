#include "wire.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

namespace mq::crash {

Result<UniqueFd> ConnectTo(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    return MakeError(ErrorCode::kInvalidArgument, "the path is too long: " + socket_path);
  }
  std::strcpy(address.sun_path, socket_path.c_str());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid() || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return ErrnoError(ErrorCode::kUnreachable, "connect to " + socket_path);
  }
  return socket;
}

protocol::CommandHead HeadOf(protocol::RequestCode code, int32_t opaque) {
  protocol::CommandHead head;
  head.type = protocol::SerializeType::kRocketMq;
  head.code = static_cast<int32_t>(code);
  head.opaque = opaque;
  return head;
}

}  // namespace mq::crash
