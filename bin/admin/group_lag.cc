// mq-admin group lag|status: how far groups are in each queue, and what was removed above their committed offsets. What
// a member has printed and not committed yet nobody else knows: none of it needs to be lost.
#include <algorithm>
#include <map>
#include <optional>

#include "admin/group_config.h"
#include "admin/offset_places.h"
#include "protocol/consume_stats.h"
#include "protocol/names.h"

namespace mq::admin {
namespace {

using client::BrokerAddress;
using client::Question;
using protocol::Command;
using protocol::RequestCode;

// Where a group stands in one queue.
struct Stand {
  std::string group;
  const BrokerAddress* master;
  protocol::MessageQueue queue;
  protocol::OffsetWrapper at;
  // Messages behind its offset that the queue no longer holds; nothing: the broker does not say.
  std::optional<int64_t> lost = 0;

  // Below zero: the stored offset is beyond the end, which is no "everything is read".
  int64_t lag() const { return at.broker_offset - at.consumer_offset; }
};

// Every group's progress at every master that knows groups.
std::vector<Stand> AskProgress(Context& context, const std::vector<BrokerAddress>& masters,
                               const std::vector<GroupsOnBroker>& known, const std::vector<std::string>& groups,
                               Outcome& outcome) {
  const std::string& topic = context.settings.String("topic");
  std::vector<Stand> asked;
  std::vector<Question> questions;
  for (const std::string& group : groups) {
    for (size_t i = 0; i < masters.size(); ++i) {
      if (!known[i]) continue;
      Command command(RequestCode::kGetConsumeStats);
      command.Set("consumerGroup", group);
      if (!topic.empty()) command.Set("topic", topic);
      asked.push_back({group, &masters[i], {}, {}});
      questions.push_back({masters[i].address, std::move(command)});
    }
  }
  const auto replies = context.admin.AskEach(std::move(questions));
  std::vector<Stand> stands;
  for (size_t i = 0; i < replies.size(); ++i) {
    const auto stats = replies[i] ? protocol::DecodeConsumeStats(replies[i]->body) : replies[i].error();
    if (!stats) {
      outcome.Failed(asked[i].master->name, stats.error());
      continue;
    }
    for (const auto& [queue, at] : stats->offsets) stands.push_back({asked[i].group, asked[i].master, queue, at});
  }
  return stands;
}

using PlaceKey = std::pair<const BrokerAddress*, std::string>;  // a topic at a master

// The smallest offsets of the topics in question, each asked for once.
std::map<PlaceKey, std::optional<protocol::TopicStatsTable>> AskMinimums(Context& context,
                                                                         const std::vector<Stand>& stands) {
  std::map<PlaceKey, std::optional<protocol::TopicStatsTable>> tables;
  for (const Stand& stand : stands) tables[{stand.master, stand.queue.topic}];
  std::vector<Question> questions;
  for (const auto& [key, table] : tables) {
    Command command(RequestCode::kGetTopicStatsInfo);
    command.Set("topic", key.second);
    questions.push_back({key.first->address, std::move(command)});
  }
  const auto replies = context.admin.AskEach(std::move(questions));
  size_t i = 0;
  for (auto& [key, table] : tables) {
    const auto& reply = replies[i++];
    auto stats = reply ? protocol::DecodeTopicStats(reply->body) : reply.error();
    if (stats) table = std::move(*stats);
  }
  return tables;
}

// A group that stands at a queue's first message may have been before it: a broker of ours counts progress from there,
// so the stored offset itself is asked for.
void FindLost(Context& context, std::vector<Stand>& stands) {
  const auto minimums = AskMinimums(context, stands);
  std::vector<std::pair<Stand*, int64_t>> suspects;
  std::vector<Question> questions;
  for (Stand& stand : stands) {
    const auto& table = minimums.at({stand.master, stand.queue.topic});
    if (!table) {
      stand.lost.reset();
      continue;
    }
    const auto found = table->find(stand.queue);
    const int64_t min = found == table->end() ? 0 : found->second.min_offset;
    if (min == 0 || stand.at.consumer_offset > min) continue;
    Command command(RequestCode::kQueryConsumerOffset);
    command.Set("consumerGroup", stand.group).Set("topic", stand.queue.topic);
    command.Set("queueId", int64_t{stand.queue.queue_id}).Set("setZeroIfNotFound", "false");
    suspects.emplace_back(&stand, min);
    questions.push_back({stand.master->address, std::move(command)});
  }
  const auto replies = context.admin.AnswersTo(std::move(questions));
  for (size_t i = 0; i < suspects.size(); ++i) {
    const auto stored = OffsetIn(replies[i]);
    auto& [stand, min] = suspects[i];
    // Without a stored offset it has never begun there.
    stand->lost = stored ? std::optional(std::max<int64_t>(min - stored->value_or(min), 0)) : std::nullopt;
  }
}

void NoteOffsetsBeyond(const Context& context, const std::vector<Stand>& stands) {
  std::map<std::string, int> beyond;
  for (const Stand& stand : stands) {
    if (stand.lag() < 0) ++beyond[stand.group + " on topic " + stand.queue.topic + " at " + stand.queue.broker_name];
  }
  for (const auto& [where, queues] : beyond) {
    context.Notice("group " + where + ": stored offsets of " + std::to_string(queues) +
                   " queues are beyond the end; set them with mq-admin offset reset");
  }
}

std::string StateOf(const Stand& stand) {
  if (!stand.lost) return "what was removed is not known";
  if (*stand.lost > 0) return std::to_string(*stand.lost) + " removed above the committed offset";
  if (stand.lag() < 0) return "beyond the end";
  return stand.lag() == 0 ? "all read" : "behind";
}

Cell LostCell(const Stand& stand) { return stand.lost ? Cell(*stand.lost) : Cell::Unknown(); }

// What both commands begin with: the groups' stands, of one group or of all of them.
struct Progress {
  std::vector<BrokerAddress> masters;
  std::vector<std::string> names;
  std::vector<Stand> stands;
  bool named = false;  // one group was asked for

  bool unknown(const Context& context) const {
    return named && !std::binary_search(names.begin(), names.end(), context.operand());
  }
};

Status FindProgress(Context& context, Outcome& outcome, Progress& progress) {
  context.admin.Begin(4);
  MQ_ASSIGN(progress.masters, AllMasters(context));
  const auto groups = GroupsOn(context, progress.masters);
  progress.names = NamesOf(progress.masters, groups, outcome);
  progress.named = !context.settings.operands().empty();
  if (progress.named) MQ_TRY(protocol::CheckGroupName(context.operand()));
  const std::string& topic = context.settings.String("topic");
  if (!topic.empty()) MQ_TRY(protocol::CheckTopicName(topic));
  const auto wanted = progress.named ? std::vector<std::string>{context.operand()} : progress.names;
  progress.stands = AskProgress(context, progress.masters, groups, wanted, outcome);
  FindLost(context, progress.stands);
  return Ok();
}

}  // namespace

Result<int> GroupLag(Context& context) {
  Outcome outcome(context, "broker");
  Progress progress;
  MQ_TRY(FindProgress(context, outcome, progress));
  Table table = context.Listing();
  int64_t total = 0;
  for (const Stand& stand : progress.stands) {
    total += std::max<int64_t>(stand.lag(), 0);
    table.Add({stand.group, stand.queue.topic, stand.queue.broker_name, stand.queue.queue_id, stand.at.broker_offset,
               stand.at.consumer_offset, stand.lag(), Cell::Time(stand.at.last_timestamp), LostCell(stand)});
  }
  if (table.empty() && progress.unknown(context) && !outcome.failed()) {
    return NoSuchGroup(context.operand(), progress.names);
  }
  MQ_ASSIGN(const int status, outcome.Finish(table));
  NoteOffsetsBeyond(context, progress.stands);
  if (!context.settings.Given("max") || total <= context.settings.Int("max")) return status;
  context.Notice("lag is " + std::to_string(total) + ", above " + context.settings.String("max"));
  return kNo;
}

Result<int> GroupStatus(Context& context) {
  Outcome outcome(context, "broker");
  Progress progress;
  MQ_TRY(FindProgress(context, outcome, progress));
  Table table = context.Listing();
  for (const Stand& stand : progress.stands) {
    table.Add({stand.queue.topic, stand.queue.broker_name, stand.queue.queue_id, stand.at.consumer_offset, stand.lag(),
               StateOf(stand)});
  }
  if (table.empty() && progress.unknown(context) && !outcome.failed()) {
    return NoSuchGroup(context.operand(), progress.names);
  }
  return outcome.Finish(table);
}

}  // namespace mq::admin
