#include "base/strings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace mq {
namespace {

Error NotA(std::string_view text, const char* kind) {
  return MakeError(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is not " + kind);
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Splits "64K" into its number and its unit.
Result<int64_t> NumberWithUnit(std::string_view text, std::string_view* unit) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  *unit = text.substr(digits);
  return ParseInt64(text.substr(0, digits));
}

Result<int64_t> Multiply(int64_t value, int64_t factor, std::string_view text) {
  int64_t out = 0;
  if (__builtin_mul_overflow(value, factor, &out)) return NotA(text, "in range");
  return out;
}

}  // namespace

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  size_t start = 0;
  while (true) {
    const size_t end = text.find(separator, start);
    out.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return out;
    start = end + 1;
  }
}

std::vector<std::string_view> SplitAny(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  size_t start = text.find_first_not_of(separators);
  while (start != std::string_view::npos) {
    const size_t end = text.find_first_of(separators, start);
    out.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    start = text.find_first_not_of(separators, end);
  }
  return out;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t start = text.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

std::string JoinStrings(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (const auto& part : parts) {
    if (&part != parts.data()) out += separator;
    out += part;
  }
  return out;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return Lower(x) == Lower(y); });
}

Result<int64_t> ParseInt64(std::string_view text) {
  int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc::result_out_of_range) return NotA(text, "in the range of 64 bits");
  if (ec != std::errc() || end != text.data() + text.size()) return NotA(text, "a whole number");
  return value;
}

Result<double> ParseDouble(std::string_view text) {
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return NotA(text, "a number");
  return value;
}

Result<bool> ParseBool(std::string_view text) {
  for (const char* word : {"true", "yes", "on", "1"}) {
    if (EqualsIgnoreCase(text, word)) return true;
  }
  for (const char* word : {"false", "no", "off", "0"}) {
    if (EqualsIgnoreCase(text, word)) return false;
  }
  return NotA(text, "true or false");
}

Result<int64_t> ParseSize(std::string_view text) {
  std::string_view unit;
  const auto number = NumberWithUnit(text, &unit);
  if (!number) return NotA(text, "a size such as 4096, 64K, 1M or 1G");
  if (EqualsIgnoreCase(unit, "") || EqualsIgnoreCase(unit, "B")) return *number;
  constexpr std::string_view kUnits = "kmgt";
  const size_t power = kUnits.find(Lower(unit.front()));
  const std::string_view rest = unit.substr(1);
  const bool known = rest.empty() || EqualsIgnoreCase(rest, "B") || EqualsIgnoreCase(rest, "iB");
  if (power == std::string_view::npos || !known) return NotA(text, "a size such as 4096, 64K, 1M or 1G");
  return Multiply(*number, int64_t{1} << (10 * (power + 1)), text);
}

Result<int64_t> ParseDurationMs(std::string_view text) {
  std::string_view unit;
  const auto number = NumberWithUnit(text, &unit);
  constexpr const char* kWhat = "a duration such as 250ms, 3s, 5m or 2h";
  if (!number) return NotA(text, kWhat);
  if (unit == "ms") return *number;
  if (unit == "s") return Multiply(*number, 1000, text);
  if (unit == "m") return Multiply(*number, 60000, text);
  if (unit == "h") return Multiply(*number, 3600000, text);
  if (unit == "d") return Multiply(*number, 86400000, text);
  return NotA(text, kWhat);
}

std::string FormatDurationMs(int64_t ms) {
  char buffer[48];
  if (ms < 1000) {
    std::snprintf(buffer, sizeof buffer, "%lld ms", static_cast<long long>(ms));
  } else if (ms < 120000) {
    std::snprintf(buffer, sizeof buffer, "%.3f s", static_cast<double>(ms) / 1000);
  } else {
    std::snprintf(buffer, sizeof buffer, "%lld min %lld s", static_cast<long long>(ms / 60000),
                  static_cast<long long>(ms / 1000 % 60));
  }
  return buffer;
}

std::string NearestMatch(std::string_view text, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  // Of one or two letters everything is near.
  const size_t most = text.size() < 3 ? 0 : text.size() < 5 ? 1 : std::max<size_t>(2, text.size() / 3);
  size_t best_distance = most + 1;
  std::vector<size_t> row;
  for (const auto& candidate : candidates) {
    row.resize(candidate.size() + 1);
    for (size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= text.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        const size_t above = row[j];
        const size_t change = diagonal + (Lower(text[i - 1]) == Lower(candidate[j - 1]) ? 0 : 1);
        row[j] = std::min({above + 1, row[j - 1] + 1, change});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = &candidate;
    }
  }
  return best == nullptr ? std::string() : *best;
}

std::string DidYouMean(std::string_view near, std::string_view otherwise) {
  if (near.empty()) return std::string(otherwise);
  // Several words are one name only between quotes.
  const std::string_view quote = near.find(' ') == std::string_view::npos ? "" : "'";
  std::string text = "did you mean ";
  text.append(quote).append(near).append(quote).append("?");
  return text;
}

std::string HexUpper(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

Result<std::string> HexDecode(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = Lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return NotA(text, "an even number of hexadecimal digits");
  std::string out;
  out.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return NotA(text, "hexadecimal");
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

namespace {
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string Base64Encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const uint32_t v = static_cast<unsigned char>(bytes[i]) << 16 | static_cast<unsigned char>(bytes[i + 1]) << 8 |
                       static_cast<unsigned char>(bytes[i + 2]);
    for (int shift = 18; shift >= 0; shift -= 6) out += kBase64[v >> shift & 63];
  }
  if (i < bytes.size()) {
    uint32_t v = static_cast<unsigned char>(bytes[i]) << 16;
    if (i + 1 < bytes.size()) v |= static_cast<unsigned char>(bytes[i + 1]) << 8;
    out += kBase64[v >> 18 & 63];
    out += kBase64[v >> 12 & 63];
    out += i + 1 < bytes.size() ? kBase64[v >> 6 & 63] : '=';
    out += '=';
  }
  return out;
}

Result<std::string> Base64Decode(std::string_view text) {
  if (text.size() % 4 != 0) return MakeError(ErrorCode::kInvalidArgument, "not base64: length is no multiple of 4");
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t v = 0;
    int padding = 0;
    for (size_t k = 0; k < 4; ++k) {
      const char c = text[i + k];
      const size_t value = kBase64.find(c);
      if (c == '=' && i + 4 == text.size() && k >= 2) {
        ++padding;
        v <<= 6;
      } else if (value == std::string_view::npos || padding > 0) {
        return MakeError(ErrorCode::kInvalidArgument, "not base64: bad character at " + std::to_string(i + k));
      } else {
        v = v << 6 | static_cast<uint32_t>(value);
      }
    }
    out += static_cast<char>(v >> 16);
    if (padding < 2) out += static_cast<char>(v >> 8);
    if (padding < 1) out += static_cast<char>(v);
  }
  return out;
}

size_t Utf8Sequence(std::string_view bytes, uint32_t* point) {
  if (bytes.empty()) return 0;
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char c = at(0);
  if (c < 0x80) {
    *point = c;
    return 1;
  }
  size_t length = 0;
  uint32_t value = 0;
  uint32_t smallest = 0;
  if ((c & 0xE0) == 0xC0) {
    length = 2, value = c & 0x1F, smallest = 0x80;
  } else if ((c & 0xF0) == 0xE0) {
    length = 3, value = c & 0x0F, smallest = 0x800;
  } else if ((c & 0xF8) == 0xF0) {
    length = 4, value = c & 0x07, smallest = 0x10000;
  } else {
    return 0;
  }
  if (bytes.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (at(i) & 0x3F);
  }
  if (value < smallest || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
  *point = value;
  return length;
}

bool IsValidUtf8(std::string_view bytes) {
  size_t i = 0;
  while (i < bytes.size()) {
    // Eight ASCII bytes at a time: most text is.
    while (i + 8 <= bytes.size()) {
      uint64_t word;
      __builtin_memcpy(&word, bytes.data() + i, 8);
      if ((word & 0x8080808080808080ULL) != 0) break;
      i += 8;
    }
    if (i == bytes.size()) break;
    uint32_t point;
    const size_t length = Utf8Sequence(bytes.substr(i, 4), &point);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

size_t Utf16Length(std::string_view utf8) {
  size_t units = 0;
  size_t i = 0;
  while (i < utf8.size()) {
    uint32_t point = 0;
    const size_t length = Utf8Sequence(utf8.substr(i, 4), &point);
    i += length == 0 ? 1 : length;
    units += length == 4 ? 2 : 1;
  }
  return units;
}

}  // namespace mq
