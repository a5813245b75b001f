#include "send/field.h"

#include <utility>

#include "base/json.h"
#include "base/strings.h"

namespace mq::send {

Result<std::string_view> FieldOf(std::string_view body, std::size_t number, std::string_view separator) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < number; ++i) {
    const std::size_t at = body.find(separator, begin);
    if (at == std::string_view::npos) {
      return MakeError(ErrorCode::kInvalidArgument, "it has no field " + std::to_string(number));
    }
    begin = at + separator.size();
  }
  return body.substr(begin, body.find(separator, begin) - begin);
}

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  const auto bad = [&] {
    return MakeError(ErrorCode::kConfig, "'" + std::string(text) + "' is not a path such as .a.b[0]");
  };
  JsonPath path;
  path.text_ = text;
  if (text.empty() || (text.front() != '.' && text.front() != '[')) return bad();
  if (text == ".") return path;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t end = text[i] == '[' ? text.find(']', i) : std::min(text.find_first_of(".[", i + 1), text.size());
    if (end == std::string_view::npos || end == i + 1) return bad();
    const std::string_view inner = text.substr(i + 1, end - i - 1);
    if (text[i] == '[') {
      const Result<std::int64_t> index = ParseInt64(inner);
      if (!index || *index < 0) return bad();
      path.steps_.push_back({.name = {}, .index = static_cast<std::size_t>(*index), .is_index = true});
      i = end + 1;
      if (i < text.size() && text[i] != '.' && text[i] != '[') return bad();
    } else {
      path.steps_.push_back({.name = std::string(inner), .index = 0, .is_index = false});
      i = end;
    }
  }
  return path;
}

Result<std::string> JsonPath::ValueIn(std::string_view body) const {
  Result<json::Value> parsed = json::Parse(body);
  if (!parsed) {
    Error error = std::move(parsed).WithContext("it is not JSON").error();
    error.code = ErrorCode::kInvalidArgument;
    return error;
  }
  const json::Value* value = &*parsed;
  for (const Step& step : steps_) {
    if (step.is_index) {
      value = value->is_array() && step.index < value->items().size() ? &value->items()[step.index] : nullptr;
    } else {
      value = value->is_object() ? value->Find(step.name) : nullptr;
    }
    if (value == nullptr) break;
  }
  if (value == nullptr || value->is_null() || value->is_object() || value->is_array()) {
    return MakeError(ErrorCode::kInvalidArgument, "it has no string or number at " + text_);
  }
  return value->AsString();
}

}  // namespace mq::send
