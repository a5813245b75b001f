// mq-admin topic list|show|route|create|delete|wait
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "admin/context.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/strings.h"
#include "protocol/admin_headers.h"
#include "protocol/names.h"
#include "protocol/topic_config.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;
using protocol::TopicConfig;

constexpr int64_t kWaitStepMs = 100;

std::string PermText(int32_t perm) {
  std::string text;
  if ((perm & protocol::kPermRead) != 0) text += 'r';
  if ((perm & protocol::kPermWrite) != 0) text += 'w';
  return text.empty() ? "-" : text;
}

int32_t PermFromText(std::string_view text) {
  return (text.find('r') != std::string_view::npos ? protocol::kPermRead : 0) |
         (text.find('w') != std::string_view::npos ? protocol::kPermWrite : 0);
}

std::string ShowConfig(const TopicConfig& config) {
  return std::to_string(config.read_queues) + "/" + std::to_string(config.write_queues) + " " + PermText(config.perm);
}

std::vector<std::string> AddressesOf(const std::vector<BrokerAddress>& brokers) {
  std::vector<std::string> addresses;
  for (const BrokerAddress& broker : brokers) addresses.push_back(broker.address);
  return addresses;
}

Status CheckTopicOperand(const Context& context) { return protocol::CheckTopicName(context.operand()); }

// A missing topic, with the nearest name there is.
Error WithNearest(Context& context, Error error) {
  if (error.code != ErrorCode::kNotFound) return error;
  const auto topics = context.admin.Topics();
  if (!topics) return error;
  const std::string near = NearestMatch(context.operand(), *topics);
  if (!near.empty()) error.hint = "did you mean " + near + "?";
  return error;
}

// The topic on each of the brokers; nothing where it is missing. Brokers that do not answer are errors.
std::vector<Result<std::optional<TopicConfig>>> ConfigsOn(Context& context, const std::vector<BrokerAddress>& brokers) {
  std::vector<Result<std::optional<TopicConfig>>> configs;
  for (const auto& reply : context.admin.AskAll(AddressesOf(brokers), Command(RequestCode::kGetAllTopicConfig))) {
    if (!reply) {
      configs.emplace_back(reply.error());
      continue;
    }
    const auto table = protocol::DecodeTopicConfigs(reply->body);
    if (!table) {
      configs.emplace_back(table.error());
      continue;
    }
    const auto found = table->topics.find(context.operand());
    configs.emplace_back(found == table->topics.end() ? std::optional<TopicConfig>() : found->second);
  }
  return configs;
}

Command CreateCommand(const TopicConfig& config) {
  Command command(RequestCode::kUpdateAndCreateTopic);
  command.Set("topic", config.name).Set("defaultTopic", std::string(protocol::kAutoCreateTopic));
  command.Set("readQueueNums", int64_t{config.read_queues}).Set("writeQueueNums", int64_t{config.write_queues});
  command.Set("perm", int64_t{config.perm}).Set("topicFilterType", config.filter_type);
  command.Set("topicSysFlag", int64_t{config.sys_flag}).Set("order", config.order ? "true" : "false");
  return command;
}

// What the options make of the topic on one broker: what is not given stays as it is.
TopicConfig WantedConfig(const Context& context, const std::optional<TopicConfig>& old) {
  TopicConfig config = old.value_or(TopicConfig());
  config.name = context.operand();
  const conf::Settings& settings = context.settings;
  if (!old || settings.Given("read-queues")) config.read_queues = static_cast<int32_t>(settings.Int("read-queues"));
  if (!old || settings.Given("write-queues")) config.write_queues = static_cast<int32_t>(settings.Int("write-queues"));
  if (!old || settings.Given("perm")) config.perm = PermFromText(settings.String("perm"));
  return config;
}

// Removes the topic's route from every name server, so that nobody is sent to queues that are gone.
bool DeleteAtNameServers(Context& context) {
  Command command(RequestCode::kDeleteTopicInNamesrv);
  command.Set("topic", context.operand());
  if (context.settings.Given("cluster")) command.Set("clusterName", context.settings.String("cluster"));
  const auto& servers = context.admin.endpoints().name_servers;
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

Result<int> TopicList(Context& context) {
  MQ_ASSIGN(std::vector<std::string> topics, context.admin.Topics());
  std::sort(topics.begin(), topics.end());
  Table table({"name"});
  for (const std::string& topic : topics) table.Add({topic});
  MQ_TRY(table.Print(context.style));
  return kDone;
}

Result<int> TopicShow(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  auto route = context.admin.Route(context.operand());
  if (!route) return WithNearest(context, route.error());
  Table table({"topic", "broker", "cluster", "address", "read_queues", "write_queues", "perm"});
  std::map<std::string, std::set<std::string>> has;  // by cluster
  for (const protocol::QueueData& queue : route->data.queues) {
    const protocol::BrokerData* broker = route->data.FindBroker(queue.broker_name);
    const std::string cluster = broker == nullptr ? "-" : broker->cluster;
    const std::string address = broker == nullptr ? "-" : route->AnyOf(queue.broker_name);
    table.Add({context.operand(), queue.broker_name, cluster, address, queue.read_queues, queue.write_queues,
               PermText(queue.perm)});
    has[cluster].insert(queue.broker_name);
  }
  MQ_TRY(table.Print(context.style));
  const auto info = context.admin.Cluster();
  if (!info || !context.admin.endpoints().broker.empty()) return kDone;
  for (const auto& [cluster, names] : has) {
    const auto all = info->clusters.find(cluster);
    if (all == info->clusters.end() || all->second.size() <= names.size()) continue;
    context.Notice("on " + std::to_string(names.size()) + " of " + std::to_string(all->second.size()) +
                   " brokers of cluster " + cluster + "; mq-admin topic create " + context.operand() +
                   " adds the others");
  }
  return kDone;
}

Result<int> TopicRoute(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  auto route = context.admin.Route(context.operand());
  if (!route) return WithNearest(context, route.error());
  if (context.style.json) {
    MQ_TRY(PrintOut(protocol::EncodeTopicRoute(route->data, protocol::RouteJson::kStandard) + "\n"));
    return kDone;
  }
  Table table({"topic", "broker", "id", "address", "read_queues", "write_queues", "perm"});
  for (const protocol::QueueData& queue : route->data.queues) {
    const protocol::BrokerData* broker = route->data.FindBroker(queue.broker_name);
    if (broker == nullptr) continue;
    for (const auto& [id, address] : broker->addresses) {
      table.Add({context.operand(), queue.broker_name, id, address, queue.read_queues, queue.write_queues,
                 PermText(queue.perm)});
    }
  }
  MQ_TRY(table.Print(context.style));
  return kDone;
}

Result<int> TopicCreate(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, TargetMasters(context));
  const auto before = ConfigsOn(context, masters);
  Table table({"topic", "broker", "old", "new", "changed"});
  std::optional<Error> failure;
  size_t done = 0;
  const auto failed = [&](const BrokerAddress& master, const Error& error) {
    failure = Result<void>(error).WithContext("broker " + master.name).error();
    context.Notice(failure->what);
  };
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!before[i]) {
      failed(masters[i], before[i].error());
      continue;
    }
    const std::optional<TopicConfig>& old = *before[i];
    const TopicConfig wanted = WantedConfig(context, old);
    const bool change = !old || !(*old == wanted);
    if (change && !context.settings.Bool("dry-run")) {
      const auto reply = context.admin.Ask(masters[i].address, CreateCommand(wanted));
      if (!reply) {
        failed(masters[i], reply.error());
        continue;
      }
    }
    ++done;
    table.Add({wanted.name, masters[i].name, old ? ShowConfig(*old) : "-", ShowConfig(wanted), change});
  }
  MQ_TRY(table.Print(context.style));
  if (!failure) return kDone;
  if (done == 0) return std::move(*failure);
  return kPartly;
}

Result<int> TopicDelete(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, TargetMasters(context));
  const auto before = ConfigsOn(context, masters);
  std::vector<BrokerAddress> holders;
  size_t silent = 0;
  std::optional<Error> failure;
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!before[i]) {
      ++silent;
      failure = Result<void>(before[i].error()).WithContext("broker " + masters[i].name).error();
      context.Notice(failure->what);
    } else if (before[i]->has_value()) {
      holders.push_back(masters[i]);
    }
  }
  if (holders.empty()) {
    if (failure) return std::move(*failure);
    return WithNearest(context, client::NoSuchTopic(ErrorCode::kNotFound, context.operand()));
  }
  const bool dry = context.settings.Bool("dry-run");
  if (!dry) MQ_TRY(Confirm(context, "deleting topic " + context.operand()));
  Command command(RequestCode::kDeleteTopicInBroker);
  command.Set("topic", context.operand());
  Table table({"topic", "broker", "old", "new", "changed"});
  size_t done = 0;
  std::vector<Result<Command>> replies;
  if (!dry) replies = context.admin.AskAll(AddressesOf(holders), command);
  for (size_t i = 0; i < holders.size(); ++i) {
    if (!dry && !replies[i]) {
      failure = Result<void>(replies[i].error()).WithContext("broker " + holders[i].name).error();
      context.Notice(failure->what);
      continue;
    }
    ++done;
    table.Add({context.operand(), holders[i].name, "exists", "-", true});
  }
  const bool routes_gone = dry || !context.admin.endpoints().broker.empty() || failure || DeleteAtNameServers(context);
  MQ_TRY(table.Print(context.style));
  if (done == 0) return std::move(*failure);
  return failure || silent > 0 || !routes_gone ? kPartly : kDone;
}

Result<int> TopicWait(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  const int64_t deadline = MonotonicMs() + context.settings.DurationMs("wait");
  std::string why;
  for (;;) {
    const auto route = context.admin.Route(context.operand());
    if (route && !route->PublishQueues(context.operand()).empty()) return kDone;
    why = route ? "topic " + context.operand() + " has no writable queue" : route.error().what;
    if (MonotonicMs() + kWaitStepMs > deadline) break;
    context.admin.Sleep(kWaitStepMs);
  }
  context.Notice("waited in vain: " + why);
  return kWaitedInVain;
}

}  // namespace mq::admin
