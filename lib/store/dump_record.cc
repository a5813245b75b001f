#include "store/dump_record.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/json.h"
#include "base/strings.h"
#include "base/time_text.h"
#include "protocol/compress.h"
#include "protocol/ids.h"
#include "protocol/properties.h"

namespace mq::store {

namespace {

constexpr int32_t kBlankMagicSigned = static_cast<int32_t>(protocol::kBlankMagic);
constexpr int32_t kMessageMagicSigned = static_cast<int32_t>(protocol::kMessageMagic);

std::string PropertiesJson(std::string_view properties) {
  std::string out = "{";
  for (const auto& [name, value] : protocol::ParseProperties(properties)) {
    if (out.size() > 1) out += ',';
    json::AppendQuoted(out, name);
    out += ':';
    json::AppendQuoted(out, value);
  }
  return out + "}";
}

void AppendBody(DumpRow& row, const protocol::MessageView& message, bool redact) {
  std::string inflated;
  const auto body = protocol::MessageBody(message, inflated);
  const std::string_view bytes = body ? *body : message.body;
  row.Int("decompressedLength", body ? static_cast<int64_t>(bytes.size()) : -1);
  if (redact) {
    row.Text("body", RedactedBody(bytes));
  } else if (body && IsValidUtf8(bytes)) {
    row.Text("body", bytes);
  } else {
    row.Text("bodyBase64", Base64Encode(bytes));
  }
}

void AppendMessage(DumpRow& row, const LogItem& item, bool redact) {
  const protocol::MessageView& message = item.message;
  const std::string redacted = redact ? RedactProperties(message.properties) : std::string();
  const std::string_view properties = redact ? std::string_view(redacted) : message.properties;
  row.Int("physicalOffset", item.position.value())
      .Int("storeSize", item.bytes)
      .Int("magic", kMessageMagicSigned)
      .Int("bodyCRC", static_cast<int32_t>(message.body_crc))
      .Bool("crcOk", message.body.empty() || MessageCrc(message.body) == message.body_crc)
      .Int("queueId", message.queue_id)
      .Int("flag", message.flag)
      .Int("queueOffset", message.queue_offset.value())
      .Int("sysFlag", message.sys_flag)
      .Time("bornTimestamp", message.born_timestamp)
      .Text("bornHost", message.born_host.ToString())
      .Time("storeTimestamp", message.store_timestamp)
      .Text("storeHost", message.store_host.ToString())
      .Int("reconsumeTimes", message.reconsume_times)
      .Int("preparedTransactionOffset", message.prepared_transaction_offset.value())
      .Int("bodyLength", static_cast<int64_t>(message.body.size()))
      .Text("topic", message.topic)
      .Text("msgId", protocol::MakeOffsetMessageId(message.store_host, message.physical_offset));
  if (row.json()) row.Text("propertiesRaw", properties);
  row.Raw("properties", PropertiesJson(properties));
  AppendBody(row, message, redact);
}

// Walks the fields of a record as mq-store(5) lists them.
class HexFields {
 public:
  HexFields(std::string& out, std::string_view bytes, RowStyle style) : out_(out), bytes_(bytes), style_(style) {}

  int64_t Number(std::string_view name, int64_t width, bool is_time = false) {
    if (left() < width) return Cut(name);
    const char* at = bytes_.data() + at_;
    int64_t value = 0;
    if (width == 1) value = static_cast<int8_t>(*at);
    if (width == 2) value = static_cast<int16_t>(LoadBe16(at));
    if (width == 4) value = static_cast<int32_t>(LoadBe32(at));
    if (width == 8) value = static_cast<int64_t>(LoadBe64(at));
    Line(name, width, is_time ? std::to_string(value) + " (" + FormatTime(value) + ")" : std::to_string(value));
    return value;
  }
  void HostField(std::string_view name, bool v6) {
    const int64_t width = v6 ? 20 : 8;
    if (left() < width) {
      Cut(name);
      return;
    }
    Line(name, width, protocol::DecodeHost(bytes_.data() + at_, v6).ToString());
  }
  void Contents(std::string_view name, int64_t width, bool redact) {
    if (width < 0 || left() < width) {
      Cut(name);
      return;
    }
    const std::string_view text = bytes_.substr(static_cast<size_t>(at_), static_cast<size_t>(width));
    std::string value = redact ? RedactedBody(text) : std::string(text.substr(0, kShown));
    Line(name, width, value, redact);
  }
  bool cut() const { return cut_; }

 private:
  static constexpr int64_t kShown = 64;  // bytes of contents that are shown

  int64_t left() const { return cut_ ? -1 : static_cast<int64_t>(bytes_.size()) - at_; }
  int64_t Cut(std::string_view name) {
    if (!cut_) DumpRow(out_, style_).Int("byte", at_).Text("field", name).Text("value", "the record ends before it");
    cut_ = true;
    return 0;
  }
  void Line(std::string_view name, int64_t width, std::string_view value, bool hide_hex = false) {
    const std::string_view field =
        bytes_.substr(static_cast<size_t>(at_), static_cast<size_t>(std::min(width, kShown)));
    DumpRow row(out_, style_);
    row.Int("byte", at_).Int("bytes", width).Text("field", name).Text("value", value);
    if (!hide_hex) row.Text("hex", HexUpper(field) + (width > kShown ? "..." : ""));
    at_ += width;
  }

  std::string& out_;
  std::string_view bytes_;
  RowStyle style_;
  int64_t at_ = 0;
  bool cut_ = false;
};

void AppendHexRecord(std::string& out, std::string_view bytes, RowStyle style, bool redact) {
  HexFields fields(out, bytes, style);
  fields.Number("totalSize", 4);
  fields.Number("magic", 4);
  fields.Number("bodyCRC", 4);
  fields.Number("queueId", 4);
  fields.Number("flag", 4);
  fields.Number("queueOffset", 8);
  fields.Number("physicalOffset", 8);
  const int64_t sys_flag = fields.Number("sysFlag", 4);
  fields.Number("bornTimestamp", 8, true);
  fields.HostField("bornHost", (sys_flag & protocol::sys_flag::kBornHostV6) != 0);
  fields.Number("storeTimestamp", 8, true);
  fields.HostField("storeHost", (sys_flag & protocol::sys_flag::kStoreHostV6) != 0);
  fields.Number("reconsumeTimes", 4);
  fields.Number("preparedTransactionOffset", 8);
  const int64_t body = fields.Number("bodyLength", 4);
  fields.Contents("body", body, redact);
  const int64_t topic = fields.Number("topicLength", 1);
  fields.Contents("topic", topic, false);
  const int64_t properties = fields.Number("propertiesLength", 2);
  fields.Contents("properties", properties, redact);
}

}  // namespace

std::string RedactedBody(std::string_view body) { return "[" + std::to_string(body.size()) + " bytes]"; }

std::string RedactProperties(std::string_view properties) {
  std::string out;
  for (const auto& [name, value] : protocol::ParseProperties(properties)) {
    const bool own = protocol::IsReservedProperty(name) && name != protocol::property::kKeys;
    protocol::AppendProperty(out, name, own ? value : RedactedBody(value));
  }
  return out;
}

void AppendRecordRow(std::string& out, const LogItem& item, RowStyle style, bool redact) {
  DumpRow row(out, style);
  switch (item.kind) {
    case LogItemKind::kRecord:
      row.Text("kind", "msg");
      AppendMessage(row, item, redact);
      return;
    case LogItemKind::kBlank:
      row.Text("kind", "blank")
          .Int("physicalOffset", item.position.value())
          .Int("storeSize", item.bytes)
          .Int("magic", kBlankMagicSigned);
      return;
    case LogItemKind::kDamage:
    case LogItemKind::kTornTail:
      row.Text("kind", item.kind == LogItemKind::kDamage ? "damage" : "torn")
          .Int("physicalOffset", item.position.value())
          .Int("bytes", item.bytes)
          .Text("reason", item.reason);
      return;
  }
}

Result<std::string> HexOfRecord(DumpLog& log, PhysicalOffset position, RowStyle style, bool redact) {
  constexpr int64_t kWithoutRecord = 256;  // shown when nothing sensible says how much there is
  MQ_ASSIGN(std::string_view bytes, log.BytesAt(position, kBlankHeaderBytes));
  if (bytes.empty()) {
    return MakeError(ErrorCode::kNotFound,
                     "no file of the commit log holds position " + std::to_string(position.value()));
  }
  std::string out;
  {
    DumpRow row(out, style);
    row.Text("file", log.PathOf(position)).Int("byte", log.ByteOf(position)).Int("physicalOffset", position.value());
  }
  const bool head = bytes.size() == kBlankHeaderBytes;
  const int64_t size = head ? static_cast<int32_t>(LoadBe32(bytes.data())) : 0;
  const uint32_t magic = head ? LoadBe32(bytes.data() + 4) : 0;
  if (magic == protocol::kBlankMagic) {
    HexFields fields(out, bytes, style);
    fields.Number("blankSize", 4);
    fields.Number("magic", 4);
    return out;
  }
  MQ_ASSIGN(const std::optional<LogItem> record, log.RecordAt(position));
  if (!record) {
    DumpRow row(out, style);
    row.Text("notice", magic == protocol::kMessageMagic ? "no sound record starts here" : "no record starts here");
  }
  const bool sized = magic == protocol::kMessageMagic && size >= static_cast<int64_t>(protocol::kMinRecordBytes);
  MQ_ASSIGN(bytes, log.BytesAt(position, record  ? record->bytes
                                         : sized ? std::min<int64_t>(size, 1 << 20)
                                                 : kWithoutRecord));
  AppendHexRecord(out, bytes, style, redact);
  return out;
}

}  // namespace mq::store
