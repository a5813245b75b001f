#include "protocol/header_parser.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace mq::protocol {
namespace {

enum Field : uint32_t {
  kCode = 1,
  kLanguage = 2,
  kVersion = 4,
  kOpaque = 8,
  kFlag = 16,
  kRemark = 32,
  kExtFields = 64,
};

Field FieldOf(std::string_view name) {
  switch (name.size()) {
    case 4:
      if (name == "code") return kCode;
      if (name == "flag") return kFlag;
      break;
    case 6:
      if (name == "opaque") return kOpaque;
      if (name == "remark") return kRemark;
      break;
    case 7:
      if (name == "version") return kVersion;
      break;
    case 8:
      if (name == "language") return kLanguage;
      break;
    case 9:
      if (name == "extFields") return kExtFields;
      break;
    default:
      break;
  }
  return Field{};
}

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendUtf8(std::string& out, uint32_t point) {
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

}  // namespace

bool HeaderParser::Fail(std::string_view what) {
  if (fault_.empty()) {
    fault_.assign("JSON header: ").append(what).append(" at byte ").append(std::to_string(at_ - begin_));
  }
  return false;
}

void HeaderParser::SkipBlanks() {
  while (at_ < end_ && IsBlank(*at_)) ++at_;
}

bool HeaderParser::Consume(char c) {
  SkipBlanks();
  if (at_ < end_ && *at_ == c) {
    ++at_;
    return true;
  }
  return false;
}

// After a member: ',' means another one, '}' the end.
bool HeaderParser::NextMember(bool* more) {
  if (Consume(',')) {
    *more = true;
    return true;
  }
  *more = false;
  if (Consume('}')) return true;
  return Fail(at_ == end_ ? "cut off" : "a comma or a closing brace is missing");
}

Status HeaderParser::Parse() {
  bool fine = Consume('{') || Fail("not a JSON object");
  bool more = fine && !Consume('}');
  while (fine && more) fine = ParseMember() && NextMember(&more);
  if (fine) {
    SkipBlanks();
    if (at_ != end_) fine = Fail("bytes after the object");
  }
  if (fine && !(seen_ & kCode)) fine = Fail("no code");
  if (!fine) return MakeError(ErrorCode::kProtocol, std::move(fault_));
  return Ok();
}

bool HeaderParser::ParseMember() {
  SkipBlanks();
  std::string_view name;
  if (!ParseString(&name)) return false;
  if (!Consume(':')) return Fail("a colon is missing");
  SkipBlanks();
  const Field field = FieldOf(name);
  if (field != Field{}) {
    if (seen_ & field) return Fail(std::string("duplicate key ").append(name));
    seen_ |= field;
  }
  switch (field) {
    case kCode:
      return ParseInt(name, &out_.code);
    case kVersion:
      return ParseInt(name, &out_.version);
    case kOpaque:
      return ParseInt(name, &out_.opaque);
    case kFlag:
      return ParseInt(name, &out_.flag);
    case kLanguage:
      if (at_ < end_ && *at_ != '"') return SkipValue(0);  // null, or a number: no name
      if (!ParseString(&out_.language_name)) return false;
      out_.language_code = LanguageFromName(out_.language_name);
      return true;
    case kRemark:
      if (at_ < end_ && *at_ != '"') return SkipValue(0);
      return ParseString(&out_.remark);
    case kExtFields:
      return ParseExtFields();
    default:
      return SkipValue(0);
  }
}

bool HeaderParser::ParseExtFields() {
  if (at_ < end_ && *at_ == 'n') return SkipScalar();
  if (!Consume('{')) return Fail("extFields is not an object");
  bool more = !Consume('}');
  while (more) {
    if (!ParseExtField() || !NextMember(&more)) return false;
  }
  return true;
}

bool HeaderParser::ParseExtField() {
  SkipBlanks();
  ExtField field;
  if (!ParseString(&field.key)) return false;
  if (!Consume(':')) return Fail("a colon is missing");
  SkipBlanks();
  if (at_ < end_ && *at_ == '"') {
    if (!ParseString(&field.value)) return false;
  } else {
    // Numbers, booleans (some clients) and anything nested count as their own text; null as absent.
    const char* start = at_;
    if (!SkipValue(1)) return false;
    field.value = std::string_view(start, static_cast<size_t>(at_ - start));
    if (field.value == "null") return true;
  }
  if (out_.ext.size() >= kMaxExtFields) return Fail("too many ext fields");
  return out_.AddExt(field) || Fail(std::string("duplicate key ").append(field.key));
}

bool HeaderParser::ParseString(std::string_view* text) {
  if (at_ == end_ || *at_ != '"') return Fail("a string is missing");
  const char* start = ++at_;
  bool ascii = true;
  for (; at_ < end_; ++at_) {
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') {
      *text = std::string_view(start, static_cast<size_t>(at_ - start));
      if (!ascii && !IsValidUtf8(*text)) return Fail("a string that is not UTF-8");
      ++at_;
      return true;
    }
    if (c == '\\') return ParseEscapes(text, start);
    if (c < 0x20) return Fail("a control character in a string");
    if (c >= 0x80) ascii = false;
  }
  return Fail("a string is cut off");
}

// A string with escapes: its text is built in unescaped_, whose capacity was reserved for the whole header,
// so that earlier views into it stay valid.
bool HeaderParser::ParseEscapes(std::string_view* text, const char* start) {
  std::string& out = out_.unescaped_;
  const size_t from = out.size();
  out.append(start, static_cast<size_t>(at_ - start));
  while (at_ < end_) {
    const char c = *at_;
    if (c == '"') {
      *text = std::string_view(out).substr(from);
      if (!IsValidUtf8(*text)) return Fail("a string that is not UTF-8");
      ++at_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) return Fail("a control character in a string");
    ++at_;
    if (c != '\\') {
      out += c;
      continue;
    }
    if (at_ == end_) break;
    static constexpr std::string_view kEscapes = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char escape = *at_++;
    if (escape == 'u') {
      if (!ParseUnicodeEscape()) return false;
      continue;
    }
    const size_t which = kEscapes.find(escape);
    if (which == std::string_view::npos) return Fail("an unknown escape in a string");
    out += kMeanings[which];
  }
  return Fail("a string is cut off");
}

bool HeaderParser::ParseUnicodeEscape() {
  const auto read_unit = [this](uint32_t* unit) {
    if (end_ - at_ < 4) return false;
    *unit = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = HexDigit(*at_++);
      if (digit < 0) return false;
      *unit = *unit * 16 + static_cast<uint32_t>(digit);
    }
    return true;
  };
  uint32_t point = 0;
  if (!read_unit(&point)) return Fail("a bad \\u escape");
  if (point >= 0xD800 && point < 0xE000) {
    uint32_t low = 0;
    const bool pair = point < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u';
    if (!pair) return Fail("half a surrogate pair");
    at_ += 2;
    if (!read_unit(&low) || low < 0xDC00 || low > 0xDFFF) return Fail("half a surrogate pair");
    point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
  }
  AppendUtf8(out_.unescaped_, point);
  return true;
}

bool HeaderParser::ParseInt(std::string_view name, int32_t* value) {
  const bool quoted = at_ < end_ && *at_ == '"';
  const char* start = quoted ? at_ + 1 : at_;
  const auto parsed = std::from_chars(start, end_, *value);
  if (parsed.ec != std::errc()) return Fail(std::string(name).append(" is not a 32-bit number"));
  at_ = parsed.ptr;
  if (quoted) return (at_ < end_ && *at_ == '"') ? (++at_, true) : Fail(std::string(name).append(" is not a number"));
  if (at_ < end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E')) {
    return Fail(std::string(name).append(" is not a whole number"));
  }
  return true;
}

bool HeaderParser::SkipScalar() {
  const char* start = at_;
  while (at_ < end_ && !IsBlank(*at_) && *at_ != ',' && *at_ != '}' && *at_ != ']' && *at_ != ':') ++at_;
  const std::string_view token(start, static_cast<size_t>(at_ - start));
  if (token == "true" || token == "false" || token == "null") return true;
  double number = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), number);
  const bool digits = !token.empty() && (token[0] == '-' || (token[0] >= '0' && token[0] <= '9'));
  if (digits && parsed.ptr == token.data() + token.size() && parsed.ec != std::errc::invalid_argument) return true;
  at_ = start;
  return Fail("a value is missing");
}

bool HeaderParser::SkipValue(int depth) {
  SkipBlanks();
  if (at_ == end_) return Fail("cut off");
  if (*at_ == '"') {
    std::string_view ignored;
    return ParseString(&ignored);
  }
  if (*at_ == '{') return SkipContainer('}', true, depth + 1);
  if (*at_ == '[') return SkipContainer(']', false, depth + 1);
  return SkipScalar();
}

bool HeaderParser::SkipContainer(char close, bool keyed, int depth) {
  if (depth > kMaxJsonDepth) return Fail("nested too deep");
  ++at_;
  if (Consume(close)) return true;
  for (;;) {
    if (keyed) {
      SkipBlanks();
      std::string_view key;
      if (!ParseString(&key)) return false;
      if (!Consume(':')) return Fail("a colon is missing");
    }
    if (!SkipValue(depth)) return false;
    if (Consume(',')) continue;
    if (Consume(close)) return true;
    return Fail(at_ == end_ ? "cut off" : "a comma or a closing bracket is missing");
  }
}

}  // namespace mq::protocol
