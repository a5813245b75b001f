// mq-admin cluster list
#include "admin/runtime_info.h"
#include "base/strings.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;

Cell TextOf(const RuntimeInfo& info, const std::string& key) {
  const auto found = info.find(key);
  return found == info.end() ? Cell::Unknown() : Cell(found->second);
}

// The first of the three numbers of a rate: of the last ten seconds.
Cell RateOf(const RuntimeInfo& info, const std::string& key) {
  const std::string text = TextOf(info, key).text;
  const auto rate = ParseDouble(text.substr(0, text.find(' ')));
  return rate ? Cell::Number(*rate, 2) : Cell::Unknown();
}

Cell RatioOf(const RuntimeInfo& info, const std::string& key) {
  const auto ratio = ParseDouble(TextOf(info, key).text);
  return ratio ? Cell::Number(*ratio, 4) : Cell::Unknown();
}

Cell ClusterOf(const BrokerAddress& broker) { return broker.cluster.empty() ? Cell::Unknown() : Cell(broker.cluster); }

}  // namespace

Result<int> ClusterList(Context& context) {
  MQ_ASSIGN(const protocol::ClusterInfo info, context.admin.Cluster());
  const std::vector<BrokerAddress> brokers = client::BrokersOf(info);
  const auto infos = RuntimeInfos(context, brokers);
  Table table = context.Listing();
  bool all = true;
  for (size_t i = 0; i < brokers.size(); ++i) {
    const BrokerAddress& broker = brokers[i];
    if (!infos[i]) {
      all = false;
      context.Notice(NameOf(broker) + " does not answer: " + infos[i].error().what);
      table.Add({ClusterOf(broker), broker.name, broker.id, broker.address, Cell::Unknown(), Cell::Unknown(),
                 Cell::Unknown(), Cell::Unknown()});
      continue;
    }
    table.Add({ClusterOf(broker), broker.name, broker.id, broker.address, TextOf(*infos[i], "brokerVersionDesc"),
               RateOf(*infos[i], "putTps"), RateOf(*infos[i], "getTransferedTps"),
               RatioOf(*infos[i], "commitLogDiskRatio")});
  }
  MQ_TRY(table.Print(context.style));
  return all ? kDone : kPartly;
}

}  // namespace mq::admin
