#include "protocol/host.h"

#include <arpa/inet.h>

#include <cstring>

#include "base/bytes.h"
#include "base/strings.h"

namespace mq::protocol {

std::string Host::ToString() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(v6 ? AF_INET6 : AF_INET, address.data(), text, sizeof text);
  const std::string number = std::to_string(port);
  return v6 ? "[" + std::string(text) + "]:" + number : std::string(text) + ":" + number;
}

Result<Host> ParseHost(std::string_view text) {
  const auto fail = [text] {
    return MakeError(ErrorCode::kInvalidArgument, "\"" + std::string(text) + "\" is not an ip:port");
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail();
  const Result<int64_t> port = ParseInt64(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return fail();
  std::string name(text.substr(0, colon));
  Host host;
  host.port = static_cast<int32_t>(*port);
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
    host.v6 = true;
    name = name.substr(1, name.size() - 2);
  }
  if (inet_pton(host.v6 ? AF_INET6 : AF_INET, name.c_str(), host.address.data()) != 1) return fail();
  return host;
}

void EncodeHost(const Host& host, char* out) {
  const size_t n = host.address_bytes();
  std::memcpy(out, host.address.data(), n);
  StoreBe32(out + n, static_cast<uint32_t>(host.port));
}

Host DecodeHost(const char* bytes, bool v6) {
  Host host;
  host.v6 = v6;
  const size_t n = host.address_bytes();
  std::memcpy(host.address.data(), bytes, n);
  host.port = static_cast<int32_t>(LoadBe32(bytes + n));
  return host;
}

}  // namespace mq::protocol
