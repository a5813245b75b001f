// mq-admin topic list|show|route|stats|wait; the changes are in topic_change.cc.
#include <algorithm>
#include <map>
#include <set>

#include "admin/topic_config.h"
#include "base/clock.h"
#include "protocol/consume_stats.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;

constexpr int64_t kWaitStepMs = 100;

}  // namespace

Result<int> TopicList(Context& context) {
  if (context.admin.endpoints().broker.empty()) context.admin.Begin(0);
  MQ_ASSIGN(std::vector<std::string> topics, context.admin.Topics());
  std::sort(topics.begin(), topics.end());
  Table table = context.Listing();
  for (const std::string& topic : topics) table.Add({topic});
  MQ_TRY(table.Print(context.style));
  return kDone;
}

Result<int> TopicShow(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  auto route = context.admin.Route(context.operand());
  if (!route) return WithNearestTopic(context, route.error(), context.operand());
  Table table = context.Listing();
  std::map<std::string, std::set<std::string>> has;  // by cluster
  for (const protocol::QueueData& queue : route->data.queues) {
    const protocol::BrokerData* broker = route->data.FindBroker(queue.broker_name);
    const std::string cluster = broker == nullptr || broker->cluster.empty() ? "-" : broker->cluster;
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
  if (!route) return WithNearestTopic(context, route.error(), context.operand());
  if (context.style.json && context.style.columns.empty()) {
    MQ_TRY(PrintOut(protocol::EncodeTopicRoute(route->data, protocol::RouteJson::kStandard) + "\n"));
    return kDone;
  }
  Table table = context.Listing();
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

// Every broker of the topic that has a master is asked; RocketMQ's answer holds only queues that can be written.
Result<int> TopicStats(Context& context) {
  MQ_TRY(CheckTopicOperand(context));
  auto route = context.admin.Route(context.operand());
  if (!route) return WithNearestTopic(context, route.error(), context.operand());
  std::vector<BrokerAddress> brokers;
  for (const protocol::QueueData& queue : route->data.queues) {
    const std::string address = route->AnyOf(queue.broker_name);
    if (!address.empty()) brokers.push_back({{}, queue.broker_name, protocol::kMasterId, address});
  }
  Command command(RequestCode::kGetTopicStatsInfo);
  command.Set("topic", context.operand());
  const auto replies = context.admin.AskAll(AddressesOf(brokers), command);
  Table table = context.Listing();
  Outcome outcome(context, "broker");
  for (size_t i = 0; i < brokers.size(); ++i) {
    const auto stats = replies[i] ? protocol::DecodeTopicStats(replies[i]->body) : replies[i].error();
    if (!stats) {
      outcome.Failed(brokers[i].name, stats.error());
      continue;
    }
    outcome.Done();
    for (const auto& [queue, offset] : *stats) {
      table.Add({context.operand(), brokers[i].name, queue.queue_id, offset.min_offset, offset.max_offset,
                 offset.max_offset - offset.min_offset, Cell::Time(offset.last_update_timestamp)});
    }
  }
  return outcome.Finish(table);
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
