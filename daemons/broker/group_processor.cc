#include "broker/group_processor.h"

#include "base/log.h"
#include "broker/late_reply.h"
#include "protocol/group_config.h"
#include "protocol/group_headers.h"
#include "protocol/limits.h"
#include "protocol/names.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

namespace {

Status Check(const protocol::SubscriptionGroupConfig& config) {
  MQ_TRY(protocol::CheckGroupName(config.name));
  const auto range = [](std::string_view what, int64_t value, int64_t low, int64_t high) -> Status {
    if (value >= low && value <= high) return Ok();
    return MakeError(ErrorCode::kInvalidArgument, std::string(what) + "=" + std::to_string(value) + " is not from " +
                                                      std::to_string(low) + " to " + std::to_string(high));
  };
  MQ_TRY(range("retryQueueNums", config.retry_queues, 0, Topics::kMaxQueues));
  MQ_TRY(range("retryMaxTimes", config.retry_max_times, -1, INT32_MAX));
  MQ_TRY(range("brokerId", config.broker_id, 0, INT32_MAX));
  return range("whichBrokerWhenConsumeSlowly", config.which_broker_when_slow, 0, INT32_MAX);
}

ConfigFile::Done AnswerWhenSaved(Channel& channel, const CommandView& request) {
  return [reply = LateReply(channel, request)](const Status& saved) { reply.SendSaved(saved); };
}

}  // namespace

void GroupProcessor::ProcessUpdate(Channel& channel, const CommandView& request) {
  auto config = protocol::DecodeGroupConfig(request.body);
  if (!config) return channel.Reply(request, ResponseCode::kSystemError, config.error().what);
  if (auto ok = Check(*config); !ok) return channel.Reply(request, ResponseCode::kSystemError, ok.error().what);
  log::Info("group.update")
      .Field("group", config->name)
      .Field("consume", config->consume_enable)
      .Field("broadcast", config->consume_broadcast_enable)
      .Field("retry_queues", config->retry_queues)
      .Field("retry_max_times", config->retry_max_times)
      .Field("client", channel.peer());
  core_.groups->Put(std::move(*config), AnswerWhenSaved(channel, request));
}

void GroupProcessor::ProcessAll(Channel& channel, const CommandView& request) {
  channel.ReplyBody(request, protocol::EncodeGroupConfigs(core_.groups->Snapshot()));
}

void GroupProcessor::ProcessDelete(Channel& channel, const CommandView& request) {
  const auto header = protocol::DeleteGroupRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  if (SubscriptionGroups::IsSystem(header->group)) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "The group[" + std::string(header->group) + "] is a system group and stays");
  }
  log::Info("group.delete")
      .Field("group", header->group)
      .Field("offsets", header->remove_offset ? "removed" : "kept")
      .Field("client", channel.peer());
  if (header->remove_offset) core_.offsets->RemoveGroup(header->group);
  core_.counters.RemoveGroup(header->group);
  const bool known = core_.groups->Remove(header->group, AnswerWhenSaved(channel, request));
  if (!known) channel.Reply(request, ResponseCode::kSuccess);
}

}  // namespace mq::broker
