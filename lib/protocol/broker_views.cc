#include "protocol/broker_views.h"

#include "base/json.h"

namespace mq::protocol {
namespace {

void WriteItem(json::Writer& writer, const BrokerStatsItem& item) {
  writer.BeginObject().Key("avgpt").Double(item.average).Key("sum").Int(item.sum).Key("tps").Double(item.tps);
  writer.EndObject();
}

BrokerStatsItem ReadItem(const json::Value& value, std::string_view key) {
  BrokerStatsItem item;
  if (const json::Value* found = value.Find(key)) {
    item.average = found->DoubleOf("avgpt");
    item.sum = found->Int("sum");
    item.tps = found->DoubleOf("tps");
  }
  return item;
}

void WriteUnlessEmpty(json::Writer& writer, std::string_view key, const std::string& text) {
  if (!text.empty()) writer.Key(key).String(text);
}

}  // namespace

std::string EncodeBrokerStats(const BrokerStatsData& stats) {
  json::Writer writer;
  writer.BeginObject().Key("statsDay");
  WriteItem(writer, stats.day);
  writer.Key("statsHour");
  WriteItem(writer, stats.hour);
  writer.Key("statsMinute");
  WriteItem(writer, stats.minute);
  writer.EndObject();
  return writer.Take();
}

Result<BrokerStatsData> DecodeBrokerStats(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return BrokerStatsData{ReadItem(value, "statsMinute"), ReadItem(value, "statsHour"), ReadItem(value, "statsDay")};
}

std::string EncodeConsumeQueueView(const ConsumeQueueView& view) {
  json::Writer writer;
  writer.BeginObject();
  WriteUnlessEmpty(writer, "filterData", view.filter_data);
  writer.Key("maxQueueIndex").Int(view.max_index).Key("minQueueIndex").Int(view.min_index);
  writer.Key("queueData").BeginArray();
  for (const ConsumeQueueData& entry : view.entries) {
    writer.BeginObject();
    WriteUnlessEmpty(writer, "bitMap", entry.bit_map);
    writer.Key("eval").Bool(entry.eval);
    WriteUnlessEmpty(writer, "extendDataJson", entry.extend_data);
    WriteUnlessEmpty(writer, "msg", entry.message);
    writer.Key("physicOffset").Int(entry.physical_offset).Key("physicSize").Int(entry.physical_size);
    writer.Key("tagsCode").Int(entry.tags_code).EndObject();
  }
  writer.EndArray();
  if (view.subscription) {
    writer.Key("subscriptionData");
    WriteJson(writer, *view.subscription);
  }
  writer.EndObject();
  return writer.Take();
}

Result<ConsumeQueueView> DecodeConsumeQueueView(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  ConsumeQueueView view;
  view.filter_data = value.Text("filterData");
  view.max_index = value.Int("maxQueueIndex");
  view.min_index = value.Int("minQueueIndex");
  if (const json::Value* entries = value.Find("queueData")) {
    for (const json::Value& item : entries->items()) {
      ConsumeQueueData& entry = view.entries.emplace_back();
      entry.bit_map = item.Text("bitMap");
      entry.eval = item.BoolOf("eval");
      entry.extend_data = item.Text("extendDataJson");
      entry.message = item.Text("msg");
      entry.physical_offset = item.Int("physicOffset");
      entry.physical_size = static_cast<int32_t>(item.Int("physicSize"));
      entry.tags_code = item.Int("tagsCode");
    }
  }
  if (const json::Value* found = value.Find("subscriptionData"); found != nullptr && found->is_object()) {
    MQ_ASSIGN(view.subscription, SubscriptionFromJson(*found));
  }
  return view;
}

}  // namespace mq::protocol
