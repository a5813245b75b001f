// A place in a topic's queues as --from and --to of mq-consume name it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace mq::consume {

struct Where {
  enum class Kind { kStart, kEnd, kOffset, kTime, kStored } kind = Kind::kStart;
  std::int64_t value = 0;  // the offset, or milliseconds since 1970
  bool operator==(const Where&) const = default;
};

// "start", "end", "stored" (of a group), an offset, a time (RFC 3339, @SECONDS, @MILLISECONDS, now) or -DURATION before
// `now_ms`.
Result<Where> ParseWhere(std::string_view text, std::int64_t now_ms);

}  // namespace mq::consume
