#include "broker/group_offset_processor.h"

#include "base/log.h"
#include "broker/late_reply.h"
#include "protocol/group_headers.h"
#include "protocol/names.h"
#include "protocol/offset_bodies.h"
#include "protocol/pull_headers.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

bool GroupOffsetProcessor::StartsAtZero(std::string_view topic, int32_t queue_id) const {
  Queue* queue = core_.queues->Find(topic, queue_id);
  if (queue == nullptr) return true;
  const auto min = core_.MinOffset(*queue);
  if (!min || min->value() > 0) return false;
  if (core_.log->wrote() - core_.log_reader->min() <= core_.in_memory_bytes()) return true;
  const auto first = core_.PositionOf(*queue, store::QueueOffset(0));
  if (!first) return core_.QueueFilesAreChecked();
  return core_.log->wrote() - *first <= core_.in_memory_bytes();
}

void GroupOffsetProcessor::ProcessQuery(Channel& channel, const CommandView& request) {
  const auto header = protocol::QueryConsumerOffsetRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  std::optional<int64_t> offset = core_.offsets->Find(header->group, header->topic, header->queue_id);
  if (!offset && header->zero_if_not_found && StartsAtZero(header->topic, header->queue_id)) offset = 0;
  if (!offset) {
    return channel.Reply(request, ResponseCode::kQueryNotFound,
                         "Not found, group " + std::string(header->group) + " has no offset in queue " +
                             std::to_string(header->queue_id) + " of topic " + std::string(header->topic));
  }
  protocol::OffsetResponseHeader reply;
  reply.offset = store::QueueOffset(*offset);
  channel.Reply(request, ResponseCode::kSuccess, reply, {});
}

void GroupOffsetProcessor::ProcessUpdate(Channel& channel, const CommandView& request) {
  const auto refuse = [&](std::string_view text) { channel.Reply(request, ResponseCode::kSystemError, text); };
  const auto header = protocol::UpdateConsumerOffsetRequestHeader::Decode(request);
  if (!header) return refuse(header.error().what);
  if (auto ok = protocol::CheckGroupName(header->group); !ok) return refuse(ok.error().what);
  if (auto ok = protocol::CheckTopicName(header->topic); !ok) return refuse(ok.error().what);
  if (header->queue_id < 0) return refuse("queueId " + std::to_string(header->queue_id) + " is negative");
  if (header->offset < -1) {
    return refuse("commitOffset " + std::to_string(header->offset) + " is neither an offset nor -1 for none");
  }
  if (request.is_oneway()) {
    core_.offsets->Advance(header->group, header->topic, header->queue_id, header->offset);
    return;
  }
  const auto old = core_.offsets->Find(header->group, header->topic, header->queue_id);
  core_.offsets->Set(header->group, header->topic, header->queue_id, header->offset);
  if (old && header->offset < *old) {
    log::Info("offset.update", "moved back")
        .Field("group", header->group)
        .Field("topic", header->topic)
        .Field("queue", header->queue_id)
        .Field("old", *old)
        .Field("new", header->offset)
        .Field("client", channel.peer());
  }
  channel.Reply(request, ResponseCode::kSuccess);
}

void GroupOffsetProcessor::ProcessAll(Channel& channel, const CommandView& request) {
  channel.ReplyBody(request, protocol::EncodeConsumerOffsets(core_.offsets->table()));
}

void GroupOffsetProcessor::ProcessClone(Channel& channel, const CommandView& request) {
  const auto refuse = [&](std::string_view text) { channel.Reply(request, ResponseCode::kSystemError, text); };
  const auto header = protocol::CloneGroupOffsetRequestHeader::Decode(request);
  if (!header) return refuse(header.error().what);
  if (auto ok = protocol::CheckGroupName(header->destination); !ok) return refuse(ok.error().what);
  std::vector<std::string> topics;
  if (header->topic.empty()) {
    topics = core_.offsets->TopicsOf(header->source);
  } else {
    topics.emplace_back(header->topic);
  }
  const ConsumerGroup* online = header->offline ? nullptr : clients_.FindConsumers(header->destination);
  for (const std::string& topic : topics) {
    if (core_.topics->Find(topic) == nullptr) continue;
    // A group that is online only takes over what it consumes.
    if (online != nullptr && !online->subscriptions.empty() && !online->subscriptions.contains(topic)) continue;
    core_.offsets->Clone(topic, header->source, header->destination);
  }
  log::Info("offset.clone")
      .Field("from", header->source)
      .Field("to", header->destination)
      .Field("topic", header->topic)
      .Field("client", channel.peer());
  core_.offsets->SaveAll([reply = LateReply(channel, request)](const Status& saved) { reply.SendSaved(saved); });
}

}  // namespace mq::broker
