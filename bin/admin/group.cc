// mq-admin group list|show; lag and status are in group_lag.cc, members in group_members.cc, changes in
// group_change.cc.
#include "admin/group_config.h"
#include "protocol/names.h"

namespace mq::admin {

using client::BrokerAddress;

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

}  // namespace mq::admin
