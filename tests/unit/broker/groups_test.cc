// Consumer groups as clients see them, over raw frames: membership, notifications, offsets, refusals.
#include <algorithm>

#include "broker_fixture.h"
#include "protocol/connections.h"
#include "protocol/lists.h"
#include "protocol/offset_bodies.h"

namespace mq::broker::testing {
namespace {

using protocol::Command;
using protocol::RequestCode;
using protocol::ResponseCode;

int32_t Code(ResponseCode code) { return static_cast<int32_t>(code); }

using GroupsTest = BrokerFixture;

TEST_F(GroupsTest, RB04_MembersAreListedAndAllAreToldOfEveryChange) {
  Start();
  RawClient one = Connect();
  RawClient two = Connect();
  EXPECT_EQ(one.Ask(GroupCommand(RequestCode::kGetConsumerListByGroup, "G")).code, 1) << "no consumer yet";
  EXPECT_EQ(one.Ask(Heartbeat("c1", "G", "T")).code, 0);
  RunUntil([&] { return one.Asked(RequestCode::kNotifyConsumerIdsChanged) == 1; });
  EXPECT_EQ(two.Ask(Heartbeat("c2", "G", "T")).code, 0);
  RunUntil([&] {
    return one.Asked(RequestCode::kNotifyConsumerIdsChanged) == 2 &&
           two.Asked(RequestCode::kNotifyConsumerIdsChanged) == 1;
  });
  EXPECT_EQ(*two.asked[0].Find("consumerGroup"), "G");
  EXPECT_EQ(two.asked[0].flag & protocol::kFlagOneway, protocol::kFlagOneway);
  auto ids = protocol::DecodeConsumerIds(one.Ask(GroupCommand(RequestCode::kGetConsumerListByGroup, "G")).body);
  EXPECT_EQ(*ids, (std::vector<std::string>{"c1", "c2"}));
  // The same heartbeat again changes nothing.
  EXPECT_EQ(one.Ask(Heartbeat("c1", "G", "T")).code, 0);
  two.Close();
  RunUntil([&] { return one.Asked(RequestCode::kNotifyConsumerIdsChanged) == 3; });
  ids = protocol::DecodeConsumerIds(one.Ask(GroupCommand(RequestCode::kGetConsumerListByGroup, "G")).body);
  EXPECT_EQ(*ids, (std::vector<std::string>{"c1"}));
  EXPECT_EQ(one.Ask(Command(RequestCode::kUnregisterClient).Set("clientID", "c1").Set("consumerGroup", "G")).code, 0);
  EXPECT_EQ(one.Ask(GroupCommand(RequestCode::kGetConsumerListByGroup, "G")).code, 1);
  EXPECT_EQ(one.Asked(RequestCode::kNotifyConsumerIdsChanged), 3);
}

TEST_F(GroupsTest, AClientThatCameBackCountsOnce) {
  Start();
  RawClient before = Connect();
  RawClient after = Connect();
  before.Ask(Heartbeat("c1", "G", "T"));
  after.Ask(Heartbeat("c1", "G", "T"));
  const auto ids = protocol::DecodeConsumerIds(after.Ask(GroupCommand(RequestCode::kGetConsumerListByGroup, "G")).body);
  EXPECT_EQ(*ids, (std::vector<std::string>{"c1"}));
}

TEST_F(GroupsTest, AChangedTopicIsTold_ANewerVersionIsNot) {
  Start();
  RawClient one = Connect();
  one.Ask(Heartbeat("c1", "G", "T", "a", 1));
  RunUntil([&] { return one.Asked(RequestCode::kNotifyConsumerIdsChanged) == 1; });
  one.Ask(Heartbeat("c1", "G", "T", "b", 2));
  one.Ask(Heartbeat("c1", "G", "Other", "*", 3));
  RunUntil([&] { return one.Asked(RequestCode::kNotifyConsumerIdsChanged) == 2; });
}

TEST_F(GroupsTest, NotificationsCanBeSwitchedOff) {
  options.notify_consumer_ids = false;
  Start();
  RawClient one = Connect();
  one.Ask(Heartbeat("c1", "G", "T"));
  one.Tell(Update("G", "T", 0, 1));
  EXPECT_EQ(one.Asked(RequestCode::kNotifyConsumerIdsChanged), 0);
}

TEST_F(GroupsTest, Bug6_LanguageAndVersionAreShownAsTheyWereSent) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));  // the answer shows the client that the binary header is understood
  Command heartbeat = Heartbeat("c1", "G", "T");
  heartbeat.language = static_cast<protocol::LanguageCode>(200);
  heartbeat.version = 65535;
  EXPECT_EQ(client.Ask(heartbeat).code, 0);
  const auto shown =
      protocol::DecodeConsumerConnection(client.Ask(GroupCommand(RequestCode::kGetConsumerConnectionList, "G")).body);
  ASSERT_TRUE(shown && shown->connections.size() == 1);
  EXPECT_EQ(shown->connections[0].language, "200");
  EXPECT_EQ(shown->connections[0].version, 65535);
  EXPECT_EQ(shown->subscriptions.at("T").sub_string, "*");
  EXPECT_EQ(client.Ask(GroupCommand(RequestCode::kGetConsumerConnectionList, "None")).code,
            Code(ResponseCode::kConsumerNotOnline));
}

TEST_F(GroupsTest, ProducersAreListed) {
  Start();
  RawClient client = Connect();
  protocol::HeartbeatData data;
  data.client_id = "p1";
  data.producer_groups = {"PG"};
  Command heartbeat(RequestCode::kHeartBeat);
  heartbeat.body = protocol::EncodeHeartbeat(data);
  client.Ask(heartbeat);
  const Command ask = Command(RequestCode::kGetProducerConnectionList);
  const auto shown = protocol::DecodeProducerConnection(client.Ask(Command(ask).Set("producerGroup", "PG")).body);
  ASSERT_TRUE(shown && shown->size() == 1);
  EXPECT_EQ((*shown)[0].client_id, "p1");
  EXPECT_EQ(client.Ask(Command(ask).Set("producerGroup", "None")).code, 1);
  const auto all = protocol::DecodeProducerTable(client.Ask(Command(RequestCode::kGetAllProducerInfo)).body);
  ASSERT_TRUE(all && all->contains("PG"));
  EXPECT_EQ(all->at("PG")[0].remote_ip.substr(0, 11), "/127.0.0.1:");
  EXPECT_GT(all->at("PG")[0].last_update_timestamp, 1600000000000);
}

TEST_F(GroupsTest, CN05_OffsetsAreStoredAskedAndSaved) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 2));
  Command query = Query("G", "T", 0);
  EXPECT_EQ(OffsetOf(client.Ask(query)), 0) << "a new group on a young queue, as RocketMQ answers";
  EXPECT_EQ(client.Ask(Command(query).Set("setZeroIfNotFound", "false")).code, Code(ResponseCode::kQueryNotFound));
  EXPECT_EQ(client.Ask(Update("G", "T", 0, 7)).code, 0);
  EXPECT_EQ(OffsetOf(client.Ask(query)), 7);
  client.Tell(Update("G", "T", 1, 3));
  const auto all = protocol::DecodeConsumerOffsets(client.Ask(Command(RequestCode::kGetAllConsumerOffset)).body);
  EXPECT_EQ(all->at("T@G"), (protocol::OffsetsById{{0, 7}, {1, 3}}));
  RunUntil(
      [&] { return Config("consumerOffset.json") == "{\n\t\"offsetTable\":{\n\t\t\"T@G\":{0:7,1:3\n\t\t}\n\t}\n}"; });
}

TEST_F(GroupsTest, Bug102_ALateCommitOfAFormerOwnerIsIgnored_AnOperatorIsObeyed) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));
  for (int i = 0; i < 10; ++i) client.Ask(Send("T", 0, "x"));
  client.Tell(Update("G", "T", 0, 9));
  client.Tell(Update("G", "T", 0, 5));
  EXPECT_EQ(OffsetOf(client.Ask(Query("G", "T", 0))), 9);
  client.Ask(Heartbeat("c1", "G", "T"));
  EXPECT_EQ(client.Ask(Pull("G", "T", 0, 9, protocol::pull_flag::kCommitOffset, 4)).code, 0);
  EXPECT_EQ(OffsetOf(client.Ask(Query("G", "T", 0))), 9) << "a pull's commit is one-way as well";
  EXPECT_EQ(client.Ask(Pull("G", "T", 0, 9, protocol::pull_flag::kCommitOffset, 10)).code, 0);
  EXPECT_EQ(OffsetOf(client.Ask(Query("G", "T", 0))), 10);
  client.Ask(Update("G", "T", 0, 5));
  EXPECT_EQ(OffsetOf(client.Ask(Query("G", "T", 0))), 5) << "synchronous: obeyed";
  client.Ask(Update("G", "T", 0, -1));
  EXPECT_EQ(client.Ask(Query("G", "T", 0).Set("setZeroIfNotFound", "false")).code, Code(ResponseCode::kQueryNotFound));
}

TEST_F(GroupsTest, Bug102_LateCommitsAreCounted) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));
  client.Ask(Send("T", 0, "x"));
  client.Tell(Update("G", "T", 0, 1));
  client.Tell(Update("G", "T", 0, 0));
  const auto info = protocol::DecodeKvTable(client.Ask(Command(RequestCode::kGetBrokerRuntimeInfo)).body);
  const auto found =
      std::find_if(info->begin(), info->end(), [](const auto& entry) { return entry.first == "lateCommits"; });
  ASSERT_NE(found, info->end());
  EXPECT_EQ(found->second, "1");
}

TEST_F(GroupsTest, Bug101_AnOffsetBeyondTheEndIsCorrectedByTheConsumerItself) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));
  for (int i = 0; i < 5; ++i) client.Ask(Send("T", 0, "x"));
  client.Ask(Update("G", "T", 0, 1000000));
  client.Tell(Update("G", "T", 0, 5));
  EXPECT_EQ(OffsetOf(client.Ask(Query("G", "T", 0))), 5);
}

TEST_F(GroupsTest, BadCommitsAreRefusedByName) {
  Start();
  RawClient client = Connect();
  for (const Command& bad : {Update("G@x", "T", 0, 1), Update("G", "../T", 0, 1), Update("G", "T", -1, 1),
                             Update("G", "T", 0, -2), Update("", "T", 0, 1)}) {
    const Command reply = client.Ask(bad);
    EXPECT_EQ(reply.code, 1);
    EXPECT_FALSE(reply.remark.empty());
    client.Tell(bad);
  }
  EXPECT_EQ(client.Ask(Command(RequestCode::kGetAllConsumerOffset)).body, R"({"offsetTable":{}})");
}

TEST_F(GroupsTest, ADeletedTopicTakesItsOffsetsWithIt) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));
  client.Ask(Send("T", 0, "x"));
  client.Ask(Update("G", "T", 0, 1));
  EXPECT_EQ(client.Ask(Command(RequestCode::kDeleteTopicInBroker).Set("topic", "T")).code, 0);
  EXPECT_EQ(client.Ask(Command(RequestCode::kGetAllConsumerOffset)).body, R"({"offsetTable":{}})");
  // A member that has not heard of it commits once more; the topic is made again and starts at 0.
  client.Tell(Update("G", "T", 0, 1));
  client.Ask(MakeTopic("T", 1));
  EXPECT_EQ(OffsetOf(client.Ask(Query("G", "T", 0))), 0);
}

TEST_F(GroupsTest, PullsOfAGroupThatMayNotAreRefusedWithRocketMqsCodes) {
  options.auto_create_group = false;
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));
  EXPECT_EQ(client.Ask(Pull("Stranger", "T", 0, 0)).code, Code(ResponseCode::kSubscriptionGroupNotExist));
  EXPECT_EQ(client.Ask(Pull("TOOLS_CONSUMER", "T", 0, 0)).code, Code(ResponseCode::kSubscriptionNotExist));
}

TEST_F(GroupsTest, CO02_APullWithoutSubscriptionUsesThatOfTheHeartbeat) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));
  client.Ask(Send("T", 0, "first",
                  "TAGS\x01"
                  "a"));
  client.Ask(Send("T", 0, "second",
                  "TAGS\x01"
                  "b"));
  EXPECT_EQ(client.Ask(Pull("G", "T", 0, 0)).code, Code(ResponseCode::kSubscriptionNotExist));
  client.Ask(Heartbeat("c1", "G", "T", "b", 5));
  const Command found = client.Ask(Pull("G", "T", 0, 0, 0, 0, 5));
  EXPECT_EQ(found.code, 0);
  EXPECT_NE(found.body.find("second"), std::string::npos);
  EXPECT_EQ(found.body.find("first"), std::string::npos);
  EXPECT_EQ(client.Ask(Pull("G", "T", 0, 0, 0, 0, 6)).code, Code(ResponseCode::kSubscriptionNotLatest));
  EXPECT_EQ(client.Ask(Pull("G", "TBW102", 0, 0)).code, Code(ResponseCode::kSubscriptionNotExist));
}

TEST_F(GroupsTest, CO12_RT07_AHeartbeatMakesGroupAndRetryTopic_Bug27_UnlessItsNameWouldNotFit) {
  Start();
  RawClient client = Connect();
  const std::string longest(119, 'g');
  EXPECT_EQ(client.Ask(Heartbeat("c1", longest, "T")).code, 0);
  RunUntil([&] {
    return Config("subscriptionGroup.json").find(longest) != std::string::npos &&
           Config("topics.json").find("%RETRY%" + longest) != std::string::npos;
  });
  for (const std::string& bad : {std::string(121, 'g'), std::string("../g"), std::string("g@h")}) {
    const Command refused = client.Ask(Heartbeat("c1", bad, "T"));
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.remark.find("group name"), std::string::npos);
  }
}

TEST_F(GroupsTest, ASubscriptionIsCheckedBeforeItIsUsed) {
  Start();
  RawClient client = Connect();
  Command check(RequestCode::kCheckClientConfig);
  EXPECT_EQ(client.Ask(check).code, 0);
  check.body = R"({"clientId":"c","group":"G","subscriptionData":{"expressionType":"TAG","subString":"a"}})";
  EXPECT_EQ(client.Ask(check).code, 0);
  check.body = R"({"clientId":"c","group":"G","subscriptionData":{"expressionType":"SQL92","subString":"a=1"}})";
  const Command refused = client.Ask(check);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.remark, "The broker does not support consumer to filter message by SQL92");
  check.body = "{";
  EXPECT_EQ(client.Ask(check).code, 1);
}

TEST_F(GroupsTest, OffsetsAreClonedForAnotherGroup) {
  Start();
  RawClient client = Connect();
  client.Ask(MakeTopic("T", 1));
  client.Ask(Update("G", "T", 0, 4));
  EXPECT_EQ(client.Ask(Command(RequestCode::kCloneGroupOffset).Set("srcGroup", "G").Set("destGroup", "H")).code, 0);
  EXPECT_EQ(OffsetOf(client.Ask(Query("H", "T", 0))), 4);
}

}  // namespace
}  // namespace mq::broker::testing
