#include "client/client_id.h"

#include <unistd.h>

#include <chrono>

#include "loop/address.h"

namespace mq::client {

std::string MakeClientId() {
  std::string host = loop::FirstNonLoopbackAddress();
  if (host.empty()) host = "127.0.0.1";
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return host + "@" + std::to_string(::getpid()) + "#" + std::to_string(nanoseconds);
}

}  // namespace mq::client
