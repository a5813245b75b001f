// mq-admin group members
#include <map>

#include "admin/group_config.h"
#include "base/strings.h"
#include "protocol/names.h"
#include "remoting/channel.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using protocol::Command;
using protocol::RequestCode;

// One client, which may be connected to several brokers.
struct Member {
  protocol::Connection connection;
  std::vector<std::string> brokers;
  Cell model = Cell::Unknown();
  Cell topics = Cell::Unknown();
};
using Members = std::map<std::string, Member>;  // by client id

std::string Subscriptions(const protocol::ConsumerConnection& group) {
  std::vector<std::string> parts;
  for (const auto& [topic, subscription] : group.subscriptions) {
    parts.push_back(topic + ":" + subscription.sub_string);
  }
  return JoinStrings(parts, ",");
}

void AddConsumers(Context& context, const std::vector<BrokerAddress>& masters, Members& members, Outcome& outcome) {
  const auto answers = MembersOn(context, masters, context.operand());
  for (size_t i = 0; i < masters.size(); ++i) {
    if (!answers[i]) {
      outcome.Failed(masters[i].name, answers[i].error());
      continue;
    }
    outcome.Done();
    if (!*answers[i]) continue;
    const protocol::ConsumerConnection& group = **answers[i];
    for (const protocol::Connection& connection : group.connections) {
      Member& member = members[connection.client_id];
      member.connection = connection;
      member.brokers.push_back(masters[i].name);
      member.model = Cell(group.message_model == protocol::MessageModel::kBroadcasting ? "BROADCASTING" : "CLUSTERING");
      member.topics = Cell(Subscriptions(group));
    }
  }
}

void AddProducers(Context& context, const std::vector<BrokerAddress>& masters, Members& members, Outcome& outcome) {
  std::vector<client::Question> questions;
  for (const BrokerAddress& master : masters) {
    Command command(RequestCode::kGetProducerConnectionList);
    command.Set("producerGroup", context.operand());
    questions.push_back({master.address, std::move(command)});
  }
  const auto replies = context.admin.AnswersTo(std::move(questions));
  for (size_t i = 0; i < masters.size(); ++i) {
    // RocketMQ says "not exist" with the code of every failure there is.
    const bool none = replies[i] && replies[i]->code == static_cast<int32_t>(protocol::ResponseCode::kSystemError) &&
                      replies[i]->remark.find("not exist") != std::string::npos;
    if (!replies[i] || (replies[i]->code != 0 && !none)) {
      outcome.Failed(masters[i].name,
                     replies[i] ? remoting::ErrorOfReply(replies[i]->code, replies[i]->remark) : replies[i].error());
      continue;
    }
    const auto connections = none ? Result<protocol::ProducerConnection>(protocol::ProducerConnection{})
                                  : protocol::DecodeProducerConnection(replies[i]->body);
    if (!connections) {
      outcome.Failed(masters[i].name, connections.error());
      continue;
    }
    outcome.Done();
    for (const protocol::Connection& connection : *connections) {
      Member& member = members[connection.client_id];
      member.connection = connection;
      member.brokers.push_back(masters[i].name);
    }
  }
}

}  // namespace

Result<int> GroupMembers(Context& context) {
  MQ_TRY(protocol::CheckGroupName(context.operand()));
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, AllMasters(context));
  const bool producers = context.settings.Bool("producers");
  Members members;
  Outcome outcome(context, "broker");
  (producers ? AddProducers : AddConsumers)(context, masters, members, outcome);
  Table table = context.Listing();
  for (const auto& [id, member] : members) {
    table.Add({context.operand(), id, member.connection.client_address, member.connection.language,
               member.connection.version, JoinStrings(member.brokers, ","), member.model, member.topics});
  }
  MQ_ASSIGN(const int status, outcome.Finish(table));
  if (!members.empty()) return status;
  context.Notice(std::string("no ") + (producers ? "producer" : "member") + " of group " + context.operand() +
                 " is online");
  return status == kDone ? kNo : status;
}

}  // namespace mq::admin
