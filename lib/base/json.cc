#include "base/json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/strings.h"

#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace mq::json {

Value Value::Bool(bool v) {
  Value out;
  out.kind_ = Kind::kBool;
  out.bool_ = v;
  return out;
}
Value Value::Int(int64_t v) {
  Value out;
  out.kind_ = Kind::kInt;
  out.int_ = v;
  return out;
}
Value Value::Double(double v) {
  Value out;
  out.kind_ = Kind::kDouble;
  out.double_ = v;
  return out;
}
Value Value::String(std::string v) {
  Value out;
  out.kind_ = Kind::kString;
  out.text_ = std::move(v);
  return out;
}
Value Value::Array() {
  Value out;
  out.kind_ = Kind::kArray;
  return out;
}
Value Value::Object() {
  Value out;
  out.kind_ = Kind::kObject;
  return out;
}

int64_t Value::AsInt(int64_t otherwise) const {
  switch (kind_) {
    case Kind::kInt:
      return int_;
    case Kind::kDouble:
      return std::abs(double_) < 9.2e18 && double_ == std::floor(double_) ? static_cast<int64_t>(double_) : otherwise;
    case Kind::kString: {
      const auto number = ParseInt64(text_);
      return number ? *number : otherwise;
    }
    default:
      return otherwise;
  }
}

double Value::AsDouble(double otherwise) const {
  switch (kind_) {
    case Kind::kInt:
      return static_cast<double>(int_);
    case Kind::kDouble:
      return double_;
    case Kind::kString: {
      const auto number = ParseDouble(text_);
      return number ? *number : otherwise;
    }
    default:
      return otherwise;
  }
}

bool Value::AsBool(bool otherwise) const {
  if (kind_ == Kind::kBool) return bool_;
  if (kind_ == Kind::kString) return EqualsIgnoreCase(text_, "true");
  return otherwise;
}

std::string Value::AsString(std::string_view otherwise) const {
  switch (kind_) {
    case Kind::kString:
      return text_;
    case Kind::kInt:
      return std::to_string(int_);
    case Kind::kBool:
      return bool_ ? "true" : "false";
    case Kind::kDouble:
      return Writer().Double(double_).Take();
    default:
      return std::string(otherwise);
  }
}

const Value* Value::Find(std::string_view key) const {
  for (auto it = members_.rbegin(); it != members_.rend(); ++it) {
    if (it->first == key) return &it->second;
  }
  return nullptr;
}
int64_t Value::Int(std::string_view key, int64_t otherwise) const {
  const Value* v = Find(key);
  return v == nullptr ? otherwise : v->AsInt(otherwise);
}
double Value::DoubleOf(std::string_view key, double otherwise) const {
  const Value* v = Find(key);
  return v == nullptr ? otherwise : v->AsDouble(otherwise);
}
bool Value::BoolOf(std::string_view key, bool otherwise) const {
  const Value* v = Find(key);
  return v == nullptr ? otherwise : v->AsBool(otherwise);
}
std::string Value::Text(std::string_view key, std::string_view otherwise) const {
  const Value* v = Find(key);
  return v == nullptr ? std::string(otherwise) : v->AsString(otherwise);
}

namespace {

constexpr size_t kShownDigits = 24;

// Builds a Value from RapidJSON's events. Returning false stops the parse; `why` then says what was wrong.
class Builder {
 public:
  explicit Builder(const ParseOptions& options) : options_(options) {}

  bool Null() { return Add(Value()); }
  bool Bool(bool v) { return Add(Value::Bool(v)); }
  // Numbers come as text, well formed: RapidJSON's own conversion does not know what to do with 0e90.
  bool RawNumber(const char* s, rapidjson::SizeType n, bool) {
    const std::string_view text(s, n);
    if (text.find_first_of(".eE") == std::string_view::npos) {
      if (const auto whole = ParseInt64(text)) return Add(Value::Int(*whole));
    }
    if (const auto number = ParseDouble(text)) return Add(Value::Double(*number));
    // Too large or too small for a double: the latter is 0, as everywhere.
    const double nearest = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isfinite(nearest)) return Add(Value::Double(nearest));
    why = "a number too large: " + std::string(text.substr(0, kShownDigits));
    return false;
  }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* s, rapidjson::SizeType n, bool) { return Add(Value::String(std::string(s, n))); }
  bool StartObject() { return Push(Value::Object()); }
  bool StartArray() { return Push(Value::Array()); }
  bool EndObject(rapidjson::SizeType) { return Pop(); }
  bool EndArray(rapidjson::SizeType) { return Pop(); }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    key_.assign(s, n);
    if (options_.reject_duplicate_keys && stack_.back().second.Find(key_) != nullptr) {
      why = "the key \"" + key_ + "\" stands twice in one object";
      return false;
    }
    return true;
  }

  Value root;
  std::string why;

 private:
  bool Add(Value v) {
    if (stack_.empty()) {
      root = std::move(v);
      return true;
    }
    Value& top = stack_.back().second;
    if (top.is_array()) {
      top.items().push_back(std::move(v));
    } else {
      top.members().emplace_back(std::move(key_), std::move(v));
      key_.clear();
    }
    return true;
  }
  bool Push(Value v) {
    if (static_cast<int>(stack_.size()) >= options_.max_depth) {
      why = "nested deeper than " + std::to_string(options_.max_depth);
      return false;
    }
    stack_.emplace_back(std::move(key_), std::move(v));
    key_.clear();
    return true;
  }
  bool Pop() {
    auto [key, value] = std::move(stack_.back());
    stack_.pop_back();
    key_ = std::move(key);
    return Add(std::move(value));
  }
  const ParseOptions& options_;
  std::string key_;
  std::vector<std::pair<std::string, Value>> stack_;
};

Result<Value> ParseStrict(std::string_view text, const ParseOptions& options) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> input(stream);
  rapidjson::Reader reader;
  Builder builder(options);
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(input, builder);
  if (result.IsError()) {
    const std::string why = builder.why.empty() ? rapidjson::GetParseError_En(result.Code()) : builder.why;
    return MakeError(ErrorCode::kProtocol, "JSON at byte " + std::to_string(result.Offset()) + ": " + why);
  }
  return std::move(builder.root);
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Copies JSON text, quoting fastjson's unquoted integer keys and its object keys. Returns false when nothing of the
// kind was found or the text is not even balanced, so that the strict parser's error stands.
class KeyQuoter {
 public:
  KeyQuoter(std::string_view text, int max_depth) : text_(text), max_depth_(max_depth) {}

  bool Run(std::string* out) {
    out->reserve(text_.size() + 64);
    bool key_position = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (key_position && !IsBlank(c)) {
        key_position = false;
        if (!QuoteKey(c, out)) return false;
        continue;
      }
      if (c == '"') {
        if (!CopyString(out)) return false;
        continue;
      }
      if (c == '{' || c == '[') {
        if (static_cast<int>(stack_.size()) >= max_depth_) return false;
        stack_.push_back(c);
        key_position = c == '{';
      } else if (c == '}' || c == ']') {
        if (stack_.empty()) return false;
        stack_.pop_back();
      } else if (c == ',') {
        key_position = !stack_.empty() && stack_.back() == '{';
      }
      out->push_back(c);
      ++at_;
    }
    return changed_;
  }

 private:
  bool QuoteKey(char c, std::string* out) {
    if (c == '-' || (c >= '0' && c <= '9')) {
      const size_t start = at_++;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      AppendQuoted(*out, text_.substr(start, at_ - start));
      changed_ = true;
    } else if (c == '{') {
      std::string key;
      if (!CopyObjectKey(&key)) return false;
      AppendQuoted(*out, key);
      changed_ = true;
    } else if (c == '"') {
      return CopyString(out);
    }
    return true;  // '}' of an empty object, or an error that the strict parser reports
  }
  bool CopyString(std::string* out) {
    const size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return false;
    ++at_;
    out->append(text_.substr(start, at_ - start));
    return true;
  }
  bool CopyObjectKey(std::string* key) {
    int depth = 0;
    do {
      if (at_ >= text_.size() || depth > max_depth_) return false;
      const char c = text_[at_];
      if (c == '"') {
        if (!CopyString(key)) return false;
        continue;
      }
      if (c == '{') ++depth;
      if (c == '}') --depth;
      if (!IsBlank(c)) key->push_back(c);
      ++at_;
    } while (depth > 0);
    return true;
  }

  std::string_view text_;
  int max_depth_;
  size_t at_ = 0;
  bool changed_ = false;
  std::string stack_;
};

// As fastjson writes it: short forms where JSON has them; below 0x20 with small hex digits, DEL with capitals.
std::string_view Escape(unsigned char c) {
  static const auto table = [] {
    std::array<std::string, 128> escapes;
    for (unsigned i = 0; i < escapes.size(); ++i) {
      char text[8];
      std::snprintf(text, sizeof text, i == 0x7F ? "\\u%04X" : "\\u%04x", i);
      escapes[i] = text;
    }
    for (const auto& [byte, text] : {std::pair{'"', "\\\""},
                                     {'\\', "\\\\"},
                                     {'\b', "\\b"},
                                     {'\f', "\\f"},
                                     {'\n', "\\n"},
                                     {'\r', "\\r"},
                                     {'\t', "\\t"}}) {
      escapes[static_cast<unsigned>(byte)] = text;
    }
    return escapes;
  }();
  return table[c];
}

}  // namespace

Result<Value> Parse(std::string_view text, const ParseOptions& options) {
  auto strict = ParseStrict(text, options);
  if (strict) return strict;
  std::string quoted;
  if (!KeyQuoter(text, options.max_depth).Run(&quoted)) return strict;
  return ParseStrict(quoted, options);
}

void AppendQuoted(std::string& out, std::string_view utf8) {
  out += '"';
  size_t start = 0;  // of what is copied as it is
  size_t at = 0;
  const auto replace = [&](size_t length, std::string_view text) {
    out.append(utf8, start, at - start).append(text);
    at += length;
    start = at;
  };
  while (at < utf8.size()) {
    const auto c = static_cast<unsigned char>(utf8[at]);
    if (c >= 0x80) {
      uint32_t point = 0;
      const size_t length = Utf8Sequence(utf8.substr(at), &point);
      if (length == 0) {
        replace(1, "\xEF\xBF\xBD");
      } else if (point == 0x2028) {
        replace(length, "\\u2028");
      } else {
        at += length;
      }
    } else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F) {
      replace(1, Escape(c));
    } else {
      ++at;
    }
  }
  out.append(utf8, start, at - start);
  out += '"';
}

Writer& Writer::Open(char brace, bool is_array, bool int_keys) {
  BeforeValue();
  out_ += brace;
  levels_.push_back({is_array, int_keys, true});
  return *this;
}
Writer& Writer::BeginObject() { return Open('{', false, false); }
Writer& Writer::BeginIntKeyObject() { return Open('{', false, true); }
Writer& Writer::BeginArray() { return Open('[', true, false); }

Writer& Writer::Close(char brace) {
  const Level level = levels_.back();
  levels_.pop_back();
  // fastjson puts the closing brace of an object on a line of its own, but leaves arrays of values on one.
  if (style_ == Style::kPretty && !level.is_array && !level.empty) NewLine();
  out_ += brace;
  if (!levels_.empty()) levels_.back().empty = false;
  return *this;
}
Writer& Writer::EndObject() { return Close('}'); }
Writer& Writer::EndArray() { return Close(']'); }

void Writer::NewLine() {
  out_ += '\n';
  out_.append(levels_.size(), '\t');
}

void Writer::BeforeKey() {
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  if (style_ == Style::kPretty && !level.int_keys) NewLine();
  level.empty = false;
  after_key_ = true;
}

void Writer::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  if (!levels_.back().empty) out_ += ',';
  levels_.back().empty = false;
}

Writer& Writer::Key(std::string_view name) {
  BeforeKey();
  AppendQuoted(out_, name);
  out_ += ':';
  return *this;
}
Writer& Writer::IntKey(int64_t key) {
  BeforeKey();
  out_ += std::to_string(key);
  out_ += ':';
  return *this;
}
Writer& Writer::RawKey(std::string_view json) {
  BeforeKey();
  out_ += json;
  out_ += ':';
  return *this;
}
Writer& Writer::String(std::string_view utf8) {
  BeforeValue();
  AppendQuoted(out_, utf8);
  return *this;
}
Writer& Writer::Int(int64_t v) {
  BeforeValue();
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  out_.append(buffer, end);
  return *this;
}
Writer& Writer::Bool(bool v) { return Raw(v ? "true" : "false"); }
Writer& Writer::Null() { return Raw("null"); }
Writer& Writer::Double(double v) {
  BeforeValue();
  if (!std::isfinite(v)) {
    out_ += "null";
    return *this;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  out_ += text;
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  return *this;
}
Writer& Writer::Raw(std::string_view json) {
  BeforeValue();
  out_ += json;
  return *this;
}

}  // namespace mq::json
