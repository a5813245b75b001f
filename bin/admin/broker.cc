// mq-admin broker list|status|config|clean
#include "admin/config_change.h"
#include "admin/runtime_info.h"
#include "base/json.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;

struct Cleaning {
  const char* option;
  RequestCode code;
};
constexpr Cleaning kCleanings[] = {
    {"expired-queues", RequestCode::kCleanExpiredConsumequeue},
    {"unused-topics", RequestCode::kCleanUnusedTopic},
    {"expired-log", RequestCode::kDeleteExpiredCommitlog},
};

Cell ClusterOf(const BrokerAddress& broker) { return broker.cluster.empty() ? Cell::Unknown() : Cell(broker.cluster); }

}  // namespace

Result<int> BrokerList(Context& context) {
  context.admin.Begin(0);
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  Table table = context.Listing();
  for (const BrokerAddress& broker : client::BrokersOf(info)) {
    table.Add({ClusterOf(broker), broker.name, broker.id, broker.id == protocol::kMasterId ? "master" : "slave",
               broker.address});
  }
  MQ_TRY(table.Print(context.style));
  return kDone;
}

Result<int> BrokerStatus(Context& context) {
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  std::vector<BrokerAddress> brokers = client::BrokersOf(info);
  const std::string& cluster = context.settings.String("cluster");
  if (!cluster.empty()) {
    std::erase_if(brokers, [&](const BrokerAddress& broker) { return broker.cluster != cluster; });
    if (brokers.empty()) return MakeError(ErrorCode::kNotFound, "no broker of a cluster " + cluster);
  }
  if (!context.settings.operands().empty()) {
    const std::string& wanted = context.operand();
    std::erase_if(brokers, [&](const BrokerAddress& broker) { return !Matches(broker, wanted); });
    if (brokers.empty()) return MakeError(ErrorCode::kNotFound, "no such broker: " + wanted);
  }
  const auto infos = RuntimeInfos(context, brokers);
  Table table = context.Listing();
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
  const bool whole = context.style.json && context.style.columns.empty() && context.style.sort.empty();
  MQ_TRY(whole ? PrintOut(objects) : table.Print(context.style));
  if (silent == 0) return kDone;
  if (silent == brokers.size()) return infos.front().error();
  return kPartly;
}

Result<int> BrokerConfig(Context& context) {
  MQ_ASSIGN(const auto masters, TargetMasters(context));
  std::vector<ConfigPeer> peers;
  for (const BrokerAddress& master : masters) peers.push_back({master.name, master.address});
  return ConfigGetOrSet(context, peers, {"broker", RequestCode::kGetBrokerConfig, RequestCode::kUpdateBrokerConfig});
}

Result<int> BrokerClean(Context& context) {
  std::vector<Cleaning> wanted;
  for (const Cleaning& cleaning : kCleanings) {
    if (context.settings.Bool(cleaning.option)) wanted.push_back(cleaning);
  }
  if (wanted.empty()) {
    return MakeError(ErrorCode::kConfig, "nothing to clean: say --expired-queues, --unused-topics or --expired-log");
  }
  MQ_ASSIGN(std::vector<BrokerAddress> masters, TargetMasters(context));
  if (!context.settings.operands().empty()) {
    std::erase_if(masters, [&](const BrokerAddress& broker) { return !Matches(broker, context.operand()); });
    if (masters.empty()) return MakeError(ErrorCode::kNotFound, "no such broker: " + context.operand());
  }
  std::vector<std::optional<client::Question>> questions;
  for (const BrokerAddress& master : masters) {
    for (const Cleaning& cleaning : wanted) {
      questions.emplace_back(client::Question{master.address, Command(cleaning.code)});
    }
  }
  const auto replies = Apply(context, std::move(questions));
  Table table = context.Changes();
  Outcome outcome(context, "broker");
  for (size_t i = 0; i < replies.size(); ++i) {
    const BrokerAddress& master = masters[i / wanted.size()];
    if (replies[i] && !*replies[i]) {
      outcome.Failed(master.name, replies[i]->error());
      continue;
    }
    outcome.Done();
    table.Add({master.name, wanted[i % wanted.size()].option, replies[i] ? Cell("done") : Cell::Unknown(),
               replies[i] ? Cell(true) : Cell::Unknown()});
  }
  if (context.dry_run()) {
    context.Notice("whether a broker supports this, and what it would delete, is known only when it is done");
  }
  return outcome.Finish(table);
}

}  // namespace mq::admin
