#include "protocol/running_info.h"

#include <array>

#include "protocol/enum_json.h"

namespace mq::protocol {
namespace {

constexpr std::array<std::string_view, 6> kConsumeResults = {"CR_SUCCESS", "CR_LATER",           "CR_ROLLBACK",
                                                             "CR_COMMIT",  "CR_THROW_EXCEPTION", "CR_RETURN_NULL"};

void WriteQueue(json::Writer& writer, const ProcessQueueInfo& info) {
  writer.BeginObject();
  writer.Key("cachedMsgCount").Int(info.cached_count);
  writer.Key("cachedMsgMaxOffset").Int(info.cached_max_offset);
  writer.Key("cachedMsgMinOffset").Int(info.cached_min_offset);
  writer.Key("cachedMsgSizeInMiB").Int(info.cached_size_mib);
  writer.Key("commitOffset").Int(info.commit_offset);
  writer.Key("droped").Bool(info.dropped);
  writer.Key("lastConsumeTimestamp").Int(info.last_consume_timestamp);
  writer.Key("lastLockTimestamp").Int(info.last_lock_timestamp);
  writer.Key("lastPullTimestamp").Int(info.last_pull_timestamp);
  writer.Key("locked").Bool(info.locked);
  writer.Key("transactionMsgCount").Int(info.transaction_count);
  writer.Key("transactionMsgMaxOffset").Int(info.transaction_max_offset);
  writer.Key("transactionMsgMinOffset").Int(info.transaction_min_offset);
  writer.Key("tryUnlockTimes").Int(info.try_unlock_times);
  writer.EndObject();
}

ProcessQueueInfo QueueFromJson(const json::Value& value) {
  ProcessQueueInfo info;
  info.cached_count = static_cast<int32_t>(value.Int("cachedMsgCount"));
  info.cached_max_offset = value.Int("cachedMsgMaxOffset");
  info.cached_min_offset = value.Int("cachedMsgMinOffset");
  info.cached_size_mib = static_cast<int32_t>(value.Int("cachedMsgSizeInMiB"));
  info.commit_offset = value.Int("commitOffset");
  info.dropped = value.BoolOf("droped", value.BoolOf("dropped"));
  info.last_consume_timestamp = value.Int("lastConsumeTimestamp");
  info.last_lock_timestamp = value.Int("lastLockTimestamp");
  info.last_pull_timestamp = value.Int("lastPullTimestamp");
  info.locked = value.BoolOf("locked");
  info.transaction_count = static_cast<int32_t>(value.Int("transactionMsgCount"));
  info.transaction_max_offset = value.Int("transactionMsgMaxOffset");
  info.transaction_min_offset = value.Int("transactionMsgMinOffset");
  info.try_unlock_times = value.Int("tryUnlockTimes");
  return info;
}

void WriteStatus(json::Writer& writer, const ConsumeStatus& status) {
  writer.BeginObject();
  writer.Key("consumeFailedMsgs").Int(status.consume_failed_msgs);
  writer.Key("consumeFailedTPS").Double(status.consume_failed_tps);
  writer.Key("consumeOKTPS").Double(status.consume_ok_tps);
  writer.Key("consumeRT").Double(status.consume_rt);
  writer.Key("pullRT").Double(status.pull_rt);
  writer.Key("pullTPS").Double(status.pull_tps);
  writer.EndObject();
}

ConsumeStatus StatusFromJson(const json::Value& value) {
  ConsumeStatus status;
  status.consume_failed_msgs = value.Int("consumeFailedMsgs");
  status.consume_failed_tps = value.DoubleOf("consumeFailedTPS");
  status.consume_ok_tps = value.DoubleOf("consumeOKTPS");
  status.consume_rt = value.DoubleOf("consumeRT");
  status.pull_rt = value.DoubleOf("pullRT");
  status.pull_tps = value.DoubleOf("pullTPS");
  return status;
}

}  // namespace

std::string EncodeRunningInfo(const ConsumerRunningInfo& info) {
  json::Writer writer;
  writer.BeginObject();
  if (!info.jstack.empty()) writer.Key("jstack").String(info.jstack);
  writer.Key("mqTable");
  WriteQueueMap(writer, info.queues, [&](const ProcessQueueInfo& queue) { WriteQueue(writer, queue); });
  writer.Key("properties").BeginObject();
  for (const auto& [name, value] : info.properties) writer.Key(name).String(value);
  writer.EndObject().Key("statusTable").BeginObject();
  for (const auto& [topic, status] : info.status) {
    writer.Key(topic);
    WriteStatus(writer, status);
  }
  writer.EndObject().Key("subscriptionSet").BeginArray();
  for (const SubscriptionData& subscription : info.subscriptions) WriteJson(writer, subscription);
  writer.EndArray().EndObject();
  return writer.Take();
}

Result<ConsumerRunningInfo> DecodeRunningInfo(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  ConsumerRunningInfo info;
  info.jstack = value.Text("jstack");
  MQ_TRY(ReadQueueMap(value.Find("mqTable"), [&](MessageQueue queue, const json::Value& item) -> Status {
    info.queues.insert_or_assign(std::move(queue), QueueFromJson(item));
    return Ok();
  }));
  if (const json::Value* properties = value.Find("properties")) {
    for (const auto& [name, item] : properties->members()) info.properties.insert_or_assign(name, item.AsString());
  }
  if (const json::Value* table = value.Find("statusTable")) {
    for (const auto& [topic, item] : table->members()) info.status.insert_or_assign(topic, StatusFromJson(item));
  }
  if (const json::Value* list = value.Find("subscriptionSet")) {
    for (const json::Value& item : list->items()) {
      MQ_ASSIGN(SubscriptionData subscription, SubscriptionFromJson(item));
      info.subscriptions.push_back(std::move(subscription));
    }
  }
  return info;
}

std::string_view ConsumeResultName(ConsumeResult result) { return kConsumeResults[static_cast<size_t>(result)]; }

std::string EncodeConsumeDirectly(const ConsumeMessageDirectlyResult& result) {
  json::Writer writer;
  writer.BeginObject().Key("autoCommit").Bool(result.auto_commit);
  writer.Key("consumeResult").String(ConsumeResultName(result.result)).Key("order").Bool(result.order);
  if (!result.remark.empty()) writer.Key("remark").String(result.remark);
  writer.Key("spentTimeMills").Int(result.spent_ms).EndObject();
  return writer.Take();
}

Result<ConsumeMessageDirectlyResult> DecodeConsumeDirectly(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  ConsumeMessageDirectlyResult result;
  result.auto_commit = value.BoolOf("autoCommit", true);
  result.result = ReadEnum(value, "consumeResult", kConsumeResults, ConsumeResult::kReturnNull);
  result.order = value.BoolOf("order");
  result.remark = value.Text("remark");
  result.spent_ms = value.Int("spentTimeMills");
  return result;
}

std::string EncodeCheckClient(const CheckClientRequestBody& body) {
  json::Writer writer;
  writer.BeginObject().Key("clientId").String(body.client_id).Key("group").String(body.group);
  writer.Key("subscriptionData");
  WriteJson(writer, body.subscription);
  writer.EndObject();
  return writer.Take();
}

Result<CheckClientRequestBody> DecodeCheckClient(std::string_view text) {
  MQ_ASSIGN(const json::Value value, json::Parse(text));
  CheckClientRequestBody body;
  body.client_id = value.Text("clientId");
  body.group = value.Text("group");
  const json::Value* subscription = value.Find("subscriptionData");
  if (subscription == nullptr) return MakeError(ErrorCode::kProtocol, "subscriptionData is missing");
  MQ_ASSIGN(body.subscription, SubscriptionFromJson(*subscription));
  return body;
}

}  // namespace mq::protocol
