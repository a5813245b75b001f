#include "admin/group_config.h"

#include <set>

#include "base/strings.h"
#include "remoting/channel.h"

namespace mq::admin {

using protocol::Command;
using protocol::RequestCode;

std::vector<GroupsOnBroker> GroupsOn(Context& context, const std::vector<client::BrokerAddress>& brokers) {
  std::vector<GroupsOnBroker> groups;
  const Command question(RequestCode::kGetAllSubscriptiongroupConfig);
  for (const auto& reply : context.admin.AskAll(AddressesOf(brokers), question)) {
    if (!reply) {
      groups.emplace_back(reply.error());
      continue;
    }
    auto wrapper = protocol::DecodeGroupConfigs(reply->body);
    if (wrapper) {
      groups.emplace_back(std::move(wrapper->groups));
    } else {
      groups.emplace_back(wrapper.error());
    }
  }
  return groups;
}

std::vector<std::string> NamesOf(const std::vector<client::BrokerAddress>& masters,
                                 const std::vector<GroupsOnBroker>& groups, Outcome& outcome) {
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

Error NoSuchGroup(const std::string& group, const std::vector<std::string>& names) {
  Error error = MakeError(ErrorCode::kNotFound, "no such group: " + group);
  error.hint = DidYouMean(NearestMatch(group, names));
  return error;
}

std::vector<MembersOnBroker> MembersOn(Context& context, const std::vector<client::BrokerAddress>& brokers,
                                       const std::string& group) {
  std::vector<client::Question> questions;
  for (const client::BrokerAddress& broker : brokers) {
    Command command(RequestCode::kGetConsumerConnectionList);
    command.Set("consumerGroup", group);
    questions.push_back({broker.address, std::move(command)});
  }
  std::vector<MembersOnBroker> members;
  for (const auto& reply : context.admin.AnswersTo(std::move(questions))) {
    if (!reply) {
      members.emplace_back(reply.error());
    } else if (reply->code == static_cast<int32_t>(protocol::ResponseCode::kConsumerNotOnline)) {
      members.emplace_back(std::optional<protocol::ConsumerConnection>());
    } else if (reply->code != 0) {
      members.emplace_back(remoting::ErrorOfReply(reply->code, reply->remark));
    } else {
      auto decoded = protocol::DecodeConsumerConnection(reply->body);
      if (!decoded) {
        members.emplace_back(decoded.error());
      } else if (decoded->connections.empty()) {
        members.emplace_back(std::optional<protocol::ConsumerConnection>());
      } else {
        members.emplace_back(std::optional(std::move(*decoded)));
      }
    }
  }
  return members;
}

}  // namespace mq::admin
