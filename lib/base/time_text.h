// Times as people type and read them. Inside, a time is milliseconds since 1970 UTC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq {

// RFC 3339 (zone required), "@SECONDS", "@MILLISECONDS" (13 digits), "-90m" (before now), "now".
Result<int64_t> ParseTime(std::string_view text, int64_t now_ms);
// RFC 3339 with milliseconds, in UTC: 2026-11-29T18:49:02.715Z.
std::string FormatTime(int64_t ms);
// RFC 3339 to the second, in the local time zone: 2026-11-30T04:00:00+01:00.
std::string FormatLocalTime(int64_t ms);

}  // namespace mq
