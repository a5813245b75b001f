// The address of a born host or store host as records and message ids carry it: 4 or 16 address bytes
// and a 32-bit port. Not for connecting; loop::Address does that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::protocol {

struct Host {
  std::array<uint8_t, 16> address{};  // the first 4 bytes when not v6
  int32_t port = 0;
  bool v6 = false;

  size_t address_bytes() const { return v6 ? 16 : 4; }
  // Bytes in a record: 8 or 20.
  size_t encoded_bytes() const { return address_bytes() + 4; }
  bool operator==(const Host&) const = default;

  // "127.0.0.1:10911", "[::1]:10911".
  std::string ToString() const;
};

// Parses a numeric "ip:port" or "[ip6]:port"; names are refused.
Result<Host> ParseHost(std::string_view text);

void EncodeHost(const Host& host, char* out);
Host DecodeHost(const char* bytes, bool v6);

}  // namespace mq::protocol
