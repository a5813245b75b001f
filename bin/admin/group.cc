// mq-admin group list|show|lag; members are in group_members.cc, changes in group_change.cc.
#include <algorithm>
#include <map>
#include <set>

#include "admin/group_config.h"
#include "base/strings.h"
#include "protocol/consume_stats.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;

// The names of all groups of all brokers, sorted; brokers that do not answer are failures of the outcome.
std::vector<std::string> NamesOf(const std::vector<BrokerAddress>& masters, const std::vector<GroupsOnBroker>& groups,
                                 Outcome& outcome) {
  std::set<std::string> names;
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!groups[i]) {
      outcome.Failed(masters[i].name, groups[i].error());
      continue;
    }
    outcome.Done();
    for (const auto& [name, config] : *groups[i]) names.insert(name);
  }
  return {names.begin(), names.end()};
}

struct Progress {
  std::string group;
  size_t master;
};

}  // namespace

Result<int> GroupList(Context& context) {
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, AllMasters(context));
  Outcome outcome(context, "broker");
  Table table = context.Listing();
  for (const std::string& name : NamesOf(masters, GroupsOn(context, masters), outcome)) table.Add({name});
  return outcome.Finish(table);
}

Result<int> GroupShow(Context& context) {
  MQ_TRY(protocol::CheckGroupName(context.operand()));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, AllMasters(context));
  const auto groups = GroupsOn(context, masters);
  Outcome outcome(context, "broker");
  const std::vector<std::string> names = NamesOf(masters, groups, outcome);
  Table table = context.Listing();
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!groups[i]) continue;
    const auto found = groups[i]->find(context.operand());
    if (found == groups[i]->end()) continue;
    const protocol::SubscriptionGroupConfig& config = found->second;
    table.Add({config.name, masters[i].name, config.consume_enable, config.consume_from_min_enable,
               config.consume_broadcast_enable, config.retry_queues, config.retry_max_times, config.broker_id,
               config.which_broker_when_slow, config.notify_ids_changed});
  }
  if (table.empty() && !outcome.failed()) return NoSuchGroup(context.operand(), names);
  return outcome.Finish(table);
}

// Asks for a group's progress at every master; for all groups when none was named.
Result<int> GroupLag(Context& context) {
  context.admin.Begin(2);
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, AllMasters(context));
  const auto groups = GroupsOn(context, masters);
  Outcome outcome(context, "broker");
  const std::vector<std::string> names = NamesOf(masters, groups, outcome);
  const bool named = !context.settings.operands().empty();
  if (named) MQ_TRY(protocol::CheckGroupName(context.operand()));
  const std::string& topic = context.settings.String("topic");
  if (!topic.empty()) MQ_TRY(protocol::CheckTopicName(topic));
  std::vector<Progress> asked;
  std::vector<client::Question> questions;
  for (const std::string& group : named ? std::vector<std::string>{context.operand()} : names) {
    for (size_t i = 0; i < masters.size(); ++i) {
      if (!groups[i]) continue;
      Command command(RequestCode::kGetConsumeStats);
      command.Set("consumerGroup", group);
      if (!topic.empty()) command.Set("topic", topic);
      asked.push_back({group, i});
      questions.push_back({masters[i].address, std::move(command)});
    }
  }
  const auto replies = context.admin.AskEach(std::move(questions));
  Table table = context.Listing();
  int64_t total = 0;
  std::map<std::string, int> beyond;
  for (size_t i = 0; i < replies.size(); ++i) {
    const BrokerAddress& master = masters[asked[i].master];
    const auto stats = replies[i] ? protocol::DecodeConsumeStats(replies[i]->body) : replies[i].error();
    if (!stats) {
      outcome.Failed(master.name, stats.error());
      continue;
    }
    for (const auto& [queue, offset] : stats->offsets) {
      // Below zero: the stored offset is beyond the end, which is no "everything is read".
      const int64_t lag = offset.broker_offset - offset.consumer_offset;
      total += std::max<int64_t>(lag, 0);
      if (lag < 0) ++beyond[asked[i].group + " on topic " + queue.topic + " at " + queue.broker_name];
      table.Add({asked[i].group, queue.topic, queue.broker_name, queue.queue_id, offset.broker_offset,
                 offset.consumer_offset, lag, Cell::Time(offset.last_timestamp)});
    }
  }
  const bool known = !named || std::binary_search(names.begin(), names.end(), context.operand());
  if (table.empty() && !known && !outcome.failed()) return NoSuchGroup(context.operand(), names);
  MQ_ASSIGN(const int status, outcome.Finish(table));
  for (const auto& [where, queues] : beyond) {
    context.Notice("group " + where + ": stored offsets of " + std::to_string(queues) +
                   " queues are beyond the end; set them with mq-admin offset reset");
  }
  if (!context.settings.Given("max") || total <= context.settings.Int("max")) return status;
  context.Notice("lag is " + std::to_string(total) + ", above " + context.settings.String("max"));
  return kNo;
}

}  // namespace mq::admin
