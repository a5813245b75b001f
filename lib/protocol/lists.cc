#include "protocol/lists.h"

#include "base/json.h"

namespace mq::protocol {

std::string EncodeTopicList(const TopicList& list) {
  json::Writer writer;
  writer.BeginObject();
  if (!list.broker_address.empty()) writer.Key("brokerAddr").String(list.broker_address);
  writer.Key("topicList").BeginArray();
  for (const std::string& topic : list.topics) writer.String(topic);
  writer.EndArray().EndObject();
  return writer.Take();
}

Result<TopicList> DecodeTopicList(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  TopicList list;
  list.broker_address = value.Text("brokerAddr");
  if (const json::Value* topics = value.Find("topicList")) {
    for (const json::Value& topic : topics->items()) list.topics.push_back(topic.AsString());
  }
  return list;
}

std::string EncodeKvTable(const KvTable& table) {
  json::Writer writer;
  writer.BeginObject().Key("table").BeginObject();
  for (const auto& [key, value] : table) writer.Key(key).String(value);
  writer.EndObject().EndObject();
  return writer.Take();
}

Result<KvTable> DecodeKvTable(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  KvTable table;
  if (const json::Value* members = value.Find("table")) {
    for (const auto& [key, item] : members->members()) table.emplace_back(key, item.AsString());
  }
  return table;
}

}  // namespace mq::protocol
