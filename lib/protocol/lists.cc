#include "protocol/lists.h"

#include "base/json.h"

namespace mq::protocol {
namespace {

void WriteTexts(json::Writer& writer, std::string_view key, const std::vector<std::string>& texts) {
  writer.Key(key).BeginArray();
  for (const std::string& text : texts) writer.String(text);
  writer.EndArray();
}

std::string EncodeTexts(std::string_view key, const std::vector<std::string>& texts) {
  json::Writer writer;
  writer.BeginObject();
  WriteTexts(writer, key, texts);
  writer.EndObject();
  return writer.Take();
}

Result<std::vector<std::string>> DecodeTexts(std::string_view body, std::string_view key) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  std::vector<std::string> texts;
  if (const json::Value* list = value.Find(key)) {
    for (const json::Value& item : list->items()) texts.push_back(item.AsString());
  }
  return texts;
}

}  // namespace

std::string EncodeTopicList(const TopicList& list) {
  json::Writer writer;
  writer.BeginObject();
  if (!list.broker_address.empty()) writer.Key("brokerAddr").String(list.broker_address);
  WriteTexts(writer, "topicList", list.topics);
  writer.EndObject();
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

std::string EncodeGroupList(const std::vector<std::string>& groups) { return EncodeTexts("groupList", groups); }
Result<std::vector<std::string>> DecodeGroupList(std::string_view body) { return DecodeTexts(body, "groupList"); }

std::string EncodeConsumerIds(const std::vector<std::string>& ids) { return EncodeTexts("consumerIdList", ids); }
Result<std::vector<std::string>> DecodeConsumerIds(std::string_view body) {
  return DecodeTexts(body, "consumerIdList");
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
