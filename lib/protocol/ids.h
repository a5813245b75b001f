// The two message ids.
//   offset id  made by the broker: hex of store host address, i32 port, i64 commit log offset
//   UNIQ_KEY   made by the client: hex of local address, pid, a random word, ms of the month, counter
// Upper-case hex, 32 characters with an IPv4 address and 56 with an IPv6 one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/host.h"
#include "protocol/offsets.h"

namespace mq::protocol {

inline constexpr size_t kMessageIdCharsV4 = 32;
inline constexpr size_t kMessageIdCharsV6 = 56;

struct OffsetMessageId {
  Host host;
  PhysicalOffset offset;
};

std::string MakeOffsetMessageId(const Host& store_host, PhysicalOffset offset);
void AppendOffsetMessageId(std::string& out, const Host& store_host, PhysicalOffset offset);
// Accepts lower case; any other length or letter is an error.
Result<OffsetMessageId> ParseOffsetMessageId(std::string_view id);

// Makes UNIQ_KEY values for one process. Not thread-safe: one per loop.
class UniqKeyGenerator {
 public:
  // `address` goes into the ids: the first non-loopback address of this machine, or any.
  explicit UniqKeyGenerator(const Host& address);

  // Appends the next id. `now_ms` is the wall clock.
  void Append(std::string& out, int64_t now_ms);
  std::string Next(int64_t now_ms);

 private:
  void StartMonth(int64_t now_ms);

  std::string prefix_;  // hex of address, pid and random word
  int64_t month_start_ms_ = 0;
  int64_t next_month_ms_ = 0;
  uint16_t counter_ = 0;
};

}  // namespace mq::protocol
