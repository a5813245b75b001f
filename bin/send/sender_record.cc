// A record and the options of the run become the message that is sent.
#include <algorithm>

#include "protocol/names.h"
#include "protocol/properties.h"
#include "send/sender.h"

namespace mq::send {

Status Sender::PrepareKeys(const stream::InputRecord& record) {
  prepared_.keys = record.keys;
  prepared_.keys.insert(prepared_.keys.end(), options_.keys.begin(), options_.keys.end());
  if (options_.key_field > 0) {
    MQ_ASSIGN(const std::string_view key, FieldOf(record.body, options_.key_field, options_.field_separator));
    prepared_.keys.emplace_back(key);
  }
  if (options_.key_json) {
    MQ_ASSIGN(std::string key, options_.key_json->ValueIn(record.body));
    prepared_.keys.push_back(std::move(key));
  }
  std::erase_if(prepared_.keys, [](const std::string& key) { return key.empty(); });
  return Ok();
}

Status Sender::PreparePlacement(const stream::InputRecord& record) {
  prepared_.queue = options_.queue;
  if (options_.keep_queue && record.queue) {
    if (*record.queue < 0 || *record.queue > 65535) {
      return MakeError(ErrorCode::kInvalidArgument, "\"queue\" is no queue number");
    }
    prepared_.queue = static_cast<std::int32_t>(*record.queue);
  }
  prepared_.shard = options_.shard;
  if (options_.shard_field > 0) {
    MQ_ASSIGN(const std::string_view shard, FieldOf(record.body, options_.shard_field, options_.field_separator));
    prepared_.shard = std::string(shard);
  }
  if (options_.shard_json) {
    MQ_ASSIGN(prepared_.shard, options_.shard_json->ValueIn(record.body));
  }
  return Ok();
}

Status Sender::Prepare(const stream::InputRecord& record) {
  prepared_.topic = options_.topic;
  if (options_.keep_topic && !record.topic.empty()) {
    MQ_TRY(protocol::CheckTopicName(record.topic));
    prepared_.topic = record.topic;
  }
  if (prepared_.topic.empty())
    return MakeError(ErrorCode::kInvalidArgument, "it names no topic, and --topic is not given");
  prepared_.tag = record.tag.empty() ? std::string_view(options_.tag) : std::string_view(record.tag);
  MQ_TRY(PrepareKeys(record));
  prepared_.properties.clear();
  for (const auto& pair : record.properties) {
    // What clients and brokers set themselves is theirs to set again for a copy.
    if (!protocol::IsReservedProperty(pair.first)) prepared_.properties.push_back(pair);
  }
  const std::size_t own = prepared_.properties.size();
  for (const auto& pair : options_.properties) {
    const auto end = prepared_.properties.begin() + static_cast<std::ptrdiff_t>(own);
    const auto same = [&](const auto& other) { return other.first == pair.first; };
    if (std::none_of(prepared_.properties.begin(), end, same)) prepared_.properties.push_back(pair);
  }
  return PreparePlacement(record);
}

Status Sender::SendRecord(const stream::InputRecord& record) {
  client::OutgoingMessage message;
  message.topic = prepared_.topic;
  message.body = record.body;
  message.tag = prepared_.tag;
  message.keys = prepared_.keys;
  message.properties = prepared_.properties;
  message.flag = record.flag;
  message.queue_id = prepared_.queue;
  if (prepared_.shard) message.shard = *prepared_.shard;
  message.cookie = record.number;
  MQ_TRY(producer_->Send(message));
  outcome_.CountSent();
  return Ok();
}

}  // namespace mq::send
