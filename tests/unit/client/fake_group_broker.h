// A broker of a test's own with what groups need: queues, members by connection with notifications, stored offsets, and
// pulls that wait for messages. It keeps to RocketMQ's answers; a test sees what was asked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "loop/loop.h"
#include "protocol/connections.h"
#include "protocol/group_headers.h"
#include "protocol/heartbeat.h"
#include "protocol/lists.h"
#include "protocol/message.h"
#include "protocol/pull_headers.h"
#include "remoting/server.h"

namespace mq::client {

struct FakeGroupBroker {
  using Place = std::pair<std::string, int32_t>;  // topic, queue
  struct Message {
    std::string body;
    std::string properties;
  };
  struct Member {
    std::weak_ptr<remoting::Channel> channel;
    uint64_t channel_id = 0;
    protocol::HeartbeatData data;
  };
  struct Held {
    std::weak_ptr<remoting::Channel> channel;
    int32_t opaque = 0;
    protocol::SerializeType type = protocol::SerializeType::kJson;
    Place place;
    int64_t offset = 0;
  };
  enum class How { kOneway, kTwoWay, kPull };
  struct Commit {
    Place place;
    int64_t offset = 0;
    How how = How::kOneway;
  };

  FakeGroupBroker(loop::Loop& loop, std::string broker_name, const std::string& at = "127.0.0.1:0")
      : name(std::move(broker_name)), server(loop) {
    auto table = std::make_shared<remoting::ProcessorTable>();
    const auto on = [&](protocol::RequestCode code,
                        void (FakeGroupBroker::*method)(remoting::Channel&, const protocol::CommandView&)) {
      table->Register(code, [this, method](remoting::Channel& channel, const protocol::CommandView& request) {
        if (!frozen) (this->*method)(channel, request);
      });
    };
    on(protocol::RequestCode::kHeartBeat, &FakeGroupBroker::OnHeartbeat);
    on(protocol::RequestCode::kUnregisterClient, &FakeGroupBroker::OnUnregister);
    on(protocol::RequestCode::kGetConsumerListByGroup, &FakeGroupBroker::OnIds);
    on(protocol::RequestCode::kGetConsumerConnectionList, &FakeGroupBroker::OnConnections);
    on(protocol::RequestCode::kQueryConsumerOffset, &FakeGroupBroker::OnQueryOffset);
    on(protocol::RequestCode::kUpdateConsumerOffset, &FakeGroupBroker::OnUpdateOffset);
    on(protocol::RequestCode::kGetMaxOffset, &FakeGroupBroker::OnMaxOffset);
    on(protocol::RequestCode::kGetMinOffset, &FakeGroupBroker::OnMinOffset);
    on(protocol::RequestCode::kSearchOffsetByTimestamp, &FakeGroupBroker::OnSearch);
    on(protocol::RequestCode::kPullMessage, &FakeGroupBroker::OnPull);
    table->SetDefault(remoting::AnswerNotSupported);
    server.SetOnClosed([this](remoting::Channel& channel) { Remove(channel.id()); });
    const auto bound = server.Listen(*loop::Address::Parse(at), table);
    EXPECT_TRUE(bound) << bound.error().what;
    address = bound->ToString();
  }

  ~FakeGroupBroker() { server.SetOnClosed({}); }

  void Push(const std::string& topic, int32_t queue, std::string body, std::string properties = {}) {
    queues[{topic, queue}].push_back({std::move(body), std::move(properties)});
    std::vector<Held> waiting;
    waiting.swap(held);
    for (Held& one : waiting) {
      const auto channel = one.channel.lock();
      if (!channel) continue;
      if (one.place != Place{topic, queue}) {
        held.push_back(one);
        continue;
      }
      protocol::CommandHead head;
      head.type = one.type;
      head.opaque = one.opaque;
      head.flag = protocol::kFlagResponse;
      AnswerPull(*channel, head, one.place, one.offset);
    }
  }

  // Ids in the order of their joining.
  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    for (const Member& member : members) ids.push_back(member.data.client_id);
    return ids;
  }
  int64_t Stored(const std::string& topic, int32_t queue) const {
    const auto found = offsets.find({topic, queue});
    return found == offsets.end() ? -1 : found->second;
  }

  void Notify() {
    if (!notify) return;
    for (const Member& member : members) {
      if (const auto channel = member.channel.lock()) {
        protocol::Command command(protocol::RequestCode::kNotifyConsumerIdsChanged);
        command.Set("consumerGroup", "G");
        channel->SendOneway(command);
      }
    }
  }
  void Remove(uint64_t channel_id) {
    if (std::erase_if(members, [&](const Member& member) { return member.channel_id == channel_id; }) > 0) Notify();
  }

  void OnHeartbeat(remoting::Channel& channel, const protocol::CommandView& request) {
    const auto data = protocol::DecodeHeartbeat(request.body);
    ASSERT_TRUE(data);
    ++heartbeats;
    for (const auto& subscription : data->consumers.front().subscriptions) {
      subscriptions[subscription.topic] = subscription;
    }
    channel.Reply(request, protocol::ResponseCode::kSuccess);
    for (Member& member : members) {
      if (member.channel_id == channel.id()) return;
    }
    members.push_back({channel.weak_from_this(), channel.id(), *data});
    Notify();
  }
  void OnUnregister(remoting::Channel& channel, const protocol::CommandView& request) {
    ++unregistered;
    channel.Reply(request, protocol::ResponseCode::kSuccess);
    Remove(channel.id());
  }
  void OnIds(remoting::Channel& channel, const protocol::CommandView& request) {
    ++id_questions;
    if (members.empty()) return channel.Reply(request, protocol::ResponseCode::kSystemError, "no consumer");
    channel.ReplyBody(request, protocol::EncodeConsumerIds(Ids()));
  }
  void OnConnections(remoting::Channel& channel, const protocol::CommandView& request) {
    if (members.empty()) return channel.Reply(request, protocol::ResponseCode::kConsumerNotOnline);
    protocol::ConsumerConnection connection;
    connection.subscriptions = subscriptions;
    channel.ReplyBody(request, protocol::EncodeConsumerConnection(connection));
  }
  void OnQueryOffset(remoting::Channel& channel, const protocol::CommandView& request) {
    const auto header = protocol::QueryConsumerOffsetRequestHeader::Decode(request);
    ASSERT_TRUE(header);
    EXPECT_FALSE(header->zero_if_not_found);
    const int64_t offset = Stored(std::string(header->topic), header->queue_id);
    if (offset < 0) return channel.Reply(request, protocol::ResponseCode::kQueryNotFound);
    channel.Reply(request, protocol::ResponseCode::kSuccess,
                  protocol::OffsetResponseHeader{protocol::QueueOffset(offset)}, {});
  }
  void OnUpdateOffset(remoting::Channel& channel, const protocol::CommandView& request) {
    const auto header = protocol::UpdateConsumerOffsetRequestHeader::Decode(request);
    ASSERT_TRUE(header);
    const How how = request.is_oneway() ? How::kOneway : How::kTwoWay;
    Store({std::string(header->topic), header->queue_id}, header->offset, how);
    channel.Reply(request, protocol::ResponseCode::kSuccess);
  }
  void Store(Place place, int64_t offset, How how) {
    commits.push_back({place, offset, how});
    int64_t& stored = offsets.try_emplace(place, -1).first->second;
    if (how == How::kTwoWay || offset > stored) stored = offset;
  }
  void OnMaxOffset(remoting::Channel& channel, const protocol::CommandView& request) {
    ReplyOffset(channel, request, static_cast<int64_t>(QueueOf(request).size()));
  }
  void OnMinOffset(remoting::Channel& channel, const protocol::CommandView& request) {
    ReplyOffset(channel, request, 0);
  }
  void OnSearch(remoting::Channel& channel, const protocol::CommandView& request) {
    if (unanswered_searches > 0) return static_cast<void>(--unanswered_searches);
    if (busy_searches > 0) {
      --busy_searches;
      return channel.Reply(request, protocol::ResponseCode::kSystemBusy, "mq-reputd has not looked at the queues yet");
    }
    ReplyOffset(channel, request, 2);
  }
  const std::vector<Message>& QueueOf(const protocol::CommandView& request) {
    const auto id = ParseInt64(request.Find("queueId").value_or("0"));
    return queues[{std::string(request.Find("topic").value_or("")), static_cast<int32_t>(*id)}];
  }
  static void ReplyOffset(remoting::Channel& channel, const protocol::CommandView& request, int64_t offset) {
    channel.Reply(request, protocol::ResponseCode::kSuccess,
                  protocol::OffsetResponseHeader{protocol::QueueOffset(offset)}, {});
  }
  void OnPull(remoting::Channel& channel, const protocol::CommandView& request) {
    const auto header = protocol::PullMessageRequestHeader::Decode(request);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->consumer_group, "G");
    const Place place{std::string(header->topic), header->queue_id};
    if ((header->sys_flag & protocol::pull_flag::kCommitOffset) != 0) {
      Store(place, header->commit_offset.value(), How::kPull);
    }
    const int64_t offset = header->queue_offset.value();
    const auto max = static_cast<int64_t>(queues[place].size());
    if (offset > max) {
      protocol::PullMessageResponseHeader moved;
      moved.next_begin_offset = moved.max_offset = protocol::QueueOffset(max);
      return channel.Reply(request, protocol::ResponseCode::kPullOffsetMoved, moved, {});
    }
    const bool at_end = offset == max;
    if (at_end && (header->sys_flag & protocol::pull_flag::kSuspend) != 0) {
      held.push_back({channel.weak_from_this(), request.opaque, request.type, place, offset});
      return;
    }
    AnswerPull(channel, protocol::ReplyHead(request, at_end ? 19 : 0), place, offset);
  }
  void AnswerPull(remoting::Channel& channel, const protocol::CommandHead& head, const Place& place, int64_t at) {
    protocol::PullMessageResponseHeader reply;
    const std::vector<Message>& queue = queues[place];
    reply.max_offset = protocol::QueueOffset(static_cast<int64_t>(queue.size()));
    std::string body;
    for (int n = 0; n < 3 && at < static_cast<int64_t>(queue.size()); ++n, ++at) {
      protocol::MessageView message;
      message.topic = place.first;
      message.queue_id = place.second;
      message.body = queue[static_cast<size_t>(at)].body;
      message.properties = queue[static_cast<size_t>(at)].properties;
      message.queue_offset = protocol::QueueOffset(at);
      const size_t before = body.size();
      body.resize(before + protocol::RecordBytes(message));
      protocol::EncodeRecord(message, body.data() + before);
    }
    reply.next_begin_offset = protocol::QueueOffset(at);
    channel.ReplyTo(head, reply, body);
  }

  std::string name;
  std::string address;
  remoting::Server server;
  std::map<Place, std::vector<Message>> queues;
  std::map<Place, int64_t> offsets;
  std::map<std::string, protocol::SubscriptionData> subscriptions;
  std::vector<Member> members;
  std::vector<Held> held;
  std::vector<Commit> commits;
  bool frozen = false;
  bool notify = true;
  int heartbeats = 0;
  int unregistered = 0;
  int id_questions = 0;
  int busy_searches = 0;  // by time, to come; the same of those without an answer
  int unanswered_searches = 0;
};

}  // namespace mq::client
