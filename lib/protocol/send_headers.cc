#include "protocol/send_headers.h"

#include "base/strings.h"
#include "protocol/field_reader.h"
#include "protocol/properties.h"

namespace mq::protocol {
namespace {

// The long names in the order in which the alphabet puts them; the short ones are a to n.
Result<SendMessageRequestHeader> DecodeFields(const CommandView& command, const std::string_view (&names)[14]) {
  FieldReader reader(command);
  SendMessageRequestHeader header;
  header.producer_group = reader.Text(names[0]);
  header.topic = reader.Text(names[1]);
  header.default_topic = reader.Text(names[2]);
  header.default_topic_queues = reader.Int(names[3]);
  header.queue_id = reader.Int(names[4]);
  header.sys_flag = reader.Int(names[5]);
  header.born_timestamp = reader.Long(names[6]);
  header.flag = reader.Int(names[7]);
  header.properties = reader.OptionalText(names[8]);
  header.reconsume_times = reader.OptionalInt(names[9], 0);
  header.unit_mode = reader.OptionalBool(names[10], false);
  const std::string_view max_reconsume = reader.OptionalText(names[11]);
  if (!max_reconsume.empty()) header.max_reconsume_times = reader.OptionalInt(names[11], 0);
  header.batch = reader.OptionalBool(names[12], false);
  header.broker_name = reader.OptionalText(names[13]);
  MQ_TRY(reader.status());
  return header;
}

constexpr std::string_view kLongNames[14] = {
    "producerGroup", "topic", "defaultTopic", "defaultTopicQueueNums", "queueId",  "sysFlag",
    "bornTimestamp", "flag",  "properties",   "reconsumeTimes",        "unitMode", "maxReconsumeTimes",
    "batch",         "bname"};
constexpr std::string_view kShortNames[14] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};

}  // namespace

Result<SendMessageRequestHeader> SendMessageRequestHeader::Decode(const CommandView& command) {
  if (command.code == static_cast<int32_t>(RequestCode::kSendMessage)) return DecodeFields(command, kLongNames);
  return DecodeFields(command, kShortNames);
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
