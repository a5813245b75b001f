#include "admin/offset_apply.h"

#include <map>
#include <set>

#include "admin/group_config.h"
#include "protocol/codes.h"
#include "protocol/offset_bodies.h"
#include "remoting/channel.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using client::Question;
using protocol::Command;
using protocol::RequestCode;

std::vector<BrokerAddress> BrokersOfMoves(const std::vector<Move>& moves) {
  std::map<std::string, std::string> addresses;
  for (const Move& move : moves) addresses[move.place.queue.broker_name] = move.place.address;
  std::vector<BrokerAddress> brokers;
  for (const auto& [name, address] : addresses) brokers.push_back({{}, name, protocol::kMasterId, address});
  return brokers;
}

void DropBroker(const std::string& name, const Error& error, std::vector<Move>& moves, Outcome& outcome) {
  outcome.Failed(name, error);
  std::erase_if(moves, [&](const Move& move) { return move.place.queue.broker_name == name; });
}

// Tells the members through the brokers. Returns the brokers that know of no member: there the offsets are written.
std::set<std::string> TellMembers(Context& context, const MoveOrder& order, std::vector<Move>& moves,
                                  Outcome& outcome) {
  const std::vector<BrokerAddress> brokers = BrokersOfMoves(moves);
  std::vector<Question> questions;
  for (const BrokerAddress& broker : brokers) {
    Command command(RequestCode::kInvokeBrokerToResetOffset);
    command.Set("group", order.group).Set("topic", order.topic);
    command.Set("timestamp", *order.timestamp).Set("isForce", "true");
    questions.push_back({broker.address, std::move(command)});
  }
  std::set<std::string> offline;
  const auto replies = context.admin.AnswersTo(std::move(questions));
  for (size_t i = 0; i < brokers.size(); ++i) {
    const std::string& name = brokers[i].name;
    if (!replies[i]) {
      DropBroker(name, replies[i].error(), moves, outcome);
    } else if (replies[i]->code == static_cast<int32_t>(protocol::ResponseCode::kConsumerNotOnline)) {
      offline.insert(name);
      for (Move& move : moves) move.told = move.told && move.place.queue.broker_name != name;
    } else if (replies[i]->code != 0) {
      DropBroker(name, remoting::ErrorOfReply(replies[i]->code, replies[i]->remark), moves, outcome);
    } else if (const auto offsets = protocol::DecodeResetOffset(replies[i]->body)) {
      for (Move& move : moves) {
        // A single broker that does not say its name has its address here, but not in its answer.
        for (const auto& [queue, offset] : *offsets) {
          const bool same = queue.queue_id == move.place.queue.queue_id && queue.topic == move.place.queue.topic;
          if (same && move.place.queue.broker_name == name) move.target = offset;
        }
      }
    }
  }
  return offline;
}

void WriteOffsets(Context& context, const MoveOrder& order, const std::set<std::string>& brokers,
                  std::vector<Move>& moves, Outcome& outcome) {
  std::vector<Question> questions;
  std::vector<std::string> whose;
  for (const Move& move : moves) {
    if (!move.changes() || !brokers.contains(move.place.queue.broker_name)) continue;
    Command command(RequestCode::kUpdateConsumerOffset);
    command.Set("consumerGroup", order.group).Set("topic", order.topic);
    command.Set("queueId", int64_t{move.place.queue.queue_id}).Set("commitOffset", move.target.value_or(-1));
    questions.push_back({move.place.address, std::move(command)});
    whose.push_back(move.place.queue.broker_name);
  }
  const auto replies = context.admin.AskEach(std::move(questions));
  for (size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i]) DropBroker(whose[i], replies[i].error(), moves, outcome);
  }
}

}  // namespace

Result<Audience> FindAudience(Context& context, const MoveOrder& order, std::vector<Move>& moves, Outcome& outcome) {
  const std::vector<BrokerAddress> brokers = BrokersOfMoves(moves);
  context.admin.Begin(3);
  const auto members = MembersOn(context, brokers, order.group);
  Audience audience;
  for (size_t i = 0; i < brokers.size(); ++i) {
    if (!members[i]) {
      DropBroker(brokers[i].name, members[i].error(), moves, outcome);
    } else if (*members[i]) {
      audience.online = true;
    } else {
      audience.offline.insert(brokers[i].name);
    }
  }
  if (audience.online && !order.timestamp) {
    return MakeError(ErrorCode::kRefused, "group " + order.group + " has members online, who go on where they are")
        .WithHint("stop them, or move every queue to a time, start or end, which they are told");
  }
  for (Move& move : moves) {
    move.told = audience.online && !audience.offline.contains(move.place.queue.broker_name);
  }
  return audience;
}

void ApplyMoves(Context& context, const MoveOrder& order, Audience audience, std::vector<Move>& moves,
                Outcome& outcome) {
  // A member is connected to every broker of its topics: where a broker knows of none, it has not come yet or is gone.
  if (audience.online) audience.offline = TellMembers(context, order, moves, outcome);
  WriteOffsets(context, order, audience.offline, moves, outcome);
}

}  // namespace mq::admin
