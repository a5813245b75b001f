// A name server and brokers of a test's own: real remoting, answers made up. For the client's unit tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "loop/loop.h"
#include "protocol/batch.h"
#include "protocol/ids.h"
#include "protocol/lists.h"
#include "protocol/message.h"
#include "protocol/pull_headers.h"
#include "protocol/route.h"
#include "protocol/send_headers.h"
#include "remoting/server.h"

namespace mq::client {

struct FakeBroker {
  struct Stored {
    int32_t queue_id;
    std::string body;
    std::string properties;
    int32_t sys_flag;
  };

  FakeBroker(loop::Loop& loop_in, std::string broker_name)
      : name(std::move(broker_name)), server(loop_in), loop_for_timers(loop_in) {
    auto table = std::make_shared<remoting::ProcessorTable>();
    const auto send = [this](remoting::Channel& channel, const protocol::CommandView& request) {
      OnSend(channel, request);
    };
    table->Register(protocol::RequestCode::kSendMessageV2, send);
    table->Register(protocol::RequestCode::kSendBatchMessage, send);
    table->Register(
        protocol::RequestCode::kPullMessage,
        [this](remoting::Channel& channel, const protocol::CommandView& request) { OnPull(channel, request); });
    table->Register(
        protocol::RequestCode::kGetMaxOffset, [this](remoting::Channel& channel, const protocol::CommandView& request) {
          channel.Reply(request, protocol::ResponseCode::kSuccess,
                        protocol::OffsetResponseHeader{protocol::QueueOffset(static_cast<int64_t>(stored.size()))}, {});
        });
    table->Register(protocol::RequestCode::kHeartBeat,
                    [this](remoting::Channel& channel, const protocol::CommandView& request) {
                      heartbeats.emplace_back(request.body);
                      channel.Reply(request, protocol::ResponseCode::kSuccess);
                    });
    table->SetDefault(remoting::AnswerNotSupported);
    const auto bound = server.Listen(*loop::Address::Parse("127.0.0.1:0"), table);
    EXPECT_TRUE(bound);
    address = bound->ToString();
  }

  void OnSend(remoting::Channel& channel, const protocol::CommandView& request) {
    ++requests;
    if (frozen) return;
    if (refuse_code != 0) {
      return channel.Reply(request, static_cast<protocol::ResponseCode>(refuse_code), "made up");
    }
    const auto header = protocol::SendMessageRequestHeader::Decode(request);
    ASSERT_TRUE(header) << header.error().what;
    const auto first = static_cast<int64_t>(stored.size());
    std::string ids;
    const auto store = [&](std::string_view body, std::string_view properties) {
      if (!ids.empty()) ids += ',';
      protocol::AppendOffsetMessageId(ids, *protocol::ParseHost("127.0.0.1:1"),
                                      protocol::PhysicalOffset(static_cast<int64_t>(stored.size())));
      stored.push_back({header->queue_id, std::string(body), std::string(properties), header->sys_flag});
    };
    if (header->batch) {
      protocol::BatchReader reader(request.body);
      for (auto entry = reader.Next(); entry && *entry; entry = reader.Next()) {
        store((*entry)->body, (*entry)->properties);
      }
    } else {
      store(request.body, header->properties);
    }
    protocol::SendMessageResponseHeader reply;
    reply.msg_id = ids;
    reply.queue_id = header->queue_id;
    reply.queue_offset = protocol::QueueOffset(first);
    if (delay_ms == 0) return channel.Reply(request, static_cast<protocol::ResponseCode>(stored_code), reply, {});
    delayed.push_back(std::make_unique<loop::Timer>(
        loop_for_timers,
        [peer = channel.weak_from_this(), head = protocol::ReplyHead(request, stored_code), reply, ids] {
          protocol::SendMessageResponseHeader late = reply;
          late.msg_id = ids;
          if (const auto there = peer.lock()) there->ReplyTo(head, late, {});
        }));
    delayed.back()->Start(delay_ms);
  }

  // Serves everything stored as one queue, `pull_limit` records an answer; the end is answered at once.
  void OnPull(remoting::Channel& channel, const protocol::CommandView& request) {
    ++pulls;
    if (frozen) return;
    const auto header = protocol::PullMessageRequestHeader::Decode(request);
    ASSERT_TRUE(header) << header.error().what;
    protocol::PullMessageResponseHeader reply;
    const auto max = static_cast<int64_t>(stored.size());
    reply.max_offset = protocol::QueueOffset(max);
    reply.min_offset = protocol::QueueOffset(min_offset);
    int64_t at = header->queue_offset.value();
    reply.next_begin_offset = header->queue_offset;
    if (at < min_offset) {
      reply.next_begin_offset = reply.min_offset;
      return channel.Reply(request, protocol::ResponseCode::kPullOffsetMoved, reply, {});
    }
    if (at >= max) {
      // At the tail a pull that may wait does, for ever: nothing more comes in these tests.
      if ((header->sys_flag & protocol::pull_flag::kSuspend) != 0) return;
      return channel.Reply(request, protocol::ResponseCode::kPullNotFound, reply, {});
    }
    std::string body;
    for (int n = 0; at < max && n < pull_limit; ++n, ++at) {
      const Stored& one = stored[static_cast<size_t>(at)];
      protocol::MessageView message;
      message.topic = header->topic;
      message.body = one.body;
      message.properties = one.properties;
      message.sys_flag = one.sys_flag;
      message.queue_offset = protocol::QueueOffset(at);
      const size_t before = body.size();
      body.resize(before + protocol::RecordBytes(message));
      protocol::EncodeRecord(message, body.data() + before);
    }
    reply.next_begin_offset = protocol::QueueOffset(at);
    channel.Reply(request, protocol::ResponseCode::kSuccess, reply, body);
  }

  std::string name;
  std::string address;
  remoting::Server server;
  loop::Loop& loop_for_timers;
  std::vector<Stored> stored;
  std::vector<std::string> heartbeats;
  std::vector<std::unique_ptr<loop::Timer>> delayed;
  int64_t delay_ms = 0;  // of answers to sends
  bool frozen = false;
  int refuse_code = 0;
  int stored_code = 0;
  int requests = 0;
  int pulls = 0;
  int pull_limit = 3;
  int64_t min_offset = 0;
};

struct FakeNameServer {
  explicit FakeNameServer(loop::Loop& loop) : server(loop) {
    auto table = std::make_shared<remoting::ProcessorTable>();
    table->Register(protocol::RequestCode::kGetRouteinfoByTopic, [this](remoting::Channel& channel,
                                                                        const protocol::CommandView& request) {
      const std::string topic(request.Find("topic").value_or(""));
      if (!routes.contains(topic)) {
        return channel.Reply(request, protocol::ResponseCode::kTopicNotExist, "No topic route");
      }
      channel.ReplyBody(request, protocol::EncodeTopicRoute(routes[topic], protocol::RouteJson::kStandard));
    });
    table->Register(protocol::RequestCode::kGetBrokerClusterInfo,
                    [this](remoting::Channel& channel, const protocol::CommandView& request) {
                      protocol::ClusterInfo info;
                      for (const auto& [topic, route] : routes) {
                        for (const auto& broker : route.brokers) info.brokers[broker.broker_name] = broker;
                      }
                      channel.ReplyBody(request, protocol::EncodeClusterInfo(info));
                    });
    const auto bound = server.Listen(*loop::Address::Parse("127.0.0.1:0"), table);
    EXPECT_TRUE(bound);
    address = bound->ToString();
  }

  template <class Broker>
  void Add(const std::string& topic, const Broker& broker, int32_t queues) {
    routes[topic].queues.push_back({broker.name, queues, queues, 6, 0});
    routes[topic].brokers.push_back({"C", broker.name, {{0, broker.address}}});
  }

  std::string address;
  remoting::Server server;
  std::map<std::string, protocol::TopicRouteData> routes;
};

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override { log::SetLevel(log::Level::kOff); }

  // Runs the loop until the condition holds; the deadline only bounds a failing test.
  template <class Condition>
  void RunUntil(Condition condition) {
    bool late = false;
    loop::Timer deadline(loop_, [&] { late = true; });
    deadline.Start(10000);
    loop::Timer check(loop_, [&] {
      if (late || condition()) loop_.Stop();
    });
    check.Start(0, 1);
    loop_.Run();
    EXPECT_FALSE(late);
  }

  loop::Loop loop_;
  FakeNameServer names_{loop_};
  FakeBroker broker_a_{loop_, "broker-a"};
  FakeBroker broker_b_{loop_, "broker-b"};
};

}  // namespace mq::client
