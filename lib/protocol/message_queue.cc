#include "protocol/message_queue.h"

namespace mq::protocol {

void WriteJson(json::Writer& writer, const MessageQueue& queue) {
  writer.BeginObject();
  writer.Key("brokerName").String(queue.broker_name);
  writer.Key("queueId").Int(queue.queue_id);
  writer.Key("topic").String(queue.topic);
  writer.EndObject();
}

Result<MessageQueue> MessageQueueFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "MessageQueue is not an object");
  MessageQueue queue;
  queue.topic = value.Text("topic");
  queue.broker_name = value.Text("brokerName");
  queue.queue_id = static_cast<int32_t>(value.Int("queueId"));
  return queue;
}

Result<MessageQueue> MessageQueueFromKey(std::string_view key) {
  Result<json::Value> value = json::Parse(key);
  if (!value) return std::move(value).WithContext("key of a map of queues").error();
  return MessageQueueFromJson(*value);
}

Status ReadQueueMap(const json::Value* map, const std::function<Status(MessageQueue, const json::Value&)>& each) {
  if (map == nullptr || map->is_null()) return Ok();
  if (!map->is_object()) return MakeError(ErrorCode::kProtocol, "a map of queues is not an object");
  for (const auto& [key, value] : map->members()) {
    // A reference to an object that stands elsewhere (fastjson's "$ref") carries nothing of its own.
    if (key == "$ref") continue;
    MQ_ASSIGN(MessageQueue queue, MessageQueueFromKey(key));
    MQ_TRY(each(std::move(queue), value));
  }
  return Ok();
}

void WriteQueueOffsets(json::Writer& writer, const QueueMap<int64_t>& map) {
  WriteQueueMap(writer, map, [&](int64_t offset) { writer.Int(offset); });
}

Result<QueueMap<int64_t>> ReadQueueOffsets(const json::Value* map) {
  QueueMap<int64_t> offsets;
  MQ_TRY(ReadQueueMap(map, [&](MessageQueue queue, const json::Value& value) -> Status {
    offsets.insert_or_assign(std::move(queue), value.AsInt());
    return Ok();
  }));
  return offsets;
}

}  // namespace mq::protocol
