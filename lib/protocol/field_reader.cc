#include "protocol/field_reader.h"

#include <charconv>
#include <limits>
#include <string>

#include "base/strings.h"

namespace mq::protocol {

std::optional<std::string_view> FieldReader::Next(std::string_view key) {
  const auto& ext = command_.ext;
  const size_t index = command_.IndexOf(key, hint_);
  if (index == ext.size()) return std::nullopt;
  hint_ = index + 1;
  if (command_.type == SerializeType::kRocketMq && ext[index].value.empty()) return std::nullopt;
  return ext[index].value;
}

void FieldReader::Fail(std::string_view key, std::string_view why) {
  if (fault_) return;
  std::string what(RequestCodeName(command_.code));
  if (command_.is_response()) what = "reply";
  what.append(": field ").append(key).append(" ").append(why);
  fault_ = MakeError(ErrorCode::kProtocol, std::move(what));
}

int64_t FieldReader::Number(std::string_view key, std::string_view text, int64_t low, int64_t high) {
  int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (whole && number >= low && number <= high) return number;
  Fail(key, "is not a number: \"" + std::string(text.substr(0, 64)) + "\"");
  return 0;
}

std::string_view FieldReader::Text(std::string_view key) {
  const auto text = Next(key);
  if (!text) Fail(key, "is missing");
  return text.value_or(std::string_view());
}

int32_t FieldReader::Int(std::string_view key) {
  const auto text = Next(key);
  if (!text) {
    Fail(key, "is missing");
    return 0;
  }
  return static_cast<int32_t>(
      Number(key, *text, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}

int64_t FieldReader::Long(std::string_view key) {
  const auto text = Next(key);
  if (!text) {
    Fail(key, "is missing");
    return 0;
  }
  return Number(key, *text, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
}

bool FieldReader::Bool(std::string_view key) {
  const auto text = Next(key);
  if (!text) Fail(key, "is missing");
  return text && EqualsIgnoreCase(*text, "true");
}

std::string_view FieldReader::OptionalText(std::string_view key, std::string_view fallback) {
  return Next(key).value_or(fallback);
}

int32_t FieldReader::OptionalInt(std::string_view key, int32_t fallback) {
  const auto text = Next(key);
  if (!text || text->empty()) return fallback;
  return static_cast<int32_t>(
      Number(key, *text, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}

int64_t FieldReader::OptionalLong(std::string_view key, int64_t fallback) {
  const auto text = Next(key);
  if (!text || text->empty()) return fallback;
  return Number(key, *text, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
}

bool FieldReader::OptionalBool(std::string_view key, bool fallback) {
  const auto text = Next(key);
  return text ? EqualsIgnoreCase(*text, "true") : fallback;
}

Status FieldReader::status() const {
  if (fault_) return *fault_;
  return Ok();
}

}  // namespace mq::protocol
