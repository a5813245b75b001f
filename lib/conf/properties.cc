#include "conf/properties.h"

#include <string>

#include "base/file.h"
#include "base/file_bounds.h"
#include "base/strings.h"

namespace mq::conf {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

void AppendUtf8(std::string& out, unsigned point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

// Cuts the text into logical lines (continuations joined, comments and blank lines dropped) and those into properties.
class PropertiesReader {
 public:
  PropertiesReader(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  Result<std::vector<Property>> Read() {
    std::vector<Property> out;
    while (pos_ < text_.size()) {
      std::string line;
      const int first_line = line_ + 1;
      if (!NextLogicalLine(line)) continue;
      MQ_ASSIGN(Property property, ParseLine(line, first_line));
      out.push_back(std::move(property));
    }
    return out;
  }

 private:
  std::string_view NextNaturalLine() {
    const std::size_t end = std::min(text_.find_first_of("\r\n", pos_), text_.size());
    const std::string_view line = text_.substr(pos_, end - pos_);
    pos_ = end;
    if (pos_ < text_.size()) pos_ += text_.substr(pos_, 2) == "\r\n" ? 2 : 1;
    ++line_;
    return line;
  }

  static std::string_view StripLeft(std::string_view line) {
    while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
    return line;
  }

  static bool EndsWithOddBackslashes(std::string_view line) {
    std::size_t n = 0;
    while (n < line.size() && line[line.size() - 1 - n] == '\\') ++n;
    return n % 2 == 1;
  }

  // False for a comment or a blank line.
  bool NextLogicalLine(std::string& line) {
    std::string_view natural = StripLeft(NextNaturalLine());
    if (natural.empty() || natural.front() == '#' || natural.front() == '!') return false;
    line = natural;
    while (EndsWithOddBackslashes(line)) {
      line.pop_back();
      if (pos_ >= text_.size()) break;
      line += StripLeft(NextNaturalLine());
    }
    return true;
  }

  Error At(int line, std::string text) const {
    return MakeError(ErrorCode::kConfig, std::string(origin_) + ":" + std::to_string(line) + ": " + std::move(text));
  }

  Result<Property> ParseLine(std::string_view line, int number) const {
    std::size_t end = 0;
    while (end < line.size() && !IsBlank(line[end]) && line[end] != '=' && line[end] != ':') {
      end += line[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, line.size());
    std::string_view rest = StripLeft(line.substr(end));
    if (!rest.empty() && (rest.front() == '=' || rest.front() == ':')) rest = StripLeft(rest.substr(1));
    while (!rest.empty() && IsBlank(rest.back()) && !EndsWithOddBackslashes(rest.substr(0, rest.size() - 1))) {
      rest.remove_suffix(1);
    }
    Property property{.key = {}, .value = {}, .line = number};
    MQ_ASSIGN(property.key, Unescape(line.substr(0, end), number));
    MQ_ASSIGN(property.value, Unescape(rest, number));
    if (property.key.empty()) return At(number, "a line without a key");
    return property;
  }

  Result<std::string> Unescape(std::string_view text, int number) const {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        out += text[i];
        continue;
      }
      const char c = text[++i];
      if (c == 't') {
        out += '\t';
      } else if (c == 'n') {
        out += '\n';
      } else if (c == 'r') {
        out += '\r';
      } else if (c == 'f') {
        out += '\f';
      } else if (c == 'u') {
        MQ_ASSIGN(unsigned point, HexUnit(text, i + 1, number));
        i += 4;
        // A pair of surrogates, as Java writes characters beyond the first plane.
        if (point >= 0xD800 && point < 0xDC00 && text.substr(i + 1, 2) == "\\u") {
          MQ_ASSIGN(const unsigned low, HexUnit(text, i + 3, number));
          if (low >= 0xDC00 && low < 0xE000) {
            point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
            i += 6;
          }
        }
        if (point >= 0xD800 && point < 0xE000) return At(number, "\\u escape of half a character");
        AppendUtf8(out, point);
      } else {
        out += c;
      }
    }
    if (!IsValidUtf8(out)) return At(number, "bytes that are not UTF-8");
    return out;
  }

  Result<unsigned> HexUnit(std::string_view text, std::size_t at, int number) const {
    unsigned value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const char c = i < text.size() ? text[i] : '?';
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return At(number, "\\u needs four hexadecimal digits");
      value = value * 16 + static_cast<unsigned>(digit);
    }
    return value;
  }

  std::string_view text_;
  std::string_view origin_;
  std::size_t pos_ = 0;
  int line_ = 0;
};

}  // namespace

Result<std::vector<Property>> ParseProperties(std::string_view text, std::string_view origin) {
  return PropertiesReader(text, origin).Read();
}

std::string FormatProperties(const std::vector<std::pair<std::string, std::string>>& properties) {
  const auto append = [](std::string& out, std::string_view text, bool key) {
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      switch (c) {
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        case '\f':
          out += "\\f";
          break;
        case '\\':
          out += "\\\\";
          break;
        case ' ':
          // A blank ends a key, and is dropped at the ends of a value.
          if (key || i == 0 || i + 1 == text.size())
            out += "\\u0020";
          else
            out += c;
          break;
        case '=':
        case ':':
          if (key) out += '\\';
          out += c;
          break;
        case '#':
        case '!':
          if (key && i == 0) out += '\\';
          out += c;
          break;
        default:
          out += c;
      }
    }
  };
  std::string out;
  for (const auto& [key, value] : properties) {
    append(out, key, true);
    out += '=';
    append(out, value, false);
    out += '\n';
  }
  return out;
}

Result<std::vector<Property>> ReadProperties(const std::string& path) {
  Result<std::string> text = ReadFileUpTo(path, kMaxSettingsFileBytes);
  if (!text) {
    // Whatever kept the file from being read, for the caller it is a wrong configuration (exit status 2).
    Error error = std::move(text).error();
    error.code = ErrorCode::kConfig;
    return error;
  }
  return ParseProperties(*text, path);
}

}  // namespace mq::conf
