// What a broker asks of a member: members have changed (40), go to these offsets (220), where are you (221), what are
// you doing (307).
#include <algorithm>

#include "base/strings.h"
#include "client/group_consumer_impl.h"
#include "protocol/group_headers.h"
#include "protocol/offset_bodies.h"
#include "protocol/running_info.h"

namespace mq::client {

using protocol::CommandView;
using protocol::RequestCode;
using protocol::ResponseCode;
using remoting::Channel;

std::shared_ptr<const remoting::ProcessorTable> GroupConsumer::Impl::Callbacks() {
  auto table = std::make_shared<remoting::ProcessorTable>();
  table->Register(RequestCode::kNotifyConsumerIdsChanged, [this](Channel& /*channel*/, const CommandView& request) {
    const auto header = protocol::ConsumerGroupRequestHeader::Decode(request);
    if (header && header->group == options_.group) Wake(false);
  });
  table->Register(RequestCode::kResetConsumerClientOffset,
                  [this](Channel& /*channel*/, const CommandView& request) { OnReset(request); });
  table->Register(RequestCode::kGetConsumerStatusFromClient,
                  [this](Channel& channel, const CommandView& request) { OnStatusQuestion(channel, request); });
  table->Register(RequestCode::kGetConsumerRunningInfo,
                  [this](Channel& channel, const CommandView& request) { OnRunningInfo(channel, request); });
  table->SetDefault(remoting::AnswerNotSupported);
  return table;
}

protocol::MessageQueue GroupConsumer::Impl::ForWire(const MessageQueue& queue) const {
  return {queue.topic, queue.broker_name, queue.queue_id};
}

void GroupConsumer::Impl::OnReset(const CommandView& request) {
  const auto header = protocol::ResetOffsetRequestHeader::Decode(request);
  if (!header || header->group != options_.group || stopped_) return;
  const auto targets = protocol::DecodeResetOffset(request.body);
  if (!targets) return Note("reset of the group: " + targets.error().what, true);
  for (auto& [queue, owned] : owned_) {
    if (owned.phase != Phase::kReading || queue.topic != header->topic) continue;
    auto target = targets->find(ForWire(queue));
    // With a single broker given, its address stands for its name (routes.h).
    if (target == targets->end() && !options_.pull.broker.empty()) {
      target = std::find_if(targets->begin(), targets->end(), [&queue = queue](const auto& entry) {
        return entry.first.topic == queue.topic && entry.first.queue_id == queue.queue_id;
      });
    }
    if (target == targets->end()) continue;
    pull_->Stop(queue);
    owned.delivered = owned.done = target->second;
    owned.committed = -1;
    // Two-way, because it may be lower than what is stored.
    Commit(queue, owned, true);
    Note(Name(queue) + ": reset to offset " + std::to_string(target->second), true);
    Read(queue, owned);
  }
}

void GroupConsumer::Impl::OnStatusQuestion(Channel& channel, const CommandView& request) {
  const auto header = protocol::ConsumerStatusRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  protocol::GetConsumerStatusBody body;
  for (const auto& [queue, owned] : owned_) {
    if (queue.topic == header->topic && owned.done >= 0) body.queues[ForWire(queue)] = owned.done;
  }
  channel.ReplyBody(request, protocol::EncodeConsumerStatus(body));
}

void GroupConsumer::Impl::OnRunningInfo(Channel& channel, const CommandView& request) {
  const auto header = protocol::RunningInfoRequestHeader::Decode(request);
  if (!header || header->group != options_.group) {
    return channel.Reply(request, ResponseCode::kSystemError, "this client is no member of that group");
  }
  protocol::ConsumerRunningInfo info;
  info.properties["PROP_NAMESERVER_ADDR"] = JoinStrings(options_.pull.name_servers, ";");
  info.properties["PROP_CONSUME_TYPE"] = "CONSUME_PASSIVELY";
  info.properties["PROP_CONSUMEORDERLY"] = "false";
  info.properties["PROP_CLIENT_VERSION"] = "V4_9_8";
  info.properties["PROP_CONSUMER_START_TIMESTAMP"] = std::to_string(started_ms_);
  info.subscriptions = subscriptions_;
  for (const auto& [queue, owned] : owned_) {
    protocol::ProcessQueueInfo& one = info.queues[ForWire(queue)];
    one.commit_offset = owned.done;
    one.cached_min_offset = owned.done;
    one.cached_max_offset = owned.delivered > owned.done ? owned.delivered - 1 : owned.done;
    one.cached_count = static_cast<int32_t>(owned.delivered - owned.done);
    one.dropped = owned.phase == Phase::kReleasing;
  }
  channel.ReplyBody(request, protocol::EncodeRunningInfo(info));
}

}  // namespace mq::client
