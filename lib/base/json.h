// JSON as RocketMQ's peers write it, and as they must be answered.
//
// Reading is tolerant where fastjson is (protocol.md 3.0): object keys may be unquoted integers, or whole objects; the
// key of such a member is its text without blanks ("0", "{\"queueId\":1,...}"). Everything else is strict JSON.
// Writing is fastjson's compact or its pretty form, byte for byte where store.md 5.4 and vectors.txt show it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace mq::json {

class Value;
using Member = std::pair<std::string, Value>;

// A value owns everything below it. Readers ask for the kind they want and get a default for what is not there: numbers
// may be quoted and booleans may be strings, as other clients send them.
class Value {
 public:
  enum class Kind { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

  Value() = default;
  static Value Bool(bool v);
  static Value Int(int64_t v);
  static Value Double(double v);
  static Value String(std::string v);
  static Value Array();
  static Value Object();

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_string() const { return kind_ == Kind::kString; }

  // The value itself, converted when its text allows ("5" -> 5, 4.0 -> 4, "TRUE" -> true), else the default.
  int64_t AsInt(int64_t otherwise = 0) const;
  double AsDouble(double otherwise = 0) const;
  bool AsBool(bool otherwise = false) const;
  // Strings as they are; numbers and booleans as JSON would write them; anything else the default.
  std::string AsString(std::string_view otherwise = {}) const;
  const std::string& text() const { return text_; }  // of a string

  // Members of an object, in the order of the text. With duplicates the last one wins, as in fastjson.
  const Value* Find(std::string_view key) const;
  int64_t Int(std::string_view key, int64_t otherwise = 0) const;
  double DoubleOf(std::string_view key, double otherwise = 0) const;
  bool BoolOf(std::string_view key, bool otherwise = false) const;
  std::string Text(std::string_view key, std::string_view otherwise = {}) const;
  const std::vector<Member>& members() const { return members_; }
  std::vector<Member>& members() { return members_; }
  const std::vector<Value>& items() const { return items_; }
  std::vector<Value>& items() { return items_; }

 private:
  Kind kind_ = Kind::kNull;
  bool bool_ = false;
  int64_t int_ = 0;
  double double_ = 0;
  std::string text_;
  std::vector<Value> items_;
  std::vector<Member> members_;
};

struct ParseOptions {
  int max_depth = 64;
  bool reject_duplicate_keys = false;
};
// Errors name the byte offset and what is wrong there; nothing but blanks may follow the value.
Result<Value> Parse(std::string_view text, const ParseOptions& options = {});

// Writes one value into its buffer. The caller keeps the order of calls sensible: inside an object a key before each
// value. kPretty is fastjson's PrettyFormat (tab indentation, objects one member a line).
class Writer {
 public:
  enum class Style { kCompact, kPretty };
  explicit Writer(Style style = Style::kCompact) : style_(style) {}

  Writer& BeginObject();
  // A map whose keys are integers: fastjson writes no line break after its opening brace.
  Writer& BeginIntKeyObject();
  Writer& EndObject();
  Writer& BeginArray();
  Writer& EndArray();
  Writer& Key(std::string_view name);
  Writer& IntKey(int64_t key);            // unquoted, as fastjson writes maps of integers
  Writer& RawKey(std::string_view json);  // a whole JSON value as the key, as fastjson writes maps of objects
  Writer& String(std::string_view utf8);
  Writer& Int(int64_t v);
  Writer& Bool(bool v);
  Writer& Double(double v);  // always with a decimal point
  Writer& Null();
  Writer& Raw(std::string_view json);  // a whole JSON value

  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  struct Level {
    bool is_array;
    bool int_keys;
    bool empty;
  };
  Writer& Open(char brace, bool is_array, bool int_keys);
  Writer& Close(char brace);
  void BeforeKey();
  void BeforeValue();
  void NewLine();

  Style style_;
  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

// Appends a JSON string literal: control characters, U+007F and U+2028 as \uXXXX, `/` and other text as they are. JSON
// has no way to carry bytes that are not UTF-8: each becomes U+FFFD, as Java's decoder makes of them.
void AppendQuoted(std::string& out, std::string_view utf8);

}  // namespace mq::json
