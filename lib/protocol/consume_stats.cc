#include "protocol/consume_stats.h"

namespace mq::protocol {
namespace {

void WriteStats(json::Writer& writer, const ConsumeStats& stats) {
  writer.BeginObject().Key("consumeTps").Double(stats.consume_tps).Key("offsetTable");
  WriteQueueMap(writer, stats.offsets, [&](const OffsetWrapper& at) {
    writer.BeginObject().Key("brokerOffset").Int(at.broker_offset).Key("consumerOffset").Int(at.consumer_offset);
    writer.Key("lastTimestamp").Int(at.last_timestamp).EndObject();
  });
  writer.EndObject();
}

Result<ConsumeStats> StatsFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "ConsumeStats is not an object");
  ConsumeStats stats;
  stats.consume_tps = value.DoubleOf("consumeTps");
  MQ_TRY(ReadQueueMap(value.Find("offsetTable"), [&](MessageQueue queue, const json::Value& item) -> Status {
    OffsetWrapper& at = stats.offsets[std::move(queue)];
    at.broker_offset = item.Int("brokerOffset");
    at.consumer_offset = item.Int("consumerOffset");
    at.last_timestamp = item.Int("lastTimestamp");
    return Ok();
  }));
  return stats;
}

}  // namespace

int64_t ConsumeStats::Lag() const {
  uint64_t lag = 0;  // a peer's numbers may be anything: they wrap rather than overflow
  for (const auto& [queue, at] : offsets) {
    lag += static_cast<uint64_t>(at.broker_offset) - static_cast<uint64_t>(at.consumer_offset);
  }
  return static_cast<int64_t>(lag);
}

std::string EncodeTopicStats(const TopicStatsTable& table) {
  json::Writer writer;
  writer.BeginObject().Key("offsetTable");
  WriteQueueMap(writer, table, [&](const TopicOffset& at) {
    writer.BeginObject().Key("lastUpdateTimestamp").Int(at.last_update_timestamp);
    writer.Key("maxOffset").Int(at.max_offset).Key("minOffset").Int(at.min_offset).EndObject();
  });
  writer.EndObject();
  return writer.Take();
}

Result<TopicStatsTable> DecodeTopicStats(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  TopicStatsTable table;
  MQ_TRY(ReadQueueMap(value.Find("offsetTable"), [&](MessageQueue queue, const json::Value& item) -> Status {
    TopicOffset& at = table[std::move(queue)];
    at.min_offset = item.Int("minOffset");
    at.max_offset = item.Int("maxOffset");
    at.last_update_timestamp = item.Int("lastUpdateTimestamp");
    return Ok();
  }));
  return table;
}

std::string EncodeConsumeStats(const ConsumeStats& stats) {
  json::Writer writer;
  WriteStats(writer, stats);
  return writer.Take();
}

Result<ConsumeStats> DecodeConsumeStats(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  return StatsFromJson(value);
}

std::string EncodeConsumeStatsList(const ConsumeStatsList& list) {
  json::Writer writer;
  writer.BeginObject().Key("brokerAddr").String(list.broker_address).Key("consumeStatsList").BeginArray();
  for (const auto& [group, all] : list.groups) {
    writer.BeginObject().Key(group).BeginArray();
    for (const ConsumeStats& stats : all) WriteStats(writer, stats);
    writer.EndArray().EndObject();
  }
  writer.EndArray().Key("totalDiff").Int(list.total_diff).EndObject();
  return writer.Take();
}

Result<ConsumeStatsList> DecodeConsumeStatsList(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  ConsumeStatsList list;
  list.broker_address = value.Text("brokerAddr");
  list.total_diff = value.Int("totalDiff");
  const json::Value* groups = value.Find("consumeStatsList");
  if (groups == nullptr) return list;
  for (const json::Value& item : groups->items()) {
    for (const auto& [group, all] : item.members()) {
      auto& entry = list.groups.emplace_back(group, std::vector<ConsumeStats>());
      for (const json::Value& one : all.items()) {
        MQ_ASSIGN(ConsumeStats stats, StatsFromJson(one));
        entry.second.push_back(std::move(stats));
      }
    }
  }
  return list;
}

}  // namespace mq::protocol
