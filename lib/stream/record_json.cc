// One line of the json format to a record.
#include <cstdint>

#include "base/json.h"
#include "base/strings.h"
#include "stream/reader.h"

namespace mq::stream::internal {
namespace {

Error Bad(std::string text) { return MakeError(ErrorCode::kInvalidArgument, std::move(text)); }

Status ReadKeys(const json::Value& value, InputRecord& record) {
  if (value.is_null()) return Ok();
  if (value.is_string()) {
    if (!value.text().empty()) record.keys.push_back(value.text());
    return Ok();
  }
  if (!value.is_array()) return Bad("\"keys\" is not a list of strings");
  for (const json::Value& item : value.items()) {
    if (!item.is_string()) return Bad("\"keys\" is not a list of strings");
    if (item.text().find(' ') != std::string::npos) {
      return Bad("key '" + item.text() + "' holds a blank, which separates keys");
    }
    record.keys.push_back(item.text());
  }
  return Ok();
}

Status ReadProperties(const json::Value& value, InputRecord& record) {
  if (value.is_null()) return Ok();
  if (!value.is_object()) return Bad("\"properties\" is not an object");
  for (const json::Member& member : value.members()) {
    if (member.second.is_null() || member.second.is_object() || member.second.is_array()) {
      return Bad("property '" + member.first + "' is not a string");
    }
    record.properties.emplace_back(member.first, member.second.AsString());
  }
  return Ok();
}

Status ReadBody(const json::Value& object, InputRecord& record, std::string& storage) {
  const json::Value* text = object.Find("body");
  const json::Value* base64 = object.Find("body_base64");
  if ((text == nullptr) == (base64 == nullptr)) {
    return Bad(text == nullptr ? "neither \"body\" nor \"body_base64\"" : "both \"body\" and \"body_base64\"");
  }
  const json::Value* value = text != nullptr ? text : base64;
  if (!value->is_string())
    return Bad(std::string(text != nullptr ? "\"body\"" : "\"body_base64\"") + " is not a string");
  if (text != nullptr) {
    storage = text->text();
  } else {
    Result<std::string> decoded = Base64Decode(base64->text());
    if (!decoded) return std::move(decoded).WithContext("\"body_base64\"").error();
    storage = std::move(*decoded);
  }
  record.body = storage;
  return Ok();
}

}  // namespace

Status ReadJsonRecord(std::string_view text, InputRecord& record, std::string& storage) {
  Result<json::Value> parsed = json::Parse(text);
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.code = ErrorCode::kInvalidArgument;
    return error;
  }
  const json::Value& object = *parsed;
  if (!object.is_object()) return Bad("not a JSON object");
  MQ_TRY(ReadBody(object, record, storage));
  record.topic = object.Text("topic");
  if (const json::Value* queue = object.Find("queue"); queue != nullptr && !queue->is_null())
    record.queue = queue->AsInt(-1);
  record.tag = object.Text("tag");
  if (const json::Value* flag = object.Find("flag"); flag != nullptr && !flag->is_null()) {
    const std::int64_t value = flag->AsInt(INT64_MAX);
    if (value < INT32_MIN || value > INT32_MAX) return Bad("\"flag\" is no integer of 32 bits");
    record.flag = static_cast<std::int32_t>(value);
  }
  if (const json::Value* keys = object.Find("keys"); keys != nullptr) MQ_TRY(ReadKeys(*keys, record));
  if (const json::Value* all = object.Find("properties"); all != nullptr) MQ_TRY(ReadProperties(*all, record));
  return Ok();
}

}  // namespace mq::stream::internal
