#include "protocol/send_headers.h"

#include <array>
#include <charconv>
#include <string>

#include "base/strings.h"
#include "protocol/field_reader.h"
#include "protocol/properties.h"

namespace mq::protocol {
namespace {

Result<SendMessageRequestHeader> DecodeLong(const CommandView& command) {
  FieldReader reader(command);
  SendMessageRequestHeader header;
  header.producer_group = reader.Text("producerGroup");
  header.topic = reader.Text("topic");
  header.default_topic = reader.Text("defaultTopic");
  header.default_topic_queues = reader.Int("defaultTopicQueueNums");
  header.queue_id = reader.Int("queueId");
  header.sys_flag = reader.Int("sysFlag");
  header.born_timestamp = reader.Long("bornTimestamp");
  header.flag = reader.Int("flag");
  header.properties = reader.OptionalText("properties");
  header.reconsume_times = reader.OptionalInt("reconsumeTimes", 0);
  header.unit_mode = reader.OptionalBool("unitMode", false);
  const std::string_view max_reconsume = reader.OptionalText("maxReconsumeTimes");
  if (!max_reconsume.empty()) header.max_reconsume_times = reader.OptionalInt("maxReconsumeTimes", 0);
  header.batch = reader.OptionalBool("batch", false);
  header.broker_name = reader.OptionalText("bname");
  MQ_TRY(reader.status());
  return header;
}

// The letters a to n by position: every send passes here, so each field is looked at once.
class ShortFields {
 public:
  explicit ShortFields(const CommandView& command) : command_(command) {
    const bool empty_is_absent = command.type == SerializeType::kRocketMq;
    for (const ExtField& field : command.ext) {
      if (field.key.size() != 1 || field.key[0] < 'a' || field.key[0] > 'n') continue;
      if (!empty_is_absent || !field.value.empty()) values_[static_cast<size_t>(field.key[0] - 'a')] = field.value;
    }
  }

  std::string_view Text(char letter) {
    if (ValueOf(letter).data() == nullptr) Fail(letter, "is missing");
    return ValueOf(letter);
  }
  std::string_view OptionalText(char letter) const { return ValueOf(letter); }
  template <class Int>
  Int Number(char letter) {
    const std::string_view text = Text(letter);
    Int number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    if (!whole) Fail(letter, "is not a number: \"" + std::string(text.substr(0, 64)) + "\"");
    return number;
  }
  int32_t OptionalNumber(char letter) { return ValueOf(letter).empty() ? 0 : Number<int32_t>(letter); }
  bool OptionalBool(char letter) const { return EqualsIgnoreCase(ValueOf(letter), "true"); }
  Status status() const {
    if (fault_) return *fault_;
    return Ok();
  }

 private:
  std::string_view ValueOf(char letter) const { return values_[static_cast<size_t>(letter - 'a')]; }
  void Fail(char letter, const std::string& why) {
    if (fault_) return;
    std::string what(RequestCodeName(command_.code));
    what.append(": field ").append(1, letter).append(" ").append(why);
    fault_ = MakeError(ErrorCode::kProtocol, std::move(what));
  }

  const CommandView& command_;
  std::array<std::string_view, 14> values_{};
  std::optional<Error> fault_;
};

Result<SendMessageRequestHeader> DecodeShort(const CommandView& command) {
  ShortFields fields(command);
  SendMessageRequestHeader header;
  header.producer_group = fields.Text('a');
  header.topic = fields.Text('b');
  header.default_topic = fields.Text('c');
  header.default_topic_queues = fields.Number<int32_t>('d');
  header.queue_id = fields.Number<int32_t>('e');
  header.sys_flag = fields.Number<int32_t>('f');
  header.born_timestamp = fields.Number<int64_t>('g');
  header.flag = fields.Number<int32_t>('h');
  header.properties = fields.OptionalText('i');
  header.reconsume_times = fields.OptionalNumber('j');
  header.unit_mode = fields.OptionalBool('k');
  if (!fields.OptionalText('l').empty()) header.max_reconsume_times = fields.Number<int32_t>('l');
  header.batch = fields.OptionalBool('m');
  header.broker_name = fields.OptionalText('n');
  MQ_TRY(fields.status());
  return header;
}

}  // namespace

Result<SendMessageRequestHeader> SendMessageRequestHeader::Decode(const CommandView& command) {
  const auto is = [&](RequestCode code) { return command.code == static_cast<int32_t>(code); };
  if (is(RequestCode::kSendMessage) || is(RequestCode::kSendReplyMessage)) return DecodeLong(command);
  return DecodeShort(command);
}

void SendMessageRequestHeader::EncodeLong(CommandWriter& writer) const {
  writer.Ext("batch", batch);
  if (!broker_name.empty()) writer.Ext("bname", broker_name);
  writer.Ext("bornTimestamp", born_timestamp);
  writer.Ext("defaultTopic", default_topic);
  writer.Ext("defaultTopicQueueNums", default_topic_queues);
  writer.Ext("flag", flag);
  if (max_reconsume_times) writer.Ext("maxReconsumeTimes", *max_reconsume_times);
  writer.Ext("producerGroup", producer_group);
  if (!properties.empty()) writer.Ext("properties", properties);
  writer.Ext("queueId", queue_id);
  writer.Ext("reconsumeTimes", reconsume_times);
  writer.Ext("sysFlag", sys_flag);
  writer.Ext("topic", topic);
  writer.Ext("unitMode", unit_mode);
}

void SendMessageRequestHeader::EncodeShort(CommandWriter& writer) const {
  writer.Ext("a", producer_group);
  writer.Ext("b", topic);
  writer.Ext("c", default_topic);
  writer.Ext("d", default_topic_queues);
  writer.Ext("e", queue_id);
  writer.Ext("f", sys_flag);
  writer.Ext("g", born_timestamp);
  writer.Ext("h", flag);
  if (!properties.empty()) writer.Ext("i", properties);
  writer.Ext("j", reconsume_times);
  writer.Ext("k", unit_mode);
  if (max_reconsume_times) writer.Ext("l", *max_reconsume_times);
  writer.Ext("m", batch);
  if (!broker_name.empty()) writer.Ext("n", broker_name);
}

Result<SendMessageResponseHeader> SendMessageResponseHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  SendMessageResponseHeader header;
  header.msg_id = reader.Text("msgId");
  header.queue_id = reader.Int("queueId");
  header.queue_offset = QueueOffset(reader.Long("queueOffset"));
  header.transaction_id = reader.OptionalText("transactionId");
  MQ_TRY(reader.status());
  return header;
}

void SendMessageResponseHeader::Encode(CommandWriter& writer) const {
  EncodeSendRefusalFields(writer);
  writer.Ext("msgId", msg_id);
  writer.Ext("queueId", queue_id);
  writer.Ext("queueOffset", queue_offset.value());
  if (!transaction_id.empty()) writer.Ext("transactionId", transaction_id);
}

void EncodeSendRefusalFields(CommandWriter& writer) {
  writer.Ext(property::kMsgRegion, "DefaultRegion");
  writer.Ext(property::kTraceOn, "true");
}

}  // namespace mq::protocol
