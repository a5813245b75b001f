#include "broker/reset_processor.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "broker/late_reply.h"
#include "protocol/codes.h"
#include "protocol/group_headers.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

struct ResetProcessor::Wish {
  std::string_view topic;
  std::string_view group;
  int64_t timestamp;  // -1: the end
  bool force;
};

Result<protocol::ResetOffsetBody> ResetProcessor::Targets(const Wish& wish, const Topic& topic) {
  protocol::ResetOffsetBody targets;
  const int32_t queues = std::max(topic.config.read_queues, topic.config.write_queues);
  for (int32_t id = 0; id < queues; ++id) {
    int64_t target = 0;
    if (Queue* queue = core_.queues->Find(wish.topic, id)) {
      target = queue->visible_max.value();
      if (wish.timestamp != -1) {
        MQ_ASSIGN(const auto found, queues_.OffsetAt(*queue, wish.timestamp));
        const auto min = core_.MinOffset(*queue);
        if (!min) return MakeError(ErrorCode::kBusy, Core::MinUnknown(*queue));
        target = std::clamp(found.value(), min->value(), target);
      }
    }
    // Without force a group only goes back, never past what it has not consumed.
    const auto stored = core_.offsets->Find(wish.group, wish.topic, id);
    if (!wish.force && stored) target = std::min(target, *stored);
    targets.emplace(protocol::MessageQueue{topic.config.name, core_.options.broker_name, id}, target);
  }
  return targets;
}

void ResetProcessor::TellMembers(const Wish& wish, const ConsumerGroup& group,
                                 const protocol::ResetOffsetBody& targets) {
  protocol::Command notice(protocol::RequestCode::kResetConsumerClientOffset);
  notice.Set("group", std::string(wish.group));
  notice.Set("isForce", "false");
  notice.Set("timestamp", wish.timestamp);
  notice.Set("topic", std::string(wish.topic));
  // A copy: output that finds its connection broken changes the table.
  const Members members = group.members;
  for (const auto& [id, member] : members) {
    const auto channel = member.channel.lock();
    if (!channel) continue;
    const bool list = member.language == protocol::LanguageName(static_cast<int>(protocol::LanguageCode::kCpp));
    notice.body = protocol::EncodeResetOffset(targets, list ? protocol::ResetForm::kList : protocol::ResetForm::kMap);
    notice.type = channel->preferred_type();
    channel->SendOneway(notice);
  }
}

void ResetProcessor::ProcessReset(Channel& channel, const CommandView& request) {
  const auto refuse = [&](ResponseCode code, const std::string& text) { channel.Reply(request, code, text); };
  const auto header = protocol::ResetOffsetRequestHeader::Decode(request);
  if (!header) return refuse(ResponseCode::kSystemError, header.error().what);
  const Wish wish{header->topic, header->group, header->timestamp, header->force};
  const Topic* topic = core_.topics->Find(wish.topic);
  if (topic == nullptr) {
    return refuse(ResponseCode::kSystemError,
                  "[reset-offset] reset offset failed, no topic in this broker. topic=" + std::string(wish.topic));
  }
  const ConsumerGroup* group = clients_.FindConsumers(wish.group);
  if (group == nullptr) {
    if (core_.groups->Find(wish.group) == nullptr && core_.offsets->TopicsOf(wish.group).empty()) {
      return refuse(ResponseCode::kSystemError, "THe consumer group <" + std::string(wish.group) + "> not exist");
    }
    return refuse(ResponseCode::kConsumerNotOnline,
                  "Consumer not online, so can not reset offset, Group: " + std::string(wish.group) +
                      " Topic: " + std::string(wish.topic) + " Timestamp: " + std::to_string(wish.timestamp));
  }
  for (const auto& [id, member] : group->members) {
    if (member.version >= protocol::kVersionResetOffset) continue;
    return refuse(
        ResponseCode::kSystemError,
        "the client " + member.client_id + " does not support this feature. version=" + std::to_string(member.version));
  }
  const auto targets = Targets(wish, *topic);
  if (!targets) return refuse(OffsetProcessor::CodeOf(targets.error()), targets.error().what);
  log::Info("offset.reset")
      .Field("group", wish.group)
      .Field("topic", wish.topic)
      .Field("timestamp", wish.timestamp)
      .Field("force", wish.force)
      .Field("members", static_cast<uint64_t>(group->members.size()))
      .Field("client", channel.peer());
  if (group->message_model == protocol::MessageModel::kClustering) {
    const int64_t now = MonotonicMs();
    for (const auto& [queue, offset] : *targets) {
      core_.offsets->BeginReset(wish.group, wish.topic, queue.queue_id, offset, now);
      // Kept here too: a queue that is between two owners is reset as well.
      core_.offsets->Set(wish.group, wish.topic, queue.queue_id, offset);
    }
  }
  TellMembers(wish, *group, *targets);
  core_.offsets->SaveAll(
      [reply = LateReply(channel, request), body = protocol::EncodeResetOffset(*targets, protocol::ResetForm::kMap)](
          const Status& saved) { reply.SendSaved(saved, body); });
}

}  // namespace mq::broker
