// Before a topic loses read queues: which messages nobody could read any more.
#include <algorithm>
#include <map>
#include <set>

#include "admin/topic_config.h"
#include "base/strings.h"
#include "protocol/consume_stats.h"
#include "protocol/lists.h"

namespace mq::admin {
namespace {

using client::Question;
using protocol::Command;
using protocol::RequestCode;

// What the queues from `first` on hold that a group has not read, by group; under "" what they hold when no group reads
// the topic at all.
Result<std::map<std::string, int64_t>> Unread(Context& context, const TopicChange& change) {
  context.admin.Begin(2);
  const std::string& address = change.broker.address;
  const std::string& topic = change.wanted.name;
  const auto hidden = [&](const protocol::MessageQueue& queue) {
    return queue.topic == topic && queue.queue_id >= change.wanted.read_queues;
  };
  Command stats(RequestCode::kGetTopicStatsInfo);
  stats.Set("topic", topic);
  Command who(RequestCode::kQueryTopicConsumeByWho);
  who.Set("topic", topic);
  auto replies = context.admin.AskEach({{address, std::move(stats)}, {address, std::move(who)}});
  for (const auto& reply : replies) {
    if (!reply) return reply.error();
  }
  MQ_ASSIGN(const protocol::TopicStatsTable table, protocol::DecodeTopicStats(replies[0]->body));
  MQ_ASSIGN(const std::vector<std::string> groups, protocol::DecodeGroupList(replies[1]->body));
  int64_t held = 0;
  for (const auto& [queue, offset] : table) held += hidden(queue) ? offset.max_offset - offset.min_offset : 0;
  std::map<std::string, int64_t> unread;
  if (held == 0) return unread;
  if (groups.empty()) unread[""] = held;
  std::vector<Question> questions;
  for (const std::string& group : groups) {
    Command command(RequestCode::kGetConsumeStats);
    command.Set("consumerGroup", group).Set("topic", topic);
    questions.push_back({address, std::move(command)});
  }
  const auto answers = context.admin.AskEach(std::move(questions));
  for (size_t i = 0; i < groups.size(); ++i) {
    if (!answers[i]) return answers[i].error();
    MQ_ASSIGN(const protocol::ConsumeStats progress, protocol::DecodeConsumeStats(answers[i]->body));
    int64_t lag = 0;
    for (const auto& [queue, offset] : progress.offsets) {
      if (hidden(queue)) lag += std::max<int64_t>(offset.broker_offset - offset.consumer_offset, 0);
    }
    if (lag > 0) unread[groups[i]] = lag;
  }
  return unread;
}

}  // namespace

Status CheckNothingHidden(Context& context, const std::vector<TopicChange>& changes) {
  if (context.settings.Bool("force")) return Ok();
  std::map<std::string, int64_t> unread;
  for (const TopicChange& change : changes) {
    if (change.wanted.write_queues > change.wanted.read_queues) {
      return MakeError(ErrorCode::kConfig, "messages in queues " + std::to_string(change.wanted.read_queues) + " to " +
                                               std::to_string(change.wanted.write_queues - 1) +
                                               " would be written and never read")
          .WithHint("give at least as many --read-queues as --write-queues, or say --force");
    }
    if (change.wanted.read_queues >= change.old.read_queues) continue;
    auto on_broker = Unread(context, change);
    if (!on_broker) {
      Error error = std::move(on_broker).WithContext("cannot tell what fewer read queues would hide").error();
      error.hint = "--force takes them away without looking";
      return error;
    }
    for (const auto& [group, count] : *on_broker) unread[group] += count;
  }
  if (unread.empty()) return Ok();
  std::vector<std::string> parts;
  for (const auto& [group, count] : unread) {
    parts.push_back(std::to_string(count) + (group.empty() ? " that no group reads" : " unread by group " + group));
  }
  return MakeError(ErrorCode::kConfig, "fewer read queues would hide messages: " + JoinStrings(parts, ", "))
      .WithHint("reduce --write-queues first, --read-queues when all is read; --force does it at once");
}

}  // namespace mq::admin
