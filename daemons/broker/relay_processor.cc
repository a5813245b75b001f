#include "broker/relay_processor.h"

#include <memory>

#include "base/log.h"
#include "broker/late_reply.h"
#include "protocol/codes.h"
#include "protocol/group_headers.h"
#include "protocol/offset_bodies.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::CallOutcome;
using remoting::CallResult;
using remoting::Channel;

void RelayProcessor::ProcessRunningInfo(Channel& channel, const CommandView& request) const {
  const auto header = protocol::RunningInfoRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const std::string name = "<" + std::string(header->group) + "> <" + std::string(header->client_id) + ">";
  const ConsumerGroup* group = clients_.FindConsumers(header->group);
  const Member* member = nullptr;
  if (group != nullptr) {
    for (const auto& [id, candidate] : group->members) {
      if (candidate.client_id == header->client_id) member = &candidate;
    }
  }
  const auto consumer = member == nullptr ? nullptr : member->channel.lock();
  if (!consumer) {
    return channel.Reply(request, ResponseCode::kSystemError, "The Consumer " + name + " not online");
  }
  if (member->version < protocol::kVersionRunningInfo) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "The Consumer " + name + " Version <" + std::to_string(member->version) +
                             "> too low to finish, please upgrade it to V3_1_8_SNAPSHOT");
  }
  protocol::Command question(protocol::RequestCode::kGetConsumerRunningInfo);
  question.type = consumer->preferred_type();
  for (const auto& [key, value] : request.ext) question.Set(std::string(key), std::string(value));
  consumer->Call(question, kRunningInfoMs, [reply = LateReply(channel, request), name](const CallResult& result) {
    switch (result.outcome) {
      case CallOutcome::kReply:
        return reply.Send(static_cast<ResponseCode>(result.reply->code), result.reply->remark, result.reply->body);
      case CallOutcome::kTimeout:
        return reply.Send(ResponseCode::kConsumeMsgTimeout,
                          "consumer " + name + " Timeout: " + std::string(result.error));
      default:
        return reply.Send(ResponseCode::kSystemError, "consumer " + name + ": " + std::string(result.error));
    }
  });
}

void RelayProcessor::ProcessStatus(Channel& channel, const CommandView& request) const {
  const auto header = protocol::ConsumerStatusRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const ConsumerGroup* group = clients_.FindConsumers(header->group);
  if (group == nullptr) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "No Any Consumer online in the consumer group: [" + std::string(header->group) + "]");
  }
  // The answer goes out with the last reference: when every member has answered, or cannot any more.
  struct Answer {
    explicit Answer(LateReply late) : reply(std::move(late)) {}
    ~Answer() { reply.Send(ResponseCode::kSuccess, {}, protocol::EncodeConsumerStatus(status)); }
    LateReply reply;
    protocol::GetConsumerStatusBody status;
  };
  for (const auto& [id, member] : group->members) {
    if (member.version >= protocol::kVersionResetOffset) continue;
    return channel.Reply(request, ResponseCode::kSystemError,
                         "the client does not support this feature. version=" + std::to_string(member.version));
  }
  const auto answer = std::make_shared<Answer>(LateReply(channel, request));
  const Members members = group->members;
  for (const auto& [id, member] : members) {
    if (!header->client_id.empty() && member.client_id != header->client_id) continue;
    const auto consumer = member.channel.lock();
    if (!consumer) continue;
    protocol::Command question(protocol::RequestCode::kGetConsumerStatusFromClient);
    question.type = consumer->preferred_type();
    question.Set("group", std::string(header->group)).Set("topic", std::string(header->topic));
    consumer->Call(question, kStatusMs, [answer, client = member.client_id](const CallResult& result) {
      if (!result.ok()) {
        log::Info("relay.status", "no answer").Field("client", client).Field("error", result.ToError());
        return;
      }
      auto status = protocol::DecodeConsumerStatus(result.reply->body);
      if (status) answer->status.clients[client] = std::move(status->queues);
    });
  }
}

}  // namespace mq::broker
