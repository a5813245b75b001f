// A whole broker in this process, without helpers (its log makes its own files), and clients that speak raw frames to
// it. What consumers read comes from the ring of recent appends.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/strings.h"
#include "broker/broker.h"
#include "loop/loop.h"
#include "protocol/heartbeat.h"
#include "protocol/pull_headers.h"
#include "remoting/client.h"

namespace mq::broker::testing {

// One connection to the broker. Requests that the broker makes of it are kept; `answer` answers them where it is set.
class RawClient {
 public:
  using Answer = std::function<void(remoting::Channel&, const protocol::CommandView&)>;

  RawClient(loop::Loop& loop, std::string address) : loop_(loop), address_(std::move(address)) {
    auto table = std::make_shared<remoting::ProcessorTable>();
    table->SetDefault([this](remoting::Channel& channel, const protocol::CommandView& request) {
      asked.push_back(protocol::CopyCommand(request));
      if (answer) answer(channel, request);
    });
    remoting::ClientOptions options;
    options.processors = std::move(table);
    client_ = std::make_unique<remoting::Client>(loop_, options);
  }
  RawClient(const RawClient&) = delete;  // the processors know where it is

  protocol::Command Ask(protocol::Command command) {
    protocol::Command reply;
    bool done = false;
    client_->Call(address_, std::move(command), 10000, [&](const remoting::CallResult& result) {
      EXPECT_EQ(result.outcome, remoting::CallOutcome::kReply) << result.error;
      if (result.reply != nullptr) reply = protocol::CopyCommand(*result.reply);
      done = true;
      loop_.Stop();
    });
    while (!done) loop_.Run();
    return reply;
  }
  // A one-way request, and a question after it on the same connection, so that it is handled when this returns.
  void Tell(protocol::Command command) {
    client_->SendOneway(address_, std::move(command));
    protocol::Command question(protocol::RequestCode::kGetMaxOffset);
    Ask(question.Set("topic", "T").Set("queueId", "0"));
  }
  // How often the broker asked this of the client.
  int Asked(protocol::RequestCode code) const {
    int count = 0;
    for (const auto& command : asked) count += command.code == static_cast<int32_t>(code) ? 1 : 0;
    return count;
  }
  void Close() { client_->Close(); }

  std::vector<protocol::Command> asked;
  Answer answer;

 private:
  loop::Loop& loop_;
  std::string address_;
  std::unique_ptr<remoting::Client> client_;
};

class BrokerFixture : public ::testing::Test {
 public:
  BrokerFixture() {
    log::SetLevel(log::Level::kOff);
    EXPECT_NE(::mkdtemp(root_), nullptr);
    options.store.root = root_;
    options.store.commit_log_file_bytes = 1 << 20;
    options.store.consume_queue_file_bytes = 6000;
    options.store.warm_window_bytes = 1 << 16;
    options.store.self_allocate = true;
    EXPECT_TRUE(store::NormalizeOptions(options.store).has_value());
    options.broker_name = "broker-a";
    options.cluster_name = "DefaultCluster";
    options.listen = *loop::Address::Parse("127.0.0.1:0");
    options.advertised_host = "127.0.0.1";
    options.spawn_helpers = false;
    options.offset_save_period_ms = 100;
    options.fast_failure = false;  // a machine under load is no broker under load
  }
  ~BrokerFixture() override {
    broker.reset();
    RemoveTree(root_).Ignore("a test's left-over");
  }

  void Start() {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    options.ready_fd = ends[1];
    broker = std::make_unique<Broker>(loop, options, "error");
    const Status started = broker->Start();
    ASSERT_TRUE(started) << started.error().what;
    std::string line;
    RunUntil([&] {
      char bytes[256];
      const ssize_t got = ::read(ends[0], bytes, sizeof bytes);
      if (got > 0) line.append(bytes, static_cast<size_t>(got));
      return line.find('\n') != std::string::npos;
    });
    ::close(ends[0]);
    ASSERT_EQ(line.substr(0, 6), "ready ");
    address = line.substr(6, line.find_first_of(" \n", 6) - 6);
  }
  RawClient Connect() { return RawClient(loop, address); }
  std::string Config(const std::string& name) { return ReadFile(std::string(root_) + "/config/" + name).value_or(""); }

  template <class Condition>
  void RunUntil(Condition condition) {
    bool late = false;
    loop::Timer deadline(loop, [&] { late = true; });
    deadline.Start(10000);
    loop::Timer check(loop, [&] {
      if (late || condition()) loop.Stop();
    });
    check.Start(0, 1);
    loop.Run();
    EXPECT_FALSE(late);
  }

  loop::Loop loop;
  BrokerOptions options;
  std::unique_ptr<Broker> broker;
  std::string address;

 protected:
  char root_[32] = "/tmp/mq-broker-XXXXXX";
};

inline protocol::Command GroupCommand(protocol::RequestCode code, const std::string& group) {
  return protocol::Command(code).Set("consumerGroup", group);
}
inline protocol::Command OffsetCommand(protocol::RequestCode code, const std::string& group, const std::string& topic,
                                       int queue) {
  return GroupCommand(code, group).Set("topic", topic).Set("queueId", queue);
}
inline protocol::Command Query(const std::string& group, const std::string& topic, int queue) {
  return OffsetCommand(protocol::RequestCode::kQueryConsumerOffset, group, topic, queue);
}
inline protocol::Command Update(const std::string& group, const std::string& topic, int queue, int64_t offset) {
  return OffsetCommand(protocol::RequestCode::kUpdateConsumerOffset, group, topic, queue).Set("commitOffset", offset);
}
inline protocol::Command MakeTopic(const std::string& topic, int queues) {
  return protocol::Command(protocol::RequestCode::kUpdateAndCreateTopic)
      .Set("topic", topic)
      .Set("defaultTopic", "TBW102")
      .Set("readQueueNums", queues)
      .Set("writeQueueNums", queues)
      .Set("perm", 6)
      .Set("topicFilterType", "SINGLE_TAG")
      .Set("order", "false");
}
inline protocol::Command Send(const std::string& topic, int queue, const std::string& body,
                              const std::string& properties = {}) {
  protocol::Command command(protocol::RequestCode::kSendMessageV2);
  command.Set("a", "P").Set("b", topic).Set("c", "TBW102").Set("d", 4).Set("e", queue).Set("f", 0);
  command.Set("g", NowMs()).Set("h", 0).Set("i", properties).Set("j", 0).Set("k", "false").Set("m", "false");
  command.body = body;
  return command;
}
inline protocol::Command Pull(const std::string& group, const std::string& topic, int queue, int64_t offset,
                              int sys_flag = 0, int64_t commit = 0, int64_t sub_version = 0) {
  return OffsetCommand(protocol::RequestCode::kPullMessage, group, topic, queue)
      .Set("queueOffset", offset)
      .Set("maxMsgNums", 32)
      .Set("sysFlag", sys_flag)
      .Set("commitOffset", commit)
      .Set("suspendTimeoutMillis", 0)
      .Set("subVersion", sub_version);
}
// A heartbeat of one consumer.
inline protocol::Command Heartbeat(const std::string& client, const std::string& group, const std::string& topic,
                                   const std::string& filter = "*", int64_t version = 1,
                                   protocol::MessageModel model = protocol::MessageModel::kClustering) {
  protocol::HeartbeatData data;
  data.client_id = client;
  protocol::ConsumerData consumer;
  consumer.group = group;
  consumer.message_model = model;
  consumer.subscriptions.push_back(*protocol::BuildSubscription(topic, filter, version));
  data.consumers.push_back(consumer);
  protocol::Command command(protocol::RequestCode::kHeartBeat);
  command.body = protocol::EncodeHeartbeat(data);
  return command;
}
inline int64_t OffsetOf(const protocol::Command& reply) {
  const auto text = reply.Find("offset");
  return text ? ParseInt64(*text).value_or(-2) : -1;
}

}  // namespace mq::broker::testing
