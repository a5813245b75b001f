#include "admin/topic_order.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "protocol/kv_headers.h"

namespace mq::admin {

using protocol::Command;
using protocol::RequestCode;
using protocol::TopicConfig;

namespace {

Command OrderCommand(const Context& context, RequestCode code) {
  Command command(code);
  command.Set("namespace", std::string(protocol::kOrderTopicNamespace)).Set("key", context.operand());
  return command;
}

}  // namespace

std::string OrderText(const std::string& old, const std::map<std::string, TopicConfig>& brokers) {
  std::map<std::string, std::string> parts;
  for (const std::string_view part : SplitAny(old, ";")) {
    const std::string name(part.substr(0, part.find(':')));
    if (!brokers.contains(name)) parts[name] = part;
  }
  for (const auto& [name, config] : brokers) {
    if (config.order) parts[name] = name + ":" + std::to_string(config.write_queues);
  }
  std::vector<std::string> texts;
  for (const auto& [name, text] : parts) texts.push_back(text);
  return JoinStrings(texts, ";");
}

Result<bool> SetOrder(Context& context, const std::map<std::string, TopicConfig>& brokers, Outcome& outcome) {
  const bool ordered =
      std::any_of(brokers.begin(), brokers.end(), [](const auto& broker) { return broker.second.order; });
  if (brokers.empty() || (!ordered && !context.settings.Given("order"))) return false;
  const std::vector<std::string>& servers = NameServers(context);
  if (servers.empty()) {
    if (!context.settings.Given("order")) return false;
    return MakeError(ErrorCode::kConfig, "--order is kept by the name servers: say --namesrv instead of --broker");
  }
  context.admin.Begin(2);
  const auto replies = context.admin.AskAll(servers, OrderCommand(context, RequestCode::kGetKvConfig));
  std::vector<std::optional<client::Question>> changes(servers.size());
  bool changed = false;
  for (size_t i = 0; i < servers.size(); ++i) {
    if (!replies[i] && replies[i].error().code != ErrorCode::kNotFound) {
      outcome.Failed(servers[i], replies[i].error());
      continue;
    }
    const std::string old = replies[i] ? std::string(replies[i]->Find("value").value_or("")) : std::string();
    const std::string wanted = OrderText(old, brokers);
    if (old == wanted) continue;
    changed = true;
    changes[i] = client::Question{
        servers[i], OrderCommand(context, wanted.empty() ? RequestCode::kDeleteKvConfig : RequestCode::kPutKvConfig)};
    if (!wanted.empty()) changes[i]->command.Set("value", wanted);
  }
  const auto written = Apply(context, std::move(changes));
  for (size_t i = 0; i < servers.size(); ++i) {
    if (written[i] && !*written[i]) outcome.Failed(servers[i], written[i]->error());
  }
  return changed;
}

}  // namespace mq::admin
