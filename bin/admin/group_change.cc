// mq-admin group create|update|delete
#include <set>

#include "admin/group_config.h"
#include "base/strings.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;
using protocol::SubscriptionGroupConfig;

std::string ShowConfig(const SubscriptionGroupConfig& config) {
  const auto word = [](bool on, const char* name) { return std::string(on ? " " : " no-") + name; };
  return "retry " + std::to_string(config.retry_queues) + "/" + std::to_string(config.retry_max_times) +
         word(config.consume_enable, "consume") + word(config.consume_from_min_enable, "from-min") +
         word(config.consume_broadcast_enable, "broadcast") + word(config.notify_ids_changed, "notify") + " broker " +
         std::to_string(config.broker_id) + "/" + std::to_string(config.which_broker_when_slow);
}

// What the options make of the group on one broker: what is not given stays as it is.
SubscriptionGroupConfig WantedConfig(const Context& context, const std::optional<SubscriptionGroupConfig>& old) {
  SubscriptionGroupConfig config = old.value_or(SubscriptionGroupConfig());
  config.name = context.operand();
  const conf::Settings& settings = context.settings;
  const auto take = [&](const char* name) { return !old || settings.Given(name); };
  if (take("consume-enable")) config.consume_enable = settings.Bool("consume-enable");
  if (take("consume-from-min")) config.consume_from_min_enable = settings.Bool("consume-from-min");
  if (take("broadcast")) config.consume_broadcast_enable = settings.Bool("broadcast");
  if (take("retry-queues")) config.retry_queues = static_cast<int32_t>(settings.Int("retry-queues"));
  if (take("retry-max")) config.retry_max_times = static_cast<int32_t>(settings.Int("retry-max"));
  if (take("broker-id")) config.broker_id = settings.Int("broker-id");
  if (take("slow-broker-id")) config.which_broker_when_slow = settings.Int("slow-broker-id");
  if (take("notify")) config.notify_ids_changed = settings.Bool("notify");
  return config;
}

using GroupOnBroker = Result<std::optional<SubscriptionGroupConfig>>;

// The group on each broker; nothing where it is missing. `names` receives all there are.
std::vector<GroupOnBroker> GroupOn(Context& context, const std::vector<BrokerAddress>& masters,
                                   std::vector<std::string>& names) {
  std::vector<GroupOnBroker> configs;
  for (const auto& groups : GroupsOn(context, masters)) {
    if (!groups) {
      configs.emplace_back(groups.error());
      continue;
    }
    for (const auto& [name, config] : *groups) names.push_back(name);
    const auto found = groups->find(context.operand());
    configs.emplace_back(found == groups->end() ? std::optional<SubscriptionGroupConfig>() : found->second);
  }
  return configs;
}

Result<int> CreateOrUpdate(Context& context, bool may_make) {
  MQ_TRY(protocol::CheckGroupName(context.operand()));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, TargetMasters(context));
  std::vector<std::string> names;
  const auto before = GroupOn(context, masters, names);
  std::vector<std::optional<client::Question>> changes(masters.size());
  size_t concerned = 0;
  size_t silent = 0;
  for (size_t i = 0; i < masters.size(); ++i) {
    silent += before[i] ? 0 : 1;
    if (!before[i] || (!*before[i] && !may_make)) continue;
    ++concerned;
    const SubscriptionGroupConfig wanted = WantedConfig(context, *before[i]);
    if (*before[i] && **before[i] == wanted) continue;
    changes[i] = client::Question{masters[i].address, Command(RequestCode::kUpdateAndCreateSubscriptiongroup)};
    changes[i]->command.body = protocol::EncodeGroupConfig(wanted);
  }
  if (concerned == 0 && silent == 0) return NoSuchGroup(context.operand(), names);
  const auto replies = Apply(context, std::move(changes));
  Table table = context.Changes();
  Outcome outcome(context, "broker");
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!before[i] || (replies[i] && !*replies[i])) {
      outcome.Failed(masters[i].name, before[i] ? replies[i]->error() : before[i].error());
      continue;
    }
    const std::optional<SubscriptionGroupConfig>& old = *before[i];
    if (!old && !may_make) continue;
    outcome.Done();
    const SubscriptionGroupConfig wanted = WantedConfig(context, old);
    table.Add({wanted.name, masters[i].name, old ? Cell(ShowConfig(*old)) : Cell::Unknown(), ShowConfig(wanted),
               !old || !(*old == wanted)});
  }
  return outcome.Finish(table);
}

// Its retry and dead-letter topics at all masters and name servers; those that do not exist are no failure.
void DeleteTopics(Context& context, const std::vector<BrokerAddress>& masters, Outcome& outcome) {
  std::vector<client::Question> questions;
  std::vector<std::string> whose;
  for (const std::string_view prefix : {protocol::kRetryPrefix, protocol::kDlqPrefix}) {
    const std::string topic = std::string(prefix) + context.operand();
    for (const BrokerAddress& master : masters) {
      whose.push_back(master.name);
      questions.push_back({master.address, Command(RequestCode::kDeleteTopicInBroker)});
      questions.back().command.Set("topic", topic);
    }
    for (const std::string& server : NameServers(context)) {
      whose.push_back(server);
      questions.push_back({server, Command(RequestCode::kDeleteTopicInNamesrv)});
      questions.back().command.Set("topic", topic);
    }
  }
  context.admin.Begin();
  const auto replies = context.admin.AnswersTo(std::move(questions));
  for (size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i]) outcome.Failed(whose[i], replies[i].error());
  }
}

// A group whose members go on consuming is made again by their next heartbeat: kRefused, naming them, without --force.
Status CheckNobodyOnline(Context& context, const std::vector<BrokerAddress>& masters) {
  context.admin.Begin();
  std::set<std::string> clients;
  for (const auto& members : MembersOn(context, masters, context.operand())) {
    if (!members || !*members) continue;
    for (const protocol::Connection& connection : (*members)->connections) clients.insert(connection.client_id);
  }
  if (clients.empty()) return Ok();
  const std::string who = JoinStrings(std::vector<std::string>(clients.begin(), clients.end()), ", ");
  if (context.settings.Bool("force")) {
    context.Notice("members are online and bring the group back: " + who);
    return Ok();
  }
  return MakeError(ErrorCode::kRefused, "group " + context.operand() + " has members online: " + who)
      .WithHint("stop them first, or their next heartbeat makes the group again; --force deletes it all the same");
}

}  // namespace

Result<int> GroupCreate(Context& context) { return CreateOrUpdate(context, true); }

Result<int> GroupUpdate(Context& context) { return CreateOrUpdate(context, false); }

Result<int> GroupDelete(Context& context) {
  MQ_TRY(protocol::CheckGroupName(context.operand()));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, TargetMasters(context));
  std::vector<std::string> names;
  const auto before = GroupOn(context, masters, names);
  const bool offsets = context.settings.Bool("offsets");
  const bool topics = context.settings.Bool("topics");
  std::vector<std::optional<client::Question>> changes(masters.size());
  size_t holders = 0;
  size_t silent = 0;
  for (size_t i = 0; i < masters.size(); ++i) {
    silent += before[i] ? 0 : 1;
    if (!before[i] || !*before[i]) continue;
    ++holders;
    Command command(RequestCode::kDeleteSubscriptiongroup);
    command.Set("groupName", context.operand()).Set("removeOffset", offsets ? "true" : "false");
    changes[i] = client::Question{masters[i].address, std::move(command)};
  }
  if (holders == 0 && silent == 0) return NoSuchGroup(context.operand(), names);
  MQ_TRY(CheckNobodyOnline(context, masters));
  if (!context.dry_run() && holders > 0) {
    std::string what = "deleting group " + context.operand() + " loses its settings";
    if (offsets) what += " and its offsets";
    if (topics) what += " and the messages of its retry and dead-letter topics";
    MQ_TRY(Confirm(context, what));
  }
  const auto replies = Apply(context, std::move(changes));
  Table table = context.Changes();
  Outcome outcome(context, "broker");
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!before[i] || (replies[i] && !*replies[i])) {
      outcome.Failed(masters[i].name, before[i] ? replies[i]->error() : before[i].error());
    } else if (*before[i]) {
      outcome.Done();
      table.Add({context.operand(), masters[i].name, ShowConfig(**before[i]), Cell::Unknown(), true});
    }
  }
  if (topics && !context.dry_run() && !outcome.none()) DeleteTopics(context, masters, outcome);
  return outcome.Finish(table);
}

}  // namespace mq::admin
