// mq-admin health
#include "admin/runtime_info.h"
#include "base/json.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;

// A broker of ours says why it takes no sends, and how its helpers are; one of RocketMQ's has none and says nothing.
void CheckHelpers(const BrokerAddress& broker, const RuntimeInfo& info, std::vector<std::string>& reasons) {
  if (const auto state = info.find("brokerState"); state != info.end() && state->second != "serving") {
    reasons.push_back(NameOf(broker) + ": " + state->second);
  }
  if (const auto refused = info.find("sendsRefused"); refused != info.end()) {
    reasons.push_back(NameOf(broker) + ": sends are refused: " + refused->second);
  }
  if (const auto unreadable = info.find("logUnreadable"); unreadable != info.end()) {
    reasons.push_back(NameOf(broker) +
                      ": consumers wait for messages of the commit log that cannot be read: " + unreadable->second);
  }
  for (const std::string helper : {"flushd", "reputd"}) {
    const auto state = info.find(helper + "State");
    if (state != info.end() && state->second != "serving") {
      reasons.push_back(NameOf(broker) + ": mq-" + helper + " is " + state->second);
    }
  }
}

// What does not keep it from serving, and still costs somebody messages.
void CheckLosses(const BrokerAddress& broker, const RuntimeInfo& info, std::vector<std::string>& warnings) {
  if (const auto disk = info.find("diskState"); disk != info.end() && disk->second.starts_with("nearly full")) {
    warnings.push_back(NameOf(broker) + ": the disk is " + disk->second);
  }
  if (const auto damage = info.find("logDamage"); damage != info.end()) {
    warnings.push_back(NameOf(broker) + ": the commit log is damaged: " + damage->second);
  }
  if (const auto skipped = info.find("logSkipped"); skipped != info.end()) {
    warnings.push_back(NameOf(broker) +
                       ": damage in the commit log was skipped while queues were derived, its messages are in none: " +
                       skipped->second +
                       "; with the daemons down, put the file that mq-storedump STORE --verify names back from a copy, "
                       "then mq-storedump STORE --rebuild queue,index --in-place --yes brings them back");
  }
  if (const auto damage = info.find("recordDamage"); damage != info.end()) {
    warnings.push_back(NameOf(broker) +
                       ": messages were passed over, the log holds no whole record of them: " + damage->second);
  }
  if (const auto damage = info.find("queueDamage"); damage != info.end()) {
    warnings.push_back(
        NameOf(broker) + ": queue entries are damaged, their messages are looked for in the log: " + damage->second +
        "; with the daemons down, mq-storedump STORE --rebuild queue --in-place " + "--yes makes them anew");
  }
  if (const auto loss = info.find("poolLoss"); loss != info.end()) {
    warnings.push_back(NameOf(broker) + ": acknowledged messages may be lost: " + loss->second);
  }
  if (const auto damage = info.find("indexDamage"); damage != info.end()) {
    warnings.push_back(NameOf(broker) + ": the key index was damaged: " + damage->second);
  }
  if (const auto failing = info.find("indexFailing"); failing != info.end()) {
    warnings.push_back(NameOf(broker) + ": the key index cannot be written: " + failing->second);
  }
  if (const auto unknown = info.find("unknownTopics"); unknown != info.end()) {
    warnings.push_back(NameOf(broker) + ": no table knows the topics of messages in the log: " + unknown->second +
                       "; put config/topics.json back and start the broker again, or make them with mq-admin topic " +
                       "create TOPIC --read-queues N --write-queues N");
  }
  if (const auto unsaved = info.find("unsavedTables"); unsaved != info.end()) {
    warnings.push_back(NameOf(broker) + ": changes are in effect, but not saved: " + unsaved->second);
  }
  if (const auto removed = info.find("unreadRemoved"); removed != info.end()) {
    warnings.push_back(NameOf(broker) +
                       ": unread messages were removed, because the disk was nearly full: " + removed->second);
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

Result<int> Health(Context& context) {
  context.admin.Begin(2);
  std::vector<std::string> reasons;
  std::vector<std::string> warnings;
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
      CheckLosses(masters[i], *infos[i], warnings);
    } else {
      reasons.push_back(NameOf(masters[i]) + ": " + infos[i].error().what);
    }
  }
  CheckWritable(context, masters, reasons);
  if (context.style.json) {
    json::Writer writer;
    writer.BeginObject().Key("ready").Bool(reasons.empty()).Key("reasons").BeginArray();
    for (const std::string& reason : reasons) writer.String(reason);
    writer.EndArray().Key("warnings").BeginArray();
    for (const std::string& warning : warnings) writer.String(warning);
    writer.EndArray().EndObject();
    MQ_TRY(PrintOut(writer.Take() + "\n"));
  } else if (!context.settings.Bool("quiet")) {
    std::string text = reasons.empty() ? "ready\n" : "";
    for (const std::string& reason : reasons) text += reason + "\n";
    for (const std::string& warning : warnings) text += "warning: " + warning + "\n";
    MQ_TRY(PrintOut(text));
  }
  const bool well = reasons.empty() && (warnings.empty() || !context.settings.Bool("strict"));
  return well ? kDone : kNo;
}

}  // namespace mq::admin
