#include "admin/runtime_info.h"

#include "protocol/lists.h"

namespace mq::admin {

std::vector<Result<RuntimeInfo>> RuntimeInfos(Context& context, const std::vector<client::BrokerAddress>& brokers) {
  std::vector<Result<RuntimeInfo>> infos;
  const protocol::Command question(protocol::RequestCode::kGetBrokerRuntimeInfo);
  for (const auto& reply : context.admin.AskAll(AddressesOf(brokers), question)) {
    if (!reply) {
      infos.emplace_back(reply.error());
      continue;
    }
    const auto table = protocol::DecodeKvTable(reply->body);
    if (table) {
      infos.emplace_back(RuntimeInfo(table->begin(), table->end()));
    } else {
      infos.emplace_back(table.error());
    }
  }
  return infos;
}

}  // namespace mq::admin
