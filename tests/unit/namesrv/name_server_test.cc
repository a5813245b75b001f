// The name server over a real connection, answering what recorded brokers and clients asked.
#include "namesrv/name_server.h"

#include <gtest/gtest.h>

#include "base/crc32.h"
#include "base/log.h"
#include "protocol/lists.h"
#include "remoting/client.h"

namespace mq::namesrv {
namespace {

using protocol::Command;
using protocol::RequestCode;

class NameServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log::SetLevel(log::Level::kOff);
    server_ = std::make_unique<NameServer>(loop_);
    const auto bound = server_->Listen(*loop::Address::Parse("127.0.0.1:0"));
    ASSERT_TRUE(bound);
    address_ = bound->ToString();
  }

  // Asks and waits; a copy of the answer.
  Command Ask(remoting::Client& client, Command command) {
    Command reply;
    client.Call(address_, std::move(command), 3000, [&](const remoting::CallResult& result) {
      EXPECT_EQ(result.outcome, remoting::CallOutcome::kReply) << result.error;
      if (result.reply != nullptr) reply = protocol::CopyCommand(*result.reply);
      loop_.Stop();
    });
    loop_.Run();
    return reply;
  }

  Command RegisterCommand(bool compressed, bool with_crc) {
    protocol::RegisterBrokerBody body;
    for (const std::string name : {"T", "broker-a"}) {
      protocol::TopicConfig config;
      config.name = name;
      body.topics.topics[name] = config;
    }
    Command command(RequestCode::kRegisterBroker);
    command.body = *protocol::EncodeRegisterBrokerBody(body, compressed);
    command.Set("brokerName", "broker-a").Set("brokerAddr", "127.0.0.1:10911").Set("clusterName", "C");
    command.Set("haServerAddr", "127.0.0.1:10912").Set("brokerId", int64_t{0});
    command.Set("compressed", compressed ? "true" : "false");
    command.Set("bodyCrc32", int64_t{with_crc ? MessageCrc(command.body) : 0});
    return command;
  }

  Command RouteCommand(int32_t version) {
    Command command(RequestCode::kGetRouteinfoByTopic);
    command.version = version;
    command.Set("topic", "T");
    return command;
  }

  loop::Loop loop_;
  std::unique_ptr<NameServer> server_;
  std::string address_;
};

TEST_F(NameServerTest, RegistersWithAndWithoutCompressionAndChecksum) {
  remoting::Client client(loop_);
  EXPECT_EQ(Ask(client, RouteCommand(409)).code, 17);
  for (const bool compressed : {false, true}) {
    for (const bool with_crc : {false, true}) {
      server_->routes().DeleteTopic("T", "");
      server_->routes().Unregister("broker-a", "127.0.0.1:10911", 0);
      EXPECT_EQ(Ask(client, RegisterCommand(compressed, with_crc)).code, 0);
      EXPECT_EQ(Ask(client, RouteCommand(409)).code, 0);
    }
  }
  Command bad = RegisterCommand(false, true);
  bad.body[5] ^= 1;
  const Command refused = Ask(client, bad);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.remark, "crc32 not match");
}

TEST_F(NameServerTest, BothRouteForms) {
  remoting::Client client(loop_);
  Ask(client, RegisterCommand(false, false));
  EXPECT_NE(Ask(client, RouteCommand(409)).body.find(R"({"0":")"), std::string::npos);
  EXPECT_NE(Ask(client, RouteCommand(400)).body.find(R"({0:")"), std::string::npos);
  Command asks = RouteCommand(317);
  asks.Set("acceptStandardJsonOnly", "true");
  EXPECT_NE(Ask(client, asks).body.find(R"({"0":")"), std::string::npos);
}

TEST_F(NameServerTest, QuestionsOfBrokersAndTools) {
  remoting::Client client(loop_);
  Ask(client, RegisterCommand(false, false));
  Command version(RequestCode::kQueryDataVersion);
  version.Set("brokerName", "broker-a").Set("brokerAddr", "127.0.0.1:10911").Set("clusterName", "C");
  version.Set("brokerId", int64_t{0});
  version.body = R"({"counter":0,"timestamp":0})";
  EXPECT_EQ(Ask(client, version).Find("changed"), "false");
  version.body = R"({"counter":1,"timestamp":0})";
  const Command changed = Ask(client, version);
  EXPECT_EQ(changed.Find("changed"), "true");
  EXPECT_EQ(changed.body, R"({"counter":0,"timestamp":0})");
  EXPECT_EQ(Ask(client, Command(RequestCode::kGetAllTopicListFromNameserver)).body,
            R"({"topicList":["T","broker-a"]})");
  EXPECT_EQ(Ask(client, Command(RequestCode::kGetBrokerClusterInfo)).body,
            R"({"brokerAddrTable":{"broker-a":{"brokerAddrs":{0:"127.0.0.1:10911"},"brokerName":"broker-a",)"
            R"("cluster":"C"}},"clusterAddrTable":{"C":["broker-a"]}})");
  Command incomplete(RequestCode::kUnregisterBroker);
  incomplete.Set("brokerName", "broker-a");
  const Command refused = Ask(client, incomplete);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.remark.find("brokerAddr is missing"), std::string::npos) << refused.remark;
}

TEST_F(NameServerTest, DrainedBrokersAreNotWrittenToWhateverTheyRegister) {
  remoting::Client client(loop_);
  Ask(client, RegisterCommand(false, false));
  Command drain(RequestCode::kWipeWritePermOfBroker);
  drain.Set("brokerName", "broker-a");
  EXPECT_EQ(Ask(client, drain).Find("wipeTopicCount"), "2");
  EXPECT_NE(Ask(client, RouteCommand(409)).body.find(R"("perm":4)"), std::string::npos);
  Ask(client, RegisterCommand(false, false));
  EXPECT_NE(Ask(client, RouteCommand(409)).body.find(R"("perm":4)"), std::string::npos);
  Command undrain(RequestCode::kAddWritePermOfBroker);
  undrain.Set("brokerName", "broker-a");
  EXPECT_EQ(Ask(client, undrain).Find("addTopicCount"), "2");
  EXPECT_NE(Ask(client, RouteCommand(409)).body.find(R"("perm":6)"), std::string::npos);
  undrain.Set("brokerName", "nobody");
  drain.ext.clear();
  drain.Set("brokerName", "nobody");
  EXPECT_EQ(Ask(client, drain).Find("wipeTopicCount"), "0");
}

TEST_F(NameServerTest, TopicsOfClustersAndOfTheSystem) {
  remoting::Client client(loop_);
  Ask(client, RegisterCommand(false, false));
  Command cluster(RequestCode::kGetTopicsByCluster);
  cluster.Set("cluster", "C");
  EXPECT_EQ(Ask(client, cluster).body, R"({"topicList":["T","broker-a"]})");
  cluster.ext.clear();
  cluster.Set("cluster", "D");
  EXPECT_EQ(Ask(client, cluster).body, R"({"topicList":[]})");
  EXPECT_EQ(Ask(client, Command(RequestCode::kGetSystemTopicListFromNs)).body,
            R"({"brokerAddr":"127.0.0.1:10911","topicList":["C","broker-a"]})");
  EXPECT_EQ(Ask(client, Command(RequestCode::kGetUnitTopicList)).body, R"({"topicList":[]})");
}

TEST_F(NameServerTest, KvConfigurationAndOrderedTopics) {
  remoting::Client client(loop_);
  EXPECT_TRUE(Ask(client, RegisterCommand(false, false)).body.empty());
  Command put(RequestCode::kPutKvConfig);
  put.Set("namespace", "ORDER_TOPIC_CONFIG").Set("key", "T").Set("value", "broker-a:4");
  EXPECT_EQ(Ask(client, put).code, 0);
  Command get(RequestCode::kGetKvConfig);
  get.Set("namespace", "ORDER_TOPIC_CONFIG").Set("key", "T");
  EXPECT_EQ(Ask(client, get).Find("value"), "broker-a:4");
  EXPECT_EQ(Ask(client, RegisterCommand(false, false)).body, R"({"table":{"T":"broker-a:4"}})");
  EXPECT_EQ(Ask(client, RouteCommand(409)).body.find("orderTopicConf"), std::string::npos);
  server_->set_order_message(true);
  EXPECT_NE(Ask(client, RouteCommand(409)).body.find(R"("orderTopicConf":"broker-a:4")"), std::string::npos);
  Command remove(RequestCode::kDeleteKvConfig);
  remove.Set("namespace", "ORDER_TOPIC_CONFIG").Set("key", "T");
  EXPECT_EQ(Ask(client, remove).code, 0);
  EXPECT_EQ(Ask(client, remove).code, 0);
  EXPECT_EQ(Ask(client, get).code, 22);
  // Brokers learn that the last ordered topic is gone.
  EXPECT_EQ(Ask(client, RegisterCommand(false, false)).body, R"({"table":{}})");
  Command list(RequestCode::kGetKvlistByNamespace);
  list.Set("namespace", "none");
  EXPECT_EQ(Ask(client, list).code, 22);
  put.ext.clear();
  put.Set("key", "T").Set("value", "v");
  const Command refused = Ask(client, put);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.remark.find("namespace is missing"), std::string::npos) << refused.remark;
}

TEST_F(NameServerTest, UnknownCodesAreNotAnswered) {
  remoting::Client client(loop_);
  Command unknown;
  unknown.code = 9999;
  remoting::CallOutcome outcome = remoting::CallOutcome::kReply;
  client.Call(address_, unknown, 30, [&](const remoting::CallResult& result) {
    outcome = result.outcome;
    loop_.Stop();
  });
  loop_.Run();
  EXPECT_EQ(outcome, remoting::CallOutcome::kTimeout);
}

TEST_F(NameServerTest, ABrokerGoesWithItsConnection) {
  remoting::Client watcher(loop_);
  auto broker = std::make_unique<remoting::Client>(loop_);
  Ask(*broker, RegisterCommand(false, false));
  auto second = std::make_unique<remoting::Client>(loop_);
  Ask(*second, RegisterCommand(false, false));  // the broker came back over a new connection
  broker.reset();
  EXPECT_EQ(Ask(watcher, RouteCommand(409)).code, 0);
  second.reset();
  while (Ask(watcher, RouteCommand(409)).code == 0) {
  }
  EXPECT_EQ(server_->routes().live_brokers(), 0u);
}

}  // namespace
}  // namespace mq::namesrv
