// The socket below ctl: SOCK_SEQPACKET over a Unix socket in mq/, with descriptors.
// Bound and connected through the opened directory (/proc/self/fd/N/name), so long store paths work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace mq::ctl {

// Non-blocking, close-on-exec. Replaces a socket file nobody listens on. Mode 0600.
Result<UniqueFd> Listen(const std::string& directory, std::string_view name);
// kUnreachable when nobody listens there.
Result<UniqueFd> Connect(const std::string& directory, std::string_view name);
// Nothing (an invalid descriptor) when no connection waits.
Result<UniqueFd> Accept(int listener);

struct Credentials {
  int64_t pid = 0;
  uint32_t uid = 0;
};
Result<Credentials> PeerOf(int fd);

// One datagram with up to two descriptors. A full socket buffer is kBusy.
Status Send(int fd, std::string_view bytes, const std::vector<int>& descriptors = {});

struct Received {
  bool closed = false;
  bool nothing = false;  // would block
  std::string bytes;
  std::vector<UniqueFd> descriptors;
};
Result<Received> Receive(int fd);

}  // namespace mq::ctl
