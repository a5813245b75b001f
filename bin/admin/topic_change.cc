// mq-admin topic create|update|delete
#include <map>

#include "admin/topic_config.h"
#include "admin/topic_order.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;
using protocol::TopicConfig;

std::string ShowConfig(const TopicConfig& config) {
  return std::to_string(config.read_queues) + "/" + std::to_string(config.write_queues) + " " + PermText(config.perm) +
         (config.order ? " ordered" : "");
}

Command CreateCommand(const TopicConfig& config) {
  Command command(RequestCode::kUpdateAndCreateTopic);
  command.Set("topic", config.name).Set("defaultTopic", std::string(protocol::kAutoCreateTopic));
  command.Set("readQueueNums", int64_t{config.read_queues}).Set("writeQueueNums", int64_t{config.write_queues});
  command.Set("perm", int64_t{config.perm}).Set("topicFilterType", config.filter_type);
  command.Set("topicSysFlag", int64_t{config.sys_flag}).Set("order", config.order ? "true" : "false");
  return command;
}

// What the options make of the topic on one broker: what is not given stays as it is. Where the topic is missing it
// becomes what it is on the brokers that have it, so that the cluster stays even.
TopicConfig WantedConfig(const Context& context, const std::vector<TopicOnBroker>& before, size_t broker) {
  std::optional<TopicConfig> old = *before[broker];
  for (const TopicOnBroker& other : before) {
    if (!old && other && *other) old = **other;
  }
  TopicConfig config = old.value_or(TopicConfig());
  config.name = context.operand();
  const conf::Settings& settings = context.settings;
  if (!old || settings.Given("read-queues")) config.read_queues = static_cast<int32_t>(settings.Int("read-queues"));
  if (!old || settings.Given("write-queues")) config.write_queues = static_cast<int32_t>(settings.Int("write-queues"));
  if (!old || settings.Given("perm")) config.perm = PermFromText(settings.String("perm"));
  if (!old || settings.Given("order")) config.order = settings.Bool("order");
  return config;
}

// Where a topic may be made, and where it may only be changed.
enum class Missing { kMake, kLeave };

Result<int> CreateOrUpdate(Context& context, Missing missing) {
  MQ_TRY(CheckTopicOperand(context));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, TargetMasters(context));
  const auto before = TopicOn(context, masters, context.operand());
  std::vector<std::optional<client::Question>> changes(masters.size());
  std::vector<TopicChange> kept;
  size_t concerned = 0;
  size_t silent = 0;
  for (size_t i = 0; i < masters.size(); ++i) {
    silent += before[i] ? 0 : 1;
    if (!before[i] || (!*before[i] && missing == Missing::kLeave)) continue;
    ++concerned;
    const TopicConfig wanted = WantedConfig(context, before, i);
    if (*before[i] && **before[i] == wanted) continue;
    kept.push_back({masters[i], before[i]->value_or(wanted), wanted});
    changes[i] = client::Question{masters[i].address, CreateCommand(wanted)};
  }
  if (concerned == 0 && silent == 0) {
    return WithNearestTopic(context, client::NoSuchTopic(ErrorCode::kNotFound, context.operand()), context.operand());
  }
  MQ_TRY(CheckNothingHidden(context, kept));
  Outcome outcome(context, "broker");
  // The table at the name servers first: a broker that registers takes from there whether a topic is ordered.
  std::map<std::string, TopicConfig> configs;
  for (size_t i = 0; i < masters.size(); ++i) {
    if (before[i] && (*before[i] || missing == Missing::kMake)) {
      configs[masters[i].name] = WantedConfig(context, before, i);
    }
  }
  MQ_ASSIGN(const bool reordered, SetOrder(context, configs, outcome));
  const auto replies = Apply(context, std::move(changes));
  Table table = context.Changes();
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!before[i] || (replies[i] && !*replies[i])) {
      outcome.Failed(masters[i].name, before[i] ? replies[i]->error() : before[i].error());
      continue;
    }
    const std::optional<TopicConfig>& old = *before[i];
    if (!old && missing == Missing::kLeave) continue;
    outcome.Done();
    const TopicConfig wanted = WantedConfig(context, before, i);
    table.Add({wanted.name, masters[i].name, old ? Cell(ShowConfig(*old)) : Cell::Unknown(), ShowConfig(wanted),
               !old || *old != wanted || reordered});
  }
  return outcome.Finish(table);
}

// Removes the topic's route from every name server, so that nobody is sent to queues that are gone.
bool DeleteAtNameServers(Context& context) {
  Command command(RequestCode::kDeleteTopicInNamesrv);
  command.Set("topic", context.operand());
  if (context.settings.Given("cluster")) command.Set("clusterName", context.settings.String("cluster"));
  const auto& servers = context.admin.endpoints().name_servers;
  context.admin.Begin();
  const auto replies = context.admin.AskAll(servers, command);
  bool all = true;
  for (size_t i = 0; i < replies.size(); ++i) {
    if (replies[i]) continue;
    all = false;
    context.Notice("name server " + servers[i] + " still has the topic: " + replies[i].error().what);
  }
  return all;
}

}  // namespace

Result<int> TopicCreate(Context& context) { return CreateOrUpdate(context, Missing::kMake); }

Result<int> TopicUpdate(Context& context) { return CreateOrUpdate(context, Missing::kLeave); }

Result<int> TopicDelete(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, TargetMasters(context));
  // As brokers refuse it, before anybody is asked to confirm it and with --dry-run as well.
  if (protocol::IsSystemTopic(context.operand())) {
    return MakeError(ErrorCode::kRefused, "topic " + context.operand() + " is a system topic and stays");
  }
  const auto before = TopicOn(context, masters, context.operand());
  Outcome outcome(context, "broker");
  std::vector<BrokerAddress> holders;
  size_t silent = 0;
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!before[i]) {
      ++silent;
      outcome.Failed(masters[i].name, before[i].error());
    } else if (before[i]->has_value()) {
      holders.push_back(masters[i]);
    }
  }
  if (holders.empty()) {
    if (silent > 0) return outcome.ExitStatus();
    return WithNearestTopic(context, client::NoSuchTopic(ErrorCode::kNotFound, context.operand()), context.operand());
  }
  if (!context.dry_run()) MQ_TRY(Confirm(context, "deleting topic " + context.operand() + " loses its messages"));
  Command command(RequestCode::kDeleteTopicInBroker);
  command.Set("topic", context.operand());
  std::vector<std::optional<client::Question>> changes;
  for (const BrokerAddress& holder : holders) changes.emplace_back(client::Question{holder.address, command});
  const auto replies = Apply(context, std::move(changes));
  Table table = context.Changes();
  bool all = silent == 0;
  for (size_t i = 0; i < holders.size(); ++i) {
    if (replies[i] && !*replies[i]) {
      all = false;
      outcome.Failed(holders[i].name, replies[i]->error());
      continue;
    }
    outcome.Done();
    table.Add({context.operand(), holders[i].name, "exists", Cell::Unknown(), true});
  }
  const bool at_brokers_only = context.dry_run() || !context.admin.endpoints().broker.empty() || !all;
  const bool routes_gone = at_brokers_only || DeleteAtNameServers(context);
  MQ_ASSIGN(const int status, outcome.Finish(table));
  return routes_gone ? status : kPartly;
}

}  // namespace mq::admin
