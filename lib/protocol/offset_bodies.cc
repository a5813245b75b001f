#include "protocol/offset_bodies.h"

#include <ctime>

#include <array>
#include <cstdio>

#include "base/strings.h"

namespace mq::protocol {
namespace {

std::string JavaTimeText(int64_t timestamp_ms) {
  const int64_t millis = ((timestamp_ms % 1000) + 1000) % 1000;
  const auto seconds = static_cast<std::time_t>((timestamp_ms - millis) / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  const size_t length = std::strftime(date.data(), date.size(), "%Y-%m-%d#%H:%M:%S", &parts);
  std::array<char, 8> tail{};
  std::snprintf(tail.data(), tail.size(), ":%03d", static_cast<int>(millis));
  return std::string(date.data(), length) + tail.data();
}

const json::Value& Member(const json::Value& value, std::string_view key) {
  static const json::Value kEmpty = json::Value::Object();
  const json::Value* found = value.Find(key);
  return found == nullptr || found->is_null() ? kEmpty : *found;
}

}  // namespace

std::string EncodeResetOffset(const ResetOffsetBody& offsets, ResetForm form) {
  json::Writer writer;
  writer.BeginObject().Key("offsetTable");
  if (form == ResetForm::kMap) {
    WriteQueueOffsets(writer, offsets);
  } else {
    writer.BeginArray();
    for (const auto& [queue, offset] : offsets) {
      writer.BeginObject().Key("brokerName").String(queue.broker_name).Key("offset").Int(offset);
      writer.Key("queueId").Int(queue.queue_id).Key("topic").String(queue.topic).EndObject();
    }
    writer.EndArray();
  }
  writer.EndObject();
  return writer.Take();
}

Result<ResetOffsetBody> DecodeResetOffset(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  const json::Value& table = Member(value, "offsetTable");
  if (!table.is_array()) return ReadQueueOffsets(&table);
  ResetOffsetBody offsets;
  for (const json::Value& item : table.items()) {
    MQ_ASSIGN(MessageQueue queue, MessageQueueFromJson(item));
    offsets.insert_or_assign(std::move(queue), item.Int("offset"));
  }
  return offsets;
}

std::string EncodeConsumerStatus(const GetConsumerStatusBody& status) {
  json::Writer writer;
  writer.BeginObject().Key("consumerTable").BeginObject();
  for (const auto& [client, queues] : status.clients) {
    writer.Key(client);
    WriteQueueOffsets(writer, queues);
  }
  writer.EndObject().Key("messageQueueTable");
  WriteQueueOffsets(writer, status.queues);
  writer.EndObject();
  return writer.Take();
}

Result<GetConsumerStatusBody> DecodeConsumerStatus(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  GetConsumerStatusBody status;
  MQ_ASSIGN(status.queues, ReadQueueOffsets(value.Find("messageQueueTable")));
  for (const auto& [client, item] : Member(value, "consumerTable").members()) {
    MQ_ASSIGN(status.clients[client], ReadQueueOffsets(&item));
  }
  return status;
}

void WriteOffsetsById(json::Writer& writer, const OffsetsById& offsets) {
  writer.BeginIntKeyObject();
  for (const auto& [id, offset] : offsets) writer.IntKey(id).Int(offset);
  writer.EndObject();
}

Result<OffsetsById> OffsetsByIdFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "a map of offsets is not an object");
  OffsetsById offsets;
  for (const auto& [key, item] : value.members()) {
    const auto id = ParseInt64(key);
    if (!id || *id < INT32_MIN || *id > INT32_MAX) {
      return MakeError(ErrorCode::kProtocol, "key '" + key + "' of a map of offsets is not a number");
    }
    offsets.insert_or_assign(static_cast<int32_t>(*id), item.AsInt());
  }
  return offsets;
}

std::string EncodeCorrectionOffsets(const OffsetsById& offsets) {
  json::Writer writer;
  writer.BeginObject().Key("correctionOffsets");
  WriteOffsetsById(writer, offsets);
  writer.EndObject();
  return writer.Take();
}

Result<OffsetsById> DecodeCorrectionOffsets(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return OffsetsByIdFromJson(Member(value, "correctionOffsets"));
}

void WriteConsumerOffsets(json::Writer& writer, const ConsumerOffsetTable& table) {
  writer.BeginObject().Key("offsetTable").BeginObject();
  for (const auto& [key, offsets] : table) {
    writer.Key(key);
    WriteOffsetsById(writer, offsets);
  }
  writer.EndObject().EndObject();
}

std::string EncodeConsumerOffsets(const ConsumerOffsetTable& table) {
  json::Writer writer;
  WriteConsumerOffsets(writer, table);
  return writer.Take();
}

Result<ConsumerOffsetTable> ConsumerOffsetsFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "the table of offsets is not an object");
  ConsumerOffsetTable table;
  for (const auto& [key, item] : Member(value, "offsetTable").members()) {
    auto offsets = OffsetsByIdFromJson(item);
    if (!offsets) return std::move(offsets).WithContext(key).error();
    table.insert_or_assign(key, std::move(*offsets));
  }
  return table;
}

Result<ConsumerOffsetTable> DecodeConsumerOffsets(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return ConsumerOffsetsFromJson(value);
}

void WriteDelayOffsets(json::Writer& writer, const OffsetsById& offsets) {
  writer.BeginObject().Key("offsetTable");
  WriteOffsetsById(writer, offsets);
  writer.EndObject();
}

std::string EncodeDelayOffsets(const OffsetsById& offsets) {
  json::Writer writer;
  WriteDelayOffsets(writer, offsets);
  return writer.Take();
}

Result<OffsetsById> DelayOffsetsFromJson(const json::Value& value) {
  return OffsetsByIdFromJson(Member(value, "offsetTable"));
}

Result<OffsetsById> DecodeDelayOffsets(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return DelayOffsetsFromJson(value);
}

std::string EncodeTimeSpans(const std::vector<QueueTimeSpan>& spans) {
  json::Writer writer;
  writer.BeginObject().Key("consumeTimeSpanSet").BeginArray();
  for (const QueueTimeSpan& span : spans) {
    writer.BeginObject();
    writer.Key("consumeTimeStamp").Int(span.consume_timestamp);
    writer.Key("consumeTimeStampStr").String(JavaTimeText(span.consume_timestamp));
    writer.Key("delayTime").Int(span.delay_ms);
    writer.Key("maxTimeStamp").Int(span.max_timestamp);
    writer.Key("maxTimeStampStr").String(JavaTimeText(span.max_timestamp));
    writer.Key("messageQueue");
    WriteJson(writer, span.queue);
    writer.Key("minTimeStamp").Int(span.min_timestamp);
    writer.Key("minTimeStampStr").String(JavaTimeText(span.min_timestamp));
    writer.EndObject();
  }
  writer.EndArray().EndObject();
  return writer.Take();
}

Result<std::vector<QueueTimeSpan>> DecodeTimeSpans(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  std::vector<QueueTimeSpan> spans;
  for (const json::Value& item : Member(value, "consumeTimeSpanSet").items()) {
    QueueTimeSpan& span = spans.emplace_back();
    MQ_ASSIGN(span.queue, MessageQueueFromJson(Member(item, "messageQueue")));
    span.min_timestamp = item.Int("minTimeStamp");
    span.max_timestamp = item.Int("maxTimeStamp");
    span.consume_timestamp = item.Int("consumeTimeStamp");
    span.delay_ms = item.Int("delayTime");
  }
  return spans;
}

std::string EncodeOffsetMoved(const OffsetMovedEvent& event) {
  json::Writer writer;
  writer.BeginObject().Key("consumerGroup").String(event.group).Key("messageQueue");
  WriteJson(writer, event.queue);
  writer.Key("offsetNew").Int(event.offset_new).Key("offsetRequest").Int(event.offset_request).EndObject();
  return writer.Take();
}

Result<OffsetMovedEvent> DecodeOffsetMoved(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  OffsetMovedEvent event;
  event.group = value.Text("consumerGroup");
  MQ_ASSIGN(event.queue, MessageQueueFromJson(Member(value, "messageQueue")));
  event.offset_new = value.Int("offsetNew");
  event.offset_request = value.Int("offsetRequest");
  return event;
}

}  // namespace mq::protocol
