// Text helpers that more than one part needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mq {

std::vector<std::string_view> Split(std::string_view text, char separator);                  // keeps empty pieces
std::vector<std::string_view> SplitAny(std::string_view text, std::string_view separators);  // drops empty pieces
std::string_view Trim(std::string_view text);                                                // blanks, tabs, CR, LF
std::string JoinStrings(std::span<const std::string> parts, std::string_view separator);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);  // ASCII

// Whole-text decimal parses; an optional leading '-' only, no blanks, no '+'. Errors name the text.
Result<int64_t> ParseInt64(std::string_view text);
Result<double> ParseDouble(std::string_view text);
Result<bool> ParseBool(std::string_view text);           // true/false, yes/no, on/off, 1/0, any case
Result<int64_t> ParseSize(std::string_view text);        // bytes: "4096", "64K", "1M", "1G" (powers of 1024)
Result<int64_t> ParseDurationMs(std::string_view text);  // "250ms", "3s", "5m", "2h", "1d"; a bare number is refused
std::string FormatDurationMs(int64_t ms);                // "1.234 s" for people

// The candidate with the smallest edit distance to text, when it is close enough to be a slip of the fingers.
std::string NearestMatch(std::string_view text, std::span<const std::string> candidates);
// What is said of it: "did you mean X?"; `otherwise` when nothing is near.
std::string DidYouMean(std::string_view near, std::string_view otherwise = {});

std::string HexUpper(std::string_view bytes);
Result<std::string> HexDecode(std::string_view text);  // either case
std::string Base64Encode(std::string_view bytes);
Result<std::string> Base64Decode(std::string_view text);

bool IsValidUtf8(std::string_view bytes);
// Length of the UTF-8 sequence at the front (1 to 4) and its code point, or 0 when it is not one.
size_t Utf8Sequence(std::string_view bytes, uint32_t* point);
// UTF-16 code units of valid or invalid UTF-8 (an invalid byte counts as one), as Java's String.length.
size_t Utf16Length(std::string_view utf8);

// Transparent hash and equality, so that a map keyed by std::string is looked up by string_view without a copy.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};

}  // namespace mq
