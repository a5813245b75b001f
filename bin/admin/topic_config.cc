#include "admin/topic_config.h"

#include "base/strings.h"
#include "protocol/names.h"

namespace mq::admin {

using protocol::TopicConfig;

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

Status CheckTopicOperand(const Context& context) { return protocol::CheckTopicName(context.operand()); }

Error WithNearestTopic(Context& context, Error error, const std::string& topic) {
  if (error.code != ErrorCode::kNotFound) return error;
  error.hint.clear();
  const auto topics = context.admin.Topics();
  if (!topics) return error;
  error.hint = DidYouMean(NearestMatch(topic, *topics));
  return error;
}

std::vector<TopicOnBroker> TopicOn(Context& context, const std::vector<client::BrokerAddress>& brokers,
                                   const std::string& topic) {
  std::vector<TopicOnBroker> configs;
  const protocol::Command question(protocol::RequestCode::kGetAllTopicConfig);
  for (const auto& reply : context.admin.AskAll(AddressesOf(brokers), question)) {
    if (!reply) {
      configs.emplace_back(reply.error());
      continue;
    }
    const auto table = protocol::DecodeTopicConfigs(reply->body);
    if (!table) {
      configs.emplace_back(table.error());
      continue;
    }
    const auto found = table->topics.find(topic);
    configs.emplace_back(found == table->topics.end() ? std::optional<TopicConfig>() : found->second);
  }
  return configs;
}

}  // namespace mq::admin
