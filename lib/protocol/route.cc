#include "protocol/route.h"

#include "base/json.h"
#include "base/strings.h"

namespace mq::protocol {
namespace {

// fastjson's BrowserCompatible form: non-ASCII as \uXXXX over UTF-16 units, '/' escaped.
std::string StandardQuoted(std::string_view text) {
  std::string plain;
  json::AppendQuoted(plain, text);
  std::string out;
  static constexpr char kHex[] = "0123456789ABCDEF";
  const auto escape = [&out](uint32_t unit) {
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 15];
  };
  for (size_t i = 0; i < plain.size();) {
    const char c = plain[i];
    if (c == '/') {
      out.append("\\/");
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      out += c;
      ++i;
    } else {
      uint32_t point = 0xFFFD;
      const size_t n = Utf8Sequence(std::string_view(plain).substr(i), &point);
      if (point >= 0x10000) {
        escape(0xD800 + ((point - 0x10000) >> 10));
        escape(0xDC00 + ((point - 0x10000) & 0x3FF));
      } else {
        escape(n == 0 ? 0xFFFD : point);
      }
      i += n == 0 ? 1 : n;
    }
  }
  return out;
}

class RouteWriter {
 public:
  explicit RouteWriter(RouteJson form) : form_(form) {}

  json::Writer& json() { return writer_; }
  void Text(std::string_view text) {
    if (form_ == RouteJson::kStandard) {
      writer_.Raw(StandardQuoted(text));
    } else {
      writer_.String(text);
    }
  }
  void TextKey(std::string_view key) {
    if (form_ == RouteJson::kStandard) {
      writer_.RawKey(StandardQuoted(key));
    } else {
      writer_.Key(key);
    }
  }
  void Broker(const BrokerData& broker) {
    writer_.BeginObject().Key("brokerAddrs");
    if (form_ == RouteJson::kStandard) {
      writer_.BeginObject();
    } else {
      writer_.BeginIntKeyObject();
    }
    for (const auto& [id, address] : broker.addresses) {
      if (form_ == RouteJson::kStandard) {
        writer_.Key(std::to_string(id));
      } else {
        writer_.IntKey(id);
      }
      Text(address);
    }
    writer_.EndObject();
    writer_.Key("brokerName");
    Text(broker.broker_name);
    writer_.Key("cluster");
    Text(broker.cluster);
    writer_.EndObject();
  }
  void Queue(const QueueData& queue) {
    writer_.BeginObject().Key("brokerName");
    Text(queue.broker_name);
    writer_.Key("perm").Int(queue.perm);
    writer_.Key("readQueueNums").Int(queue.read_queues);
    writer_.Key("topicSysFlag").Int(queue.topic_sys_flag);
    writer_.Key("writeQueueNums").Int(queue.write_queues);
    writer_.EndObject();
  }

 private:
  RouteJson form_;
  json::Writer writer_;
};

Result<BrokerData> BrokerFromJson(const json::Value& value) {
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "BrokerData is not an object");
  BrokerData broker;
  broker.broker_name = value.Text("brokerName");
  broker.cluster = value.Text("cluster");
  if (const json::Value* addresses = value.Find("brokerAddrs")) {
    for (const auto& [id, address] : addresses->members()) {
      const Result<int64_t> number = ParseInt64(id);
      if (!number) return MakeError(ErrorCode::kProtocol, "broker id \"" + id + "\" is not a number");
      broker.addresses[*number] = address.AsString();
    }
  }
  return broker;
}

QueueData QueueFromJson(const json::Value& value) {
  QueueData queue;
  queue.broker_name = value.Text("brokerName");
  queue.perm = static_cast<int32_t>(value.Int("perm"));
  queue.read_queues = static_cast<int32_t>(value.Int("readQueueNums"));
  queue.write_queues = static_cast<int32_t>(value.Int("writeQueueNums"));
  // topicSynFlag is what RocketMQ before 4.9.3 called it.
  queue.topic_sys_flag = static_cast<int32_t>(value.Int("topicSysFlag", value.Int("topicSynFlag")));
  return queue;
}

std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : list.items()) texts.push_back(item.AsString());
  return texts;
}

}  // namespace

std::string_view BrokerData::master() const {
  const auto found = addresses.find(kMasterId);
  return found == addresses.end() ? std::string_view() : std::string_view(found->second);
}

const BrokerData* TopicRouteData::FindBroker(std::string_view name) const {
  for (const BrokerData& broker : brokers) {
    if (broker.broker_name == name) return &broker;
  }
  return nullptr;
}

std::string EncodeTopicRoute(const TopicRouteData& route, RouteJson form) {
  RouteWriter out(form);
  json::Writer& writer = out.json();
  writer.BeginObject().Key("brokerDatas").BeginArray();
  for (const BrokerData& broker : route.brokers) out.Broker(broker);
  writer.EndArray().Key("filterServerTable").BeginObject();
  for (const auto& [address, servers] : route.filter_servers) {
    out.TextKey(address);
    writer.BeginArray();
    for (const std::string& server : servers) out.Text(server);
    writer.EndArray();
  }
  writer.EndObject();
  if (!route.order_topic_conf.empty()) {
    writer.Key("orderTopicConf");
    out.Text(route.order_topic_conf);
  }
  writer.Key("queueDatas").BeginArray();
  for (const QueueData& queue : route.queues) out.Queue(queue);
  writer.EndArray().EndObject();
  return writer.Take();
}

Result<TopicRouteData> DecodeTopicRoute(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "TopicRouteData is not an object");
  TopicRouteData route;
  route.order_topic_conf = value.Text("orderTopicConf");
  if (const json::Value* brokers = value.Find("brokerDatas")) {
    for (const json::Value& item : brokers->items()) {
      MQ_ASSIGN(BrokerData broker, BrokerFromJson(item));
      route.brokers.push_back(std::move(broker));
    }
  }
  if (const json::Value* queues = value.Find("queueDatas")) {
    for (const json::Value& item : queues->items()) route.queues.push_back(QueueFromJson(item));
  }
  if (const json::Value* servers = value.Find("filterServerTable")) {
    for (const auto& [address, list] : servers->members()) route.filter_servers[address] = TextsOf(list);
  }
  return route;
}

std::string EncodeClusterInfo(const ClusterInfo& info) {
  RouteWriter out(RouteJson::kFastjson);
  json::Writer& writer = out.json();
  writer.BeginObject().Key("brokerAddrTable").BeginObject();
  for (const auto& [name, broker] : info.brokers) {
    writer.Key(name);
    out.Broker(broker);
  }
  writer.EndObject().Key("clusterAddrTable").BeginObject();
  for (const auto& [cluster, names] : info.clusters) {
    writer.Key(cluster).BeginArray();
    for (const std::string& name : names) writer.String(name);
    writer.EndArray();
  }
  writer.EndObject().EndObject();
  return writer.Take();
}

Result<ClusterInfo> DecodeClusterInfo(std::string_view body) {
  MQ_ASSIGN(const json::Value value, json::Parse(body));
  if (!value.is_object()) return MakeError(ErrorCode::kProtocol, "ClusterInfo is not an object");
  ClusterInfo info;
  if (const json::Value* brokers = value.Find("brokerAddrTable")) {
    for (const auto& [name, item] : brokers->members()) {
      MQ_ASSIGN(BrokerData broker, BrokerFromJson(item));
      if (broker.broker_name.empty()) broker.broker_name = name;
      info.brokers[name] = std::move(broker);
    }
  }
  if (const json::Value* clusters = value.Find("clusterAddrTable")) {
    for (const auto& [name, list] : clusters->members()) info.clusters[name] = TextsOf(list);
  }
  return info;
}

}  // namespace mq::protocol
