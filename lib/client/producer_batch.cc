#include "client/producer_batch.h"

#include <utility>

#include "base/strings.h"
#include "client/routes.h"
#include "protocol/ids.h"
#include "protocol/names.h"
#include "protocol/properties.h"
#include "protocol/send_headers.h"

namespace mq::client {
namespace {

namespace property = protocol::property;

Status CheckText(std::string_view name, std::string_view value) {
  MQ_TRY(protocol::CheckPropertyValue(name, value));
  if (!IsValidUtf8(value)) {
    return MakeError(ErrorCode::kInvalidArgument, "the value of property " + std::string(name) + " is not UTF-8");
  }
  return Ok();
}

Status AppendKeys(const OutgoingMessage& message, std::string& properties) {
  std::string keys;
  for (const std::string& key : message.keys) {
    if (!keys.empty()) keys += ' ';
    keys += key;
  }
  if (keys.empty()) return Ok();
  MQ_TRY(CheckText(property::kKeys, keys));
  protocol::AppendProperty(properties, property::kKeys, keys);
  return Ok();
}

Status AppendUserPairs(const OutgoingMessage& message, std::string& properties) {
  for (size_t i = 0; i < message.properties.size(); ++i) {
    const auto& [name, value] = message.properties[i];
    MQ_TRY(protocol::CheckUserPropertyName(name));
    MQ_TRY(CheckText(name, value));
    if (!IsValidUtf8(name)) return MakeError(ErrorCode::kInvalidArgument, "a property name that is not UTF-8");
    for (size_t j = 0; j < i; ++j) {
      if (message.properties[j].first == name) {
        return MakeError(ErrorCode::kInvalidArgument, "property " + name + " is given twice");
      }
    }
    protocol::AppendProperty(properties, name, value);
  }
  return Ok();
}

}  // namespace

Status AppendProperties(const OutgoingMessage& message, std::string& properties) {
  MQ_TRY(AppendKeys(message, properties));
  if (!message.tag.empty()) {
    MQ_TRY(CheckText(property::kTags, message.tag));
    protocol::AppendProperty(properties, property::kTags, message.tag);
  }
  MQ_TRY(AppendUserPairs(message, properties));
  if (properties.size() > protocol::kMaxPropertiesBytes) {
    return MakeError(ErrorCode::kInvalidArgument, "properties of " + std::to_string(properties.size()) +
                                                      " bytes, more than " +
                                                      std::to_string(protocol::kMaxPropertiesBytes));
  }
  return Ok();
}

void AddToBatch(Batch& batch, std::string_view body, std::string_view properties, const OutgoingMessage& message) {
  protocol::AppendBatchEntry(batch.entries, {body, properties, message.flag});
  batch.cookies.push_back(message.cookie);
}

void EncodeSend(const Batch& batch, const SendContext& context, protocol::CommandHead head, std::string& out) {
  protocol::SendMessageRequestHeader header;
  header.producer_group = context.group;
  header.topic = batch.topic;
  header.default_topic = protocol::kAutoCreateTopic;
  header.default_topic_queues = kNewTopicQueues;
  header.queue_id = batch.queue.queue_id;
  header.sys_flag = batch.sys_flag;
  header.born_timestamp = context.now_ms;
  std::string_view body = batch.entries;
  std::string properties;
  if (batch.count() == 1) {
    protocol::BatchReader reader(batch.entries);
    const auto entry = reader.Next();
    properties = (*entry)->properties;
    if (!context.wait_store) protocol::AppendProperty(properties, property::kWait, "false");
    header.flag = (*entry)->flag;
    body = (*entry)->body;
    head.code = static_cast<int32_t>(protocol::RequestCode::kSendMessageV2);
  } else {
    header.batch = true;
    // The envelope's properties are joined to each message's own.
    if (!context.wait_store) protocol::AppendProperty(properties, property::kWait, "false");
    head.code = static_cast<int32_t>(protocol::RequestCode::kSendBatchMessage);
  }
  header.properties = properties;
  protocol::CommandWriter writer(out, head);
  header.EncodeShort(writer);
  writer.Finish(body.size());
  out.append(body);
}

void ReportBatch(const Batch& batch, SendReport base, std::string_view offset_ids,
                 const std::function<void(const SendReport&)>& report) {
  protocol::BatchReader reader(batch.entries);
  for (size_t i = 0; i < batch.count(); ++i) {
    const auto entry = reader.Next();
    base.cookie = batch.cookies[i];
    base.msg_id = protocol::FindProperty((*entry)->properties, property::kUniqKey).value_or(std::string_view());
    const size_t end = offset_ids.find(',');
    base.offset_msg_id = offset_ids.substr(0, end);
    offset_ids = end == std::string_view::npos ? std::string_view() : offset_ids.substr(end + 1);
    report(base);
    ++base.queue_offset;
  }
}

}  // namespace mq::client
