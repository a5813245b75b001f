#include "consume/where.h"

#include <algorithm>

#include "base/strings.h"
#include "base/time_text.h"

namespace mq::consume {

Result<Where> ParseWhere(std::string_view text, std::int64_t now_ms) {
  if (text == "start") return Where{Where::Kind::kStart, 0};
  if (text == "end") return Where{Where::Kind::kEnd, 0};
  if (text == "stored") return Where{Where::Kind::kStored, 0};
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) {
    const Result<std::int64_t> offset = ParseInt64(text);
    if (offset) return Where{Where::Kind::kOffset, *offset};
  }
  const Result<std::int64_t> time = ParseTime(text, now_ms);
  if (time) return Where{Where::Kind::kTime, *time};
  return MakeError(ErrorCode::kConfig, "'" + std::string(text) +
                                           "' is not start, end, an offset, a time such as 2026-01-31T12:00:00Z, "
                                           "@SECONDS or -90m");
}

}  // namespace mq::consume
