#include "protocol/pull_headers.h"

#include "protocol/field_reader.h"

namespace mq::protocol {

Result<PullMessageRequestHeader> PullMessageRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  PullMessageRequestHeader header;
  header.commit_offset = ConsumerOffset(reader.Long("commitOffset"));
  header.consumer_group = reader.Text("consumerGroup");
  header.expression_type = reader.OptionalText("expressionType");
  header.max_msg_nums = reader.Int("maxMsgNums");
  header.queue_id = reader.Int("queueId");
  header.queue_offset = QueueOffset(reader.Long("queueOffset"));
  header.sub_version = reader.Long("subVersion");
  header.subscription = reader.OptionalText("subscription");
  header.suspend_timeout_ms = reader.Long("suspendTimeoutMillis");
  header.sys_flag = reader.Int("sysFlag");
  header.topic = reader.Text("topic");
  MQ_TRY(reader.status());
  return header;
}

void PullMessageRequestHeader::Encode(CommandWriter& writer) const {
  writer.Ext("commitOffset", commit_offset.value());
  writer.Ext("consumerGroup", consumer_group);
  if (!expression_type.empty()) writer.Ext("expressionType", expression_type);
  writer.Ext("maxMsgNums", max_msg_nums);
  writer.Ext("queueId", queue_id);
  writer.Ext("queueOffset", queue_offset.value());
  writer.Ext("subVersion", sub_version);
  if (!subscription.empty()) writer.Ext("subscription", subscription);
  writer.Ext("suspendTimeoutMillis", suspend_timeout_ms);
  writer.Ext("sysFlag", sys_flag);
  writer.Ext("topic", topic);
}

Result<PullMessageResponseHeader> PullMessageResponseHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  PullMessageResponseHeader header;
  header.max_offset = QueueOffset(reader.Long("maxOffset"));
  header.min_offset = QueueOffset(reader.Long("minOffset"));
  header.next_begin_offset = QueueOffset(reader.Long("nextBeginOffset"));
  header.suggest_which_broker_id = reader.Long("suggestWhichBrokerId");
  MQ_TRY(reader.status());
  return header;
}

void PullMessageResponseHeader::Encode(CommandWriter& writer) const {
  writer.Ext("maxOffset", max_offset.value());
  writer.Ext("minOffset", min_offset.value());
  writer.Ext("nextBeginOffset", next_begin_offset.value());
  writer.Ext("suggestWhichBrokerId", suggest_which_broker_id);
}

Result<QueueRequestHeader> QueueRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  QueueRequestHeader header;
  header.queue_id = reader.Int("queueId");
  header.topic = reader.Text("topic");
  MQ_TRY(reader.status());
  return header;
}

void QueueRequestHeader::Encode(CommandWriter& writer) const {
  writer.Ext("queueId", queue_id);
  writer.Ext("topic", topic);
}

Result<SearchOffsetRequestHeader> SearchOffsetRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  SearchOffsetRequestHeader header;
  const std::string_view boundary = reader.OptionalText("boundaryType");
  header.queue_id = reader.Int("queueId");
  header.timestamp = reader.Long("timestamp");
  header.topic = reader.Text("topic");
  MQ_TRY(reader.status());
  if (boundary == "lower" || boundary == "LOWER") header.boundary = BoundaryType::kLower;
  if (boundary == "upper" || boundary == "UPPER") header.boundary = BoundaryType::kUpper;
  return header;
}

void SearchOffsetRequestHeader::Encode(CommandWriter& writer) const {
  if (boundary != BoundaryType::kNone) {
    writer.Ext("boundaryType", boundary == BoundaryType::kLower ? "lower" : "upper");
  }
  writer.Ext("queueId", queue_id);
  writer.Ext("timestamp", timestamp);
  writer.Ext("topic", topic);
}

Result<OffsetResponseHeader> OffsetResponseHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  OffsetResponseHeader header;
  header.offset = QueueOffset(reader.Long("offset"));
  MQ_TRY(reader.status());
  return header;
}

void OffsetResponseHeader::Encode(CommandWriter& writer) const { writer.Ext("offset", offset.value()); }

Result<StoretimeResponseHeader> StoretimeResponseHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  StoretimeResponseHeader header;
  header.timestamp = reader.Long("timestamp");
  MQ_TRY(reader.status());
  return header;
}

void StoretimeResponseHeader::Encode(CommandWriter& writer) const { writer.Ext("timestamp", timestamp); }

}  // namespace mq::protocol
