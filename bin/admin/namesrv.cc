// mq-admin namesrv config|drain|undrain
#include "admin/config_change.h"
#include "admin/context.h"
#include "base/strings.h"

namespace mq::admin {
namespace {

using protocol::Command;
using protocol::RequestCode;

// Takes from clients the right to write to a broker, or gives it back, at every name server.
Result<int> SetWritable(Context& context, RequestCode code, const std::string& count_field, const char* now) {
  MQ_TRY(NeedNameServers(context));
  const std::vector<std::string>& servers = NameServers(context);
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  if (!info.brokers.contains(context.operand())) {
    std::vector<std::string> names;
    for (const auto& [name, broker] : info.brokers) names.push_back(name);
    Error missing = MakeError(ErrorCode::kNotFound, "no broker is named " + context.operand());
    missing.hint = DidYouMean(NearestMatch(context.operand(), names));
    return missing;
  }
  Command command(code);
  command.Set("brokerName", context.operand());
  Table table = context.Changes();
  Outcome outcome(context, "name server");
  const bool dry = context.dry_run();
  std::vector<Result<Command>> replies;
  context.admin.Begin();
  if (!dry) replies = context.admin.AskAll(servers, command);
  for (size_t i = 0; i < servers.size(); ++i) {
    if (!dry && !replies[i]) {
      outcome.Failed(servers[i], replies[i].error());
      continue;
    }
    outcome.Done();
    // What RocketMQ's name servers count, in their own words.
    const auto topics = dry ? ParseInt64("") : ParseInt64(replies[i]->Find(count_field).value_or(""));
    table.Add({servers[i], context.operand(), now, topics ? Cell(*topics) : Cell::Unknown(), !topics || *topics > 0});
  }
  return outcome.Finish(table);
}

}  // namespace

Result<int> NamesrvDrain(Context& context) {
  return SetWritable(context, RequestCode::kWipeWritePermOfBroker, "wipeTopicCount", "drained");
}

Result<int> NamesrvUndrain(Context& context) {
  return SetWritable(context, RequestCode::kAddWritePermOfBroker, "addTopicCount", "writable");
}

Result<int> NamesrvConfig(Context& context) {
  MQ_TRY(NeedNameServers(context));
  std::vector<ConfigPeer> peers;
  for (const std::string& server : NameServers(context)) peers.push_back({server, server});
  return ConfigGetOrSet(context, peers,
                        {"name server", RequestCode::kGetNamesrvConfig, RequestCode::kUpdateNamesrvConfig});
}

}  // namespace mq::admin
