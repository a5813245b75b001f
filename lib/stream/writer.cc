#include "stream/writer.h"

#include <charconv>

#include "base/json.h"
#include "base/strings.h"
#include "base/time_text.h"
#include "protocol/ids.h"
#include "protocol/properties.h"

namespace mq::stream {
namespace {

void AppendInt(std::string& out, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end.ptr);
}

}  // namespace

MessageAttributes AttributesOf(std::string_view properties) {
  MessageAttributes attributes;
  protocol::PropertyReader reader(properties);
  while (const auto pair = reader.Next()) {
    if (pair->first == protocol::property::kTags) attributes.tag = pair->second;
    if (pair->first == protocol::property::kKeys) attributes.keys = pair->second;
    if (pair->first == protocol::property::kUniqKey) attributes.uniq_key = pair->second;
  }
  return attributes;
}

bool IsTransportProperty(std::string_view name) {
  namespace property = protocol::property;
  return name == property::kTags || name == property::kKeys || name == property::kUniqKey || name == property::kWait ||
         name == property::kCluster || name == property::kMsgRegion || name == property::kTraceOn ||
         name == property::kMinOffset || name == property::kMaxOffset;
}

void TimePrinter::Append(std::string& out, std::int64_t ms) {
  const std::int64_t second = ms >= 0 ? ms / 1000 : -1;
  if (second < 0) {
    out += FormatTime(ms);
    return;
  }
  if (second != second_) {
    prefix_ = FormatTime(second * 1000).substr(0, 20);  // up to and with the point
    second_ = second;
  }
  const int rest = static_cast<int>(ms % 1000);
  out += prefix_;
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
  out += 'Z';
}

void Writer::Append(std::string& out, const OutputMessage& message) {
  switch (options_.format) {
    case Format::kJson:
      AppendJson(out, message);
      return;
    case Format::kMsgpack:
      AppendMsgpack(out, message);
      return;
    case Format::kLines:
    case Format::kNul:
    case Format::kWhole:
      break;
  }
  if (options_.for_terminal) {
    AppendForTerminal(out, message.body);
  } else {
    out += message.body;
  }
  if (options_.format == Format::kNul) out += '\0';
  if (options_.format == Format::kLines) out += options_.delimiter;
}

void Writer::AppendJson(std::string& out, const OutputMessage& message) {
  const protocol::MessageView& record = *message.record;
  const MessageAttributes attributes = AttributesOf(record.properties);
  scratch_.clear();
  protocol::AppendOffsetMessageId(scratch_, record.store_host, record.physical_offset);
  out += "{\"topic\":";
  json::AppendQuoted(out, record.topic);
  out += ",\"queue\":";
  AppendInt(out, record.queue_id);
  out += ",\"offset\":";
  AppendInt(out, record.queue_offset.value());
  out += ",\"id\":";
  json::AppendQuoted(out, attributes.uniq_key.empty() ? std::string_view(scratch_) : attributes.uniq_key);
  out += ",\"offset_id\":\"";
  out += scratch_;
  out += "\",\"tag\":";
  json::AppendQuoted(out, attributes.tag);
  out += ",\"keys\":[";
  bool first = true;
  for (const std::string_view key : SplitAny(attributes.keys, " ")) {
    if (!first) out += ',';
    first = false;
    json::AppendQuoted(out, key);
  }
  out += "],\"properties\":{";
  first = true;
  for (const auto& [name, value] : protocol::ParseProperties(record.properties)) {
    if (IsTransportProperty(name)) continue;
    if (!first) out += ',';
    first = false;
    json::AppendQuoted(out, name);
    out += ':';
    json::AppendQuoted(out, value);
  }
  out += "},\"flag\":";
  AppendInt(out, record.flag);
  const auto append_time = [&](std::string_view name, std::int64_t ms) {
    out += name;
    if (!options_.epoch_ms) out += '"';
    options_.epoch_ms ? AppendInt(out, ms) : times_.Append(out, ms);
    if (!options_.epoch_ms) out += '"';
  };
  append_time(",\"born\":", record.born_timestamp);
  append_time(",\"stored\":", record.store_timestamp);
  out += ",\"born_host\":\"";
  out += record.born_host.ToString();
  out += "\",\"tries\":";
  AppendInt(out, record.reconsume_times);
  if (IsValidUtf8(message.body)) {
    out += ",\"body\":";
    json::AppendQuoted(out, message.body);
  } else {
    out += ",\"body_base64\":\"";
    out += Base64Encode(message.body);
    out += '"';
  }
  out += ",\"broker\":";
  json::AppendQuoted(out, message.broker);
  out += "}\n";
}

}  // namespace mq::stream
