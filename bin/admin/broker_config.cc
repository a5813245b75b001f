// mq-admin broker config
#include "admin/config_change.h"

namespace mq::admin {

Result<int> BrokerConfig(Context& context) {
  MQ_ASSIGN(const auto masters, TargetMasters(context));
  std::vector<ConfigPeer> peers;
  for (const client::BrokerAddress& master : masters) peers.push_back({master.name, master.address});
  return ConfigGetOrSet(
      context, peers,
      {"broker", "broker", protocol::RequestCode::kGetBrokerConfig, protocol::RequestCode::kUpdateBrokerConfig});
}

}  // namespace mq::admin
