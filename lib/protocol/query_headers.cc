#include "protocol/query_headers.h"

#include "protocol/field_reader.h"

namespace mq::protocol {

namespace {
constexpr std::string_view kByIdField = "_UNIQUE_KEY_QUERY";
}  // namespace

Result<QueryMessageRequestHeader> QueryMessageRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  QueryMessageRequestHeader header;
  header.by_id = reader.OptionalBool(kByIdField, false);
  header.begin_timestamp = reader.Long("beginTimestamp");
  header.end_timestamp = reader.Long("endTimestamp");
  header.key = reader.Text("key");
  header.max_num = reader.Int("maxNum");
  header.topic = reader.Text("topic");
  MQ_TRY(reader.status());
  return header;
}

void QueryMessageRequestHeader::Encode(CommandWriter& writer) const {
  if (by_id) writer.Ext(kByIdField, true);
  writer.Ext("beginTimestamp", begin_timestamp);
  writer.Ext("endTimestamp", end_timestamp);
  writer.Ext("key", key);
  writer.Ext("maxNum", max_num);
  writer.Ext("topic", topic);
}

Result<QueryMessageResponseHeader> QueryMessageResponseHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  QueryMessageResponseHeader header;
  header.index_last_update_offset = PhysicalOffset(reader.Long("indexLastUpdatePhyoffset"));
  header.index_last_update_timestamp = reader.Long("indexLastUpdateTimestamp");
  MQ_TRY(reader.status());
  return header;
}

void QueryMessageResponseHeader::Encode(CommandWriter& writer) const {
  writer.Ext("indexLastUpdatePhyoffset", index_last_update_offset.value());
  writer.Ext("indexLastUpdateTimestamp", index_last_update_timestamp);
}

Result<ViewMessageRequestHeader> ViewMessageRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  ViewMessageRequestHeader header;
  header.offset = PhysicalOffset(reader.Long("offset"));
  MQ_TRY(reader.status());
  return header;
}

void ViewMessageRequestHeader::Encode(CommandWriter& writer) const { writer.Ext("offset", offset.value()); }

Result<QueryConsumeQueueRequestHeader> QueryConsumeQueueRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  QueryConsumeQueueRequestHeader header;
  header.consumer_group = reader.OptionalText("consumerGroup");
  header.count = reader.Int("count");
  header.index = QueueOffset(reader.Long("index"));
  header.queue_id = reader.Int("queueId");
  header.topic = reader.Text("topic");
  MQ_TRY(reader.status());
  return header;
}

void QueryConsumeQueueRequestHeader::Encode(CommandWriter& writer) const {
  if (!consumer_group.empty()) writer.Ext("consumerGroup", consumer_group);
  writer.Ext("count", count);
  writer.Ext("index", index.value());
  writer.Ext("queueId", queue_id);
  writer.Ext("topic", topic);
}

}  // namespace mq::protocol
