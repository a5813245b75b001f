#include "admin/offset_places.h"

#include <algorithm>
#include <map>
#include <set>

#include "admin/topic_config.h"
#include "base/strings.h"
#include "protocol/codes.h"
#include "protocol/consume_stats.h"
#include "remoting/channel.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using client::Question;
using protocol::Command;
using protocol::RequestCode;

// All queues of a topic, whether they can be read or written.
Result<std::vector<Place>> QueuesOfTopic(Context& context, const std::string& topic) {
  auto route = context.admin.Route(topic);
  if (!route) return WithNearestTopic(context, route.error(), topic);
  std::vector<Place> places;
  for (const protocol::QueueData& queue : route->data.queues) {
    const std::string address = route->MasterOf(queue.broker_name);
    if (address.empty()) {
      context.Notice("broker " + queue.broker_name + " has no master; its queues are left out");
      continue;
    }
    for (int32_t id = 0; id < std::max(queue.read_queues, queue.write_queues); ++id) {
      places.push_back({{topic, queue.broker_name, id}, address, 0, 0, {}, {}});
    }
  }
  return places;
}

// The queues in which the group has offsets, as the brokers tell them.
Result<std::vector<Place>> QueuesOfGroup(Context& context, const std::string& group, Outcome& outcome) {
  MQ_ASSIGN(const std::vector<BrokerAddress> masters, AllMasters(context));
  Command command(RequestCode::kGetConsumeStats);
  command.Set("consumerGroup", group);
  const auto replies = context.admin.AskAll(AddressesOf(masters), command);
  std::vector<Place> places;
  for (size_t i = 0; i < masters.size(); ++i) {
    const auto stats = replies[i] ? protocol::DecodeConsumeStats(replies[i]->body) : replies[i].error();
    if (!stats) {
      outcome.Failed(masters[i].name, stats.error());
      continue;
    }
    outcome.Done();
    for (const auto& [queue, offset] : stats->offsets) places.push_back({queue, masters[i].address, 0, 0, {}, {}});
  }
  return places;
}

Command QueueCommand(RequestCode code, const Place& place) {
  Command command(code);
  command.Set("topic", place.queue.topic).Set("queueId", int64_t{place.queue.queue_id});
  return command;
}

// The questions about one queue, in the order in which TakeAnswers reads them.
void AppendQuestions(std::vector<Question>& questions, const std::string& group, const PlaceFilter& filter,
                     const Place& place) {
  questions.push_back({place.address, QueueCommand(RequestCode::kGetMinOffset, place)});
  questions.push_back({place.address, QueueCommand(RequestCode::kGetMaxOffset, place)});
  questions.push_back({place.address, QueueCommand(RequestCode::kQueryConsumerOffset, place)});
  questions.back().command.Set("consumerGroup", group).Set("setZeroIfNotFound", "false");
  if (!filter.time) return;
  questions.push_back({place.address, QueueCommand(RequestCode::kSearchOffsetByTimestamp, place)});
  // Brokers of 4.9 pass over the boundary and answer max - 1 for a time behind the last message.
  questions.back().command.Set("timestamp", *filter.time).Set("boundaryType", "lower");
}

Status TakeAnswers(Place& place, const std::vector<Result<Command>>& replies, size_t first, bool time) {
  MQ_ASSIGN(const auto min, OffsetIn(replies[first]));
  MQ_ASSIGN(const auto max, OffsetIn(replies[first + 1]));
  place.min = min.value_or(0);
  place.max = max.value_or(0);
  MQ_ASSIGN(place.offset, OffsetIn(replies[first + 2]));
  if (!time) return Ok();
  MQ_ASSIGN(place.at, OffsetIn(replies[first + 3]));
  return Ok();
}

}  // namespace

Result<std::optional<int64_t>> OffsetIn(const Result<Command>& reply) {
  if (!reply) return reply.error();
  if (reply->code == static_cast<int32_t>(protocol::ResponseCode::kQueryNotFound)) return std::optional<int64_t>();
  if (reply->code != 0) return remoting::ErrorOfReply(reply->code, reply->remark);
  MQ_ASSIGN(const int64_t offset, ParseInt64(reply->Find("offset").value_or("")));
  return offset < 0 ? std::optional<int64_t>() : std::optional(offset);
}

Result<std::vector<Place>> FindPlaces(Context& context, const std::string& group, const PlaceFilter& filter,
                                      Outcome& outcome) {
  context.admin.Begin(filter.topic.empty() ? 2 : 1);
  MQ_ASSIGN(std::vector<Place> places,
            filter.topic.empty() ? QueuesOfGroup(context, group, outcome) : QueuesOfTopic(context, filter.topic));
  std::erase_if(places, [&](const Place& place) {
    return (filter.queue && place.queue.queue_id != *filter.queue) ||
           (!filter.broker.empty() && place.queue.broker_name != filter.broker);
  });
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.queue < b.queue; });
  std::vector<Question> questions;
  for (const Place& place : places) AppendQuestions(questions, group, filter, place);
  const size_t each = filter.time ? 4 : 3;
  const auto replies = context.admin.AnswersTo(std::move(questions));
  std::map<std::string, Error> silent;  // by broker: one line for each
  std::vector<Place> known;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto taken = TakeAnswers(places[i], replies, i * each, filter.time.has_value());
    if (taken) {
      known.push_back(places[i]);
    } else {
      silent.emplace(places[i].queue.broker_name, taken.error());
    }
  }
  for (const auto& [broker, error] : silent) outcome.Failed(broker, error);
  if (!known.empty() || !outcome.failed()) outcome.Done();
  return known;
}

}  // namespace mq::admin
