#include "protocol/locks.h"

namespace mq::protocol {
namespace {

void WriteQueues(json::Writer& writer, const std::vector<MessageQueue>& queues) {
  writer.BeginArray();
  for (const MessageQueue& queue : queues) WriteJson(writer, queue);
  writer.EndArray();
}

Result<std::vector<MessageQueue>> ReadQueues(const json::Value& value, std::string_view key) {
  std::vector<MessageQueue> queues;
  const json::Value* list = value.Find(key);
  if (list == nullptr) return queues;
  for (const json::Value& item : list->items()) {
    MQ_ASSIGN(MessageQueue queue, MessageQueueFromJson(item));
    queues.push_back(std::move(queue));
  }
  return queues;
}

}  // namespace

std::string EncodeLockRequest(const LockBatchRequestBody& body) {
  json::Writer writer;
  writer.BeginObject().Key("clientId").String(body.client_id).Key("consumerGroup").String(body.group).Key("mqSet");
  WriteQueues(writer, body.queues);
  writer.EndObject();
  return writer.Take();
}

Result<LockBatchRequestBody> DecodeLockRequest(std::string_view text) {
  MQ_ASSIGN(const json::Value value, json::Parse(text));
  LockBatchRequestBody body;
  body.client_id = value.Text("clientId");
  body.group = value.Text("consumerGroup");
  if (body.client_id.empty()) return MakeError(ErrorCode::kProtocol, "clientId is missing");
  if (body.group.empty()) return MakeError(ErrorCode::kProtocol, "consumerGroup is missing");
  MQ_ASSIGN(body.queues, ReadQueues(value, "mqSet"));
  return body;
}

std::string EncodeLockResponse(const std::vector<MessageQueue>& locked) {
  json::Writer writer;
  writer.BeginObject().Key("lockOKMQSet");
  WriteQueues(writer, locked);
  writer.EndObject();
  return writer.Take();
}

Result<std::vector<MessageQueue>> DecodeLockResponse(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return ReadQueues(value, "lockOKMQSet");
}

}  // namespace mq::protocol
