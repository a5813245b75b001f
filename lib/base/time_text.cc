#include "base/time_text.h"

#include <cstdio>
#include <ctime>

#include "base/strings.h"

namespace mq {
namespace {

Error BadTime(std::string_view text, const char* why) {
  return MakeError(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is not a time: " + why)
      .WithHint("write 2026-01-02T03:04:05Z, 2026-01-02T03:04:05.678+08:00, @SECONDS, @MILLISECONDS, -90m or now");
}

// Reads exactly `digits` digits at position *at, moving it on; -1 when they are not there.
int Number(std::string_view text, size_t* at, int digits) {
  int value = 0;
  for (int i = 0; i < digits; ++i, ++*at) {
    if (*at >= text.size() || text[*at] < '0' || text[*at] > '9') return -1;
    value = value * 10 + (text[*at] - '0');
  }
  return value;
}

bool Literal(std::string_view text, size_t* at, std::string_view accepted) {
  if (*at >= text.size() || accepted.find(text[*at]) == std::string_view::npos) return false;
  ++*at;
  return true;
}

Result<int64_t> ParseRfc3339(std::string_view text) {
  size_t at = 0;
  tm fields{};
  const int year = Number(text, &at, 4);
  const bool date_ok = year >= 0 && Literal(text, &at, "-") && (fields.tm_mon = Number(text, &at, 2)) >= 1 &&
                       fields.tm_mon <= 12 && Literal(text, &at, "-") && (fields.tm_mday = Number(text, &at, 2)) >= 1 &&
                       fields.tm_mday <= 31 && Literal(text, &at, "Tt ");
  if (!date_ok) return BadTime(text, "no date of the form YYYY-MM-DDT");
  const bool time_ok = (fields.tm_hour = Number(text, &at, 2)) >= 0 && fields.tm_hour <= 23 &&
                       Literal(text, &at, ":") && (fields.tm_min = Number(text, &at, 2)) >= 0 && fields.tm_min <= 59 &&
                       Literal(text, &at, ":") && (fields.tm_sec = Number(text, &at, 2)) >= 0 && fields.tm_sec <= 60;
  if (!time_ok) return BadTime(text, "no time of day of the form HH:MM:SS");
  int64_t fraction_ms = 0;
  if (Literal(text, &at, ".")) {
    int scale = 100;
    const size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      fraction_ms += (text[at++] - '0') * scale;
      scale /= 10;
    }
    if (at == start) return BadTime(text, "no digits after the point");
  }
  int64_t zone_minutes = 0;
  if (Literal(text, &at, "Zz")) {
    zone_minutes = 0;
  } else if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    const int sign = text[at++] == '-' ? -1 : 1;
    const int hours = Number(text, &at, 2);
    const bool colon = Literal(text, &at, ":");
    const int minutes = Number(text, &at, 2);
    if (hours < 0 || hours > 23 || !colon || minutes < 0 || minutes > 59) return BadTime(text, "zone is not +HH:MM");
    zone_minutes = sign * (hours * 60 + minutes);
  } else {
    return BadTime(text, "the zone is missing (Z or +HH:MM)");
  }
  if (at != text.size()) return BadTime(text, "text follows the time");
  fields.tm_year = year - 1900;
  fields.tm_mon -= 1;
  const int month = fields.tm_mon;
  const int day = fields.tm_mday;
  const int64_t seconds = timegm(&fields);
  if (fields.tm_mon != month || fields.tm_mday != day) return BadTime(text, "that day does not exist");
  return (seconds - zone_minutes * 60) * 1000 + fraction_ms;
}

}  // namespace

Result<int64_t> ParseTime(std::string_view text, int64_t now_ms) {
  if (text == "now") return now_ms;
  if (text.starts_with("@")) {
    const auto number = ParseInt64(text.substr(1));
    if (!number || *number < 0) return BadTime(text, "no number after @");
    if (text.size() == 14) return *number;
    if (text.size() > 14) return BadTime(text, "more than 13 digits");
    return *number * 1000;
  }
  if (text.starts_with("-")) {
    const auto ago = ParseDurationMs(text.substr(1));
    if (!ago) return BadTime(text, "no duration after -");
    return now_ms - *ago;
  }
  return ParseRfc3339(text);
}

std::string FormatTime(int64_t ms) {
  const int64_t seconds = ms >= 0 ? ms / 1000 : (ms - 999) / 1000;
  const time_t t = static_cast<time_t>(seconds);
  tm fields{};
  gmtime_r(&t, &fields);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", fields.tm_year + 1900, fields.tm_mon + 1,
                fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec, static_cast<int>(ms - seconds * 1000));
  return buffer;
}

std::string FormatLocalTime(int64_t ms) {
  const auto t = static_cast<time_t>(ms / 1000);
  tm fields{};
  localtime_r(&t, &fields);
  const long minutes = fields.tm_gmtoff / 60;
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04d-%02d-%02dT%02d:%02d:%02d%c%02ld:%02ld", fields.tm_year + 1900,
                fields.tm_mon + 1, fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec,
                minutes < 0 ? '-' : '+', std::abs(minutes) / 60, std::abs(minutes) % 60);
  return buffer;
}

}  // namespace mq
