#include "stream/format.h"

#include "base/strings.h"

namespace mq::stream {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendEscaped(std::string& out, char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte < 0x7F) || c == '\n' || c == '\t';
}

}  // namespace

Result<Format> ParseFormat(std::string_view name) {
  if (name == "lines") return Format::kLines;
  if (name == "nul") return Format::kNul;
  if (name == "whole") return Format::kWhole;
  if (name == "json") return Format::kJson;
  if (name == "msgpack") return Format::kMsgpack;
  return MakeError(ErrorCode::kConfig, "no such format: '" + std::string(name) + "'");
}

Result<std::string> Unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char c = i + 1 < text.size() ? text[++i] : '\0';
    const int high = c == 'x' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (c == 'n') {
      out += '\n';
    } else if (c == 'r') {
      out += '\r';
    } else if (c == 't') {
      out += '\t';
    } else if (c == '0') {
      out += '\0';
    } else if (c == '\\') {
      out += '\\';
    } else if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      return MakeError(ErrorCode::kConfig, "'" + std::string(text) + "': after a backslash only n r t 0 \\ or xNN");
    }
  }
  return out;
}

void AppendForTerminal(std::string& out, std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (IsPlain(bytes[i])) {
      out += bytes[i++];
      continue;
    }
    std::uint32_t point = 0;
    const std::size_t length = Utf8Sequence(bytes.substr(i), &point);
    if (length > 1 && point >= 0xA0) {
      out.append(bytes.substr(i, length));
      i += length;
    } else {
      // C0 and C1 controls, DEL, and whatever is not UTF-8, byte by byte.
      const std::size_t n = length == 0 ? 1 : length;
      for (std::size_t k = 0; k < n; ++k) AppendEscaped(out, bytes[i + k]);
      i += n;
    }
  }
}

}  // namespace mq::stream
