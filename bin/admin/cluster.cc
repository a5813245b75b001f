// mq-admin cluster list, broker status, health
#include <map>
#include <optional>

#include "admin/context.h"
#include "base/json.h"
#include "base/strings.h"
#include "protocol/lists.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;
using RuntimeInfo = std::map<std::string, std::string>;

Result<RuntimeInfo> ReadRuntimeInfo(const Result<Command>& reply) {
  if (!reply) return reply.error();
  const auto table = protocol::DecodeKvTable(reply->body);
  if (!table) return table.error();
  return RuntimeInfo(table->begin(), table->end());
}

std::vector<Result<RuntimeInfo>> RuntimeInfos(Context& context, const std::vector<BrokerAddress>& brokers) {
  std::vector<std::string> addresses;
  for (const BrokerAddress& broker : brokers) addresses.push_back(broker.address);
  std::vector<Result<RuntimeInfo>> infos;
  for (const auto& reply : context.admin.AskAll(addresses, Command(RequestCode::kGetBrokerRuntimeInfo))) {
    infos.push_back(ReadRuntimeInfo(reply));
  }
  return infos;
}

std::string Of(const RuntimeInfo& info, const std::string& key) {
  const auto found = info.find(key);
  return found == info.end() ? "-" : found->second;
}

// The first of the three numbers of a rate: of the last ten seconds.
Cell RateOf(const RuntimeInfo& info, const std::string& key) {
  const std::string text = Of(info, key);
  const auto rate = ParseDouble(text.substr(0, text.find(' ')));
  return rate ? Cell::Number(*rate, 2) : Cell::Unknown();
}

std::string NameOf(const BrokerAddress& broker) {
  return broker.name == broker.address
             ? "broker " + broker.address
             : "broker " + broker.name + " " + std::to_string(broker.id) + " at " + broker.address;
}

bool Matches(const BrokerAddress& broker, const std::string& wanted) {
  return broker.name == wanted || broker.address == wanted;
}

// A broker of ours says how its helpers are; one of RocketMQ's has none and says nothing.
void CheckHelpers(const BrokerAddress& broker, const RuntimeInfo& info, std::vector<std::string>& reasons) {
  for (const std::string helper : {"flushd", "reputd"}) {
    const auto state = info.find(helper + "State");
    if (state != info.end() && state->second != "serving") {
      reasons.push_back(NameOf(broker) + ": mq-" + helper + " is " + state->second);
    }
  }
}

// Each name server on its own: one that is dead must not hide behind one that answers.
void CheckNameServers(Context& context, std::vector<std::string>& reasons) {
  const auto& servers = context.admin.endpoints().name_servers;
  const auto replies = context.admin.AskAll(servers, Command(RequestCode::kGetBrokerClusterInfo));
  for (size_t i = 0; i < servers.size(); ++i) {
    if (!replies[i]) {
      reasons.push_back("name server " + servers[i] + ": " + replies[i].error().what);
      continue;
    }
    const auto info = protocol::DecodeClusterInfo(replies[i]->body);
    bool master = false;
    if (info) {
      for (const BrokerAddress& broker : client::BrokersOf(*info)) master |= broker.id == protocol::kMasterId;
    }
    if (!master) reasons.push_back("name server " + servers[i] + ": no master is registered");
  }
}

// A broker that takes no writes advertises every topic without the permission to write, this one included.
void CheckWritable(Context& context, const std::vector<BrokerAddress>& masters, std::vector<std::string>& reasons) {
  if (!context.admin.endpoints().broker.empty()) return;
  const auto route = context.admin.Route(protocol::kSelfTestTopic);
  if (!route) return;
  for (const BrokerAddress& master : masters) {
    for (const protocol::QueueData& queue : route->data.queues) {
      if (queue.broker_name == master.name && (queue.perm & protocol::kPermWrite) == 0) {
        reasons.push_back(NameOf(master) + ": accepts no writes");
      }
    }
  }
}

}  // namespace

Result<int> ClusterList(Context& context) {
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  const std::vector<BrokerAddress> brokers = client::BrokersOf(info);
  const auto infos = RuntimeInfos(context, brokers);
  Table table({"cluster", "broker", "id", "address", "version", "in_per_s", "out_per_s", "disk_ratio"});
  bool all = true;
  for (size_t i = 0; i < brokers.size(); ++i) {
    const BrokerAddress& broker = brokers[i];
    if (!infos[i]) {
      all = false;
      context.Notice(NameOf(broker) + " does not answer: " + infos[i].error().what);
      table.Add({broker.cluster, broker.name, broker.id, broker.address, Cell::Unknown(), Cell::Unknown(),
                 Cell::Unknown(), Cell::Unknown()});
      continue;
    }
    table.Add({broker.cluster, broker.name, broker.id, broker.address, Of(*infos[i], "brokerVersionDesc"),
               RateOf(*infos[i], "putTps"), RateOf(*infos[i], "getTransferedTps"),
               Of(*infos[i], "commitLogDiskRatio")});
  }
  MQ_TRY(table.Print(context.style));
  return all ? kDone : kPartly;
}

Result<int> BrokerStatus(Context& context) {
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  std::vector<BrokerAddress> brokers = client::BrokersOf(info);
  if (!context.settings.operands().empty()) {
    const std::string& wanted = context.operand();
    std::erase_if(brokers, [&](const BrokerAddress& broker) { return !Matches(broker, wanted); });
    if (brokers.empty()) return MakeError(ErrorCode::kNotFound, "no such broker: " + wanted);
  }
  const auto infos = RuntimeInfos(context, brokers);
  Table table({"broker", "address", "key", "value"});
  std::string objects;
  size_t silent = 0;
  for (size_t i = 0; i < brokers.size(); ++i) {
    if (!infos[i]) {
      ++silent;
      context.Notice(NameOf(brokers[i]) + " does not answer: " + infos[i].error().what);
      continue;
    }
    json::Writer writer;
    writer.BeginObject().Key("broker").String(brokers[i].name).Key("address").String(brokers[i].address);
    for (const auto& [key, value] : *infos[i]) {
      table.Add({brokers[i].name, brokers[i].address, key, value});
      writer.Key(key).String(value);
    }
    objects += writer.EndObject().Take() + "\n";
  }
  MQ_TRY(context.style.json ? PrintOut(objects) : table.Print(context.style));
  if (silent == 0) return kDone;
  if (silent == brokers.size()) return infos.front().error();
  return kPartly;
}

Result<int> Health(Context& context) {
  std::vector<std::string> reasons;
  if (context.admin.endpoints().broker.empty()) CheckNameServers(context, reasons);
  std::vector<BrokerAddress> masters;
  if (const auto info = context.admin.Cluster()) {
    masters = client::BrokersOf(*info);
    std::erase_if(masters, [](const BrokerAddress& broker) { return broker.id != protocol::kMasterId; });
  }
  const auto infos = RuntimeInfos(context, masters);
  for (size_t i = 0; i < masters.size(); ++i) {
    if (infos[i]) {
      CheckHelpers(masters[i], *infos[i], reasons);
    } else {
      reasons.push_back(NameOf(masters[i]) + ": " + infos[i].error().what);
    }
  }
  CheckWritable(context, masters, reasons);
  if (context.style.json) {
    json::Writer writer;
    writer.BeginObject().Key("ready").Bool(reasons.empty()).Key("reasons").BeginArray();
    for (const std::string& reason : reasons) writer.String(reason);
    writer.EndArray().EndObject();
    MQ_TRY(PrintOut(writer.Take() + "\n"));
  } else if (!context.settings.Bool("quiet")) {
    std::string text = reasons.empty() ? "ready\n" : "";
    for (const std::string& reason : reasons) text += reason + "\n";
    MQ_TRY(PrintOut(text));
  }
  return reasons.empty() ? kDone : kNo;
}

}  // namespace mq::admin
