#include "loop/address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstring>

#include "base/strings.h"

namespace mq::loop {
namespace {

Error BadAddress(std::string_view text, const char* why) {
  return MakeError(ErrorCode::kInvalidArgument, "address '" + std::string(text) + "': " + why)
      .WithHint("write host:port, [v6]:port or unix:/path");
}

std::string BracketIfV6(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

Result<Address> Address::Parse(std::string_view text, int default_port) {
  Address out;
  if (text.starts_with("unix:")) {
    out.kind = Kind::kUnix;
    out.path = text.substr(5);
    if (out.path.empty()) return BadAddress(text, "the path is missing");
    if (out.path.find('\0') != std::string::npos) return BadAddress(text, "the path holds a NUL byte");
    return out;
  }
  std::string_view port;
  bool has_port = false;
  if (text.starts_with("[")) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return BadAddress(text, "']' is missing");
    out.host = text.substr(1, close - 1);
    std::string_view rest = text.substr(close + 1);
    if (rest.starts_with(":")) {
      has_port = true;
      port = rest.substr(1);
    } else if (!rest.empty()) {
      return BadAddress(text, "text follows ']'");
    }
    in6_addr v6;
    if (::inet_pton(AF_INET6, out.host.c_str(), &v6) != 1) return BadAddress(text, "what is in [] is no IPv6 address");
  } else {
    const size_t colon = text.rfind(':');
    if (colon != std::string_view::npos && text.find(':') != colon) {
      return BadAddress(text, "an IPv6 address stands in brackets");
    }
    has_port = colon != std::string_view::npos;
    out.host = text.substr(0, colon);
    if (has_port) port = text.substr(colon + 1);
  }
  if (out.host.empty()) return BadAddress(text, "the host is missing");
  if (out.host.find_first_of(" \t\r\n/\0") != std::string::npos)
    return BadAddress(text, "the host holds a blank or '/'");
  if (!has_port) {
    if (default_port < 0) return BadAddress(text, "the port is missing");
    out.port = default_port;
    return out;
  }
  const auto number = ParseInt64(port);
  if (!number || *number < 0 || *number > 65535) return BadAddress(text, "the port is no number from 0 to 65535");
  out.port = static_cast<int>(*number);
  return out;
}

std::string Address::ToString() const {
  if (kind == Kind::kUnix) return "unix:" + path;
  return BracketIfV6(host) + ":" + std::to_string(port);
}

Result<HostPort> HostPort::FromNumeric(std::string_view host, int port) {
  HostPort out;
  out.port = port;
  const std::string text(host);
  if (::inet_pton(AF_INET, text.c_str(), out.bytes) == 1) return out;
  if (::inet_pton(AF_INET6, text.c_str(), out.bytes) == 1) {
    out.length = 16;
    constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    if (std::memcmp(out.bytes, kMapped, sizeof kMapped) == 0) {
      std::memmove(out.bytes, out.bytes + 12, 4);
      out.length = 4;
    }
    return out;
  }
  return MakeError(ErrorCode::kInvalidArgument, "'" + text + "' is not a numeric address");
}

std::string HostPort::ToString() const {
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, text, sizeof text);
  return BracketIfV6(text) + ":" + std::to_string(port);
}

std::string FirstNonLoopbackAddress() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  std::string v4;
  std::string v6;
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_LOOPBACK) != 0 || (i->ifa_flags & IFF_UP) == 0) continue;
    char text[INET6_ADDRSTRLEN] = "";
    if (i->ifa_addr->sa_family == AF_INET && v4.empty()) {
      ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
      v4 = text;
    } else if (i->ifa_addr->sa_family == AF_INET6 && v6.empty()) {
      const auto& address = reinterpret_cast<sockaddr_in6*>(i->ifa_addr)->sin6_addr;
      if (IN6_IS_ADDR_LINKLOCAL(&address)) continue;
      ::inet_ntop(AF_INET6, &address, text, sizeof text);
      v6 = text;
    }
  }
  ::freeifaddrs(list);
  return v4.empty() ? v6 : v4;
}

}  // namespace mq::loop
