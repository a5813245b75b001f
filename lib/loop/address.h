// Where a peer listens: "host:port", "[v6]:port" or "unix:/path".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::loop {

struct Address {
  enum class Kind { kTcp, kUnix };
  Kind kind = Kind::kTcp;
  std::string host;  // name, IPv4 or IPv6 without brackets
  int port = 0;      // 0 to 65535
  std::string path;  // of a Unix socket

  // A port is needed unless default_port is given (not -1). Errors name the text.
  static Result<Address> Parse(std::string_view text, int default_port = -1);
  std::string ToString() const;
  bool operator==(const Address&) const = default;
};

// The numeric address of a connected peer, as RocketMQ stores it in records: 4 or 16 bytes and the port. A Unix peer
// counts as 127.0.0.1, port 0. IPv4 in IPv6 clothes is IPv4.
struct HostPort {
  uint8_t bytes[16] = {127, 0, 0, 1};
  int length = 4;  // 4 or 16
  int port = 0;
  static Result<HostPort> FromNumeric(std::string_view host, int port);
  std::string ToString() const;  // "1.2.3.4:5", "[::1]:5"
};

// The first address of this machine that is not loopback, IPv4 before IPv6; empty when there is none.
std::string FirstNonLoopbackAddress();

}  // namespace mq::loop
