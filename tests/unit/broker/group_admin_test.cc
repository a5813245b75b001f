// What an operator asks about groups and does to them, over raw frames: configurations, progress, counters, resets, and
// questions that the broker passes on to consumers.
#include "broker_fixture.h"

#include "broker/stats_table.h"
#include "protocol/broker_views.h"
#include "protocol/consume_stats.h"
#include "protocol/group_config.h"
#include "protocol/lists.h"
#include "protocol/offset_bodies.h"

namespace mq::broker::testing {
namespace {

using protocol::Command;
using protocol::MessageQueue;
using protocol::RequestCode;
using protocol::ResponseCode;

int32_t Code(ResponseCode code) { return static_cast<int32_t>(code); }

Command PutGroup(const protocol::SubscriptionGroupConfig& config) {
  Command command(RequestCode::kUpdateAndCreateSubscriptiongroup);
  command.body = protocol::EncodeGroupConfig(config);
  return command;
}

Command Reset(const std::string& group, const std::string& topic, int64_t timestamp, bool force = true) {
  return Command(RequestCode::kInvokeBrokerToResetOffset)
      .Set("group", group)
      .Set("topic", topic)
      .Set("timestamp", timestamp)
      .Set("isForce", force ? "true" : "false");
}

class GroupAdminTest : public BrokerFixture {
 protected:
  void Fill(RawClient& client, int messages) {
    client.Ask(MakeTopic("T", 1));
    for (int i = 0; i < messages; ++i) ASSERT_EQ(client.Ask(Send("T", 0, "x")).code, 0);
  }
  int64_t Stored(RawClient& client, const std::string& group = "G") {
    return OffsetOf(client.Ask(Query(group, "T", 0)));
  }
};

TEST_F(GroupAdminTest, FI17_GroupsAreMadeChangedShownAndDeleted_AndOutliveTheBroker) {
  Start();
  {
    RawClient client = Connect();
    const auto before =
        protocol::DecodeGroupConfigs(client.Ask(Command(RequestCode::kGetAllSubscriptiongroupConfig)).body);
    EXPECT_TRUE(before->groups.contains("TOOLS_CONSUMER"));
    protocol::SubscriptionGroupConfig config;
    config.name = "G";
    config.retry_max_times = 3;
    config.consume_broadcast_enable = false;
    EXPECT_EQ(client.Ask(PutGroup(config)).code, 0);
    EXPECT_NE(Config("subscriptionGroup.json").find("\"G\""), std::string::npos) << "answered when it is on the disk";
    config.name = "Deleted";
    client.Ask(PutGroup(config));
    client.Ask(Update("Deleted", "T", 0, 3));
    const Command remove = Command(RequestCode::kDeleteSubscriptiongroup).Set("groupName", "Deleted");
    EXPECT_EQ(client.Ask(Command(remove).Set("removeOffset", "true")).code, 0);
    EXPECT_EQ(client.Ask(Command(RequestCode::kGetAllConsumerOffset)).body, R"({"offsetTable":{}})");
    EXPECT_EQ(client.Ask(remove).code, 0) << "gone already";
    const auto after =
        protocol::DecodeGroupConfigs(client.Ask(Command(RequestCode::kGetAllSubscriptiongroupConfig)).body);
    EXPECT_EQ(after->groups.at("G").retry_max_times, 3);
    EXPECT_FALSE(after->groups.contains("Deleted"));
    EXPECT_GT(after->data_version.counter, before->data_version.counter);
  }
  broker.reset();
  Start();
  RawClient client = Connect();
  const auto after =
      protocol::DecodeGroupConfigs(client.Ask(Command(RequestCode::kGetAllSubscriptiongroupConfig)).body);
  EXPECT_FALSE(after->groups.at("G").consume_broadcast_enable);
}

TEST_F(GroupAdminTest, BadGroupsAndSystemGroupsAreRefusedByName) {
  Start();
  RawClient client = Connect();
  protocol::SubscriptionGroupConfig config;
  for (const std::string& bad : {std::string(""), std::string("a/b"), std::string(121, 'g')}) {
    config.name = bad;
    const Command reply = client.Ask(PutGroup(config));
    EXPECT_EQ(reply.code, 1);
    EXPECT_NE(reply.remark.find("group name"), std::string::npos);
  }
  config.name = "G";
  config.retry_queues = -1;
  EXPECT_NE(client.Ask(PutGroup(config)).remark.find("retryQueueNums=-1"), std::string::npos);
  const Command remove = Command(RequestCode::kDeleteSubscriptiongroup);
  for (const char* system : {"TOOLS_CONSUMER", "CID_RMQ_SYS_TRANS"}) {
    EXPECT_EQ(client.Ask(Command(remove).Set("groupName", system)).code, 1) << "bug 71";
  }
}

TEST_F(GroupAdminTest, AGroupMayBeForbiddenToConsumeOrToBroadcast) {
  Start();
  RawClient client = Connect();
  Fill(client, 1);
  protocol::SubscriptionGroupConfig config;
  config.name = "Off";
  config.consume_enable = false;
  client.Ask(PutGroup(config));
  client.Ask(Heartbeat("c1", "Off", "T"));
  EXPECT_EQ(client.Ask(Pull("Off", "T", 0, 0)).code, Code(ResponseCode::kNoPermission));
  config = {};
  config.name = "NoBroadcast";
  config.consume_broadcast_enable = false;
  client.Ask(PutGroup(config));
  client.Ask(Heartbeat("c1", "NoBroadcast", "T", "*", 1, protocol::MessageModel::kBroadcasting));
  EXPECT_EQ(client.Ask(Pull("NoBroadcast", "T", 0, 0)).code, Code(ResponseCode::kNoPermission));
  client.Ask(Heartbeat("c1", "NoBroadcast", "T", "*", 1));
  EXPECT_EQ(client.Ask(Pull("NoBroadcast", "T", 0, 0, 0, 0, 1)).code, 0);
}

TEST_F(GroupAdminTest, AGroupThatWantsNoNotificationsGetsNone) {
  Start();
  RawClient client = Connect();
  protocol::SubscriptionGroupConfig config;
  config.name = "Quiet";
  config.notify_ids_changed = false;
  client.Ask(PutGroup(config));
  client.Ask(Heartbeat("c1", "Quiet", "T"));
  client.Tell(Update("Quiet", "T", 0, 0));
  EXPECT_EQ(client.Asked(RequestCode::kNotifyConsumerIdsChanged), 0);
}

TEST_F(GroupAdminTest, ProgressOfTopicsAndGroupsIsShown) {
  Start();
  RawClient client = Connect();
  Fill(client, 5);
  client.Ask(Update("G", "T", 0, 2));
  const MessageQueue queue{"T", "broker-a", 0};
  const Command topic = Command(RequestCode::kGetTopicStatsInfo);
  const auto table = protocol::DecodeTopicStats(client.Ask(Command(topic).Set("topic", "T")).body);
  ASSERT_TRUE(table && table->contains(queue));
  EXPECT_EQ(table->at(queue).max_offset, 5);
  EXPECT_GT(table->at(queue).last_update_timestamp, 1600000000000);
  EXPECT_EQ(client.Ask(Command(topic).Set("topic", "None")).code, Code(ResponseCode::kTopicNotExist));

  const Command group = GroupCommand(RequestCode::kGetConsumeStats, "G");
  auto stats = protocol::DecodeConsumeStats(client.Ask(group).body);
  ASSERT_TRUE(stats && stats->offsets.contains(queue));
  EXPECT_EQ(stats->offsets.at(queue).consumer_offset, 2);
  EXPECT_EQ(stats->Lag(), 3);
  EXPECT_GT(stats->offsets.at(queue).last_timestamp, 1600000000000);
  EXPECT_EQ(protocol::DecodeConsumeStats(client.Ask(Command(group).Set("topic", "None")).body)->offsets.size(), 0u);
  // A group that is online is asked about what it consumes.
  client.Ask(Heartbeat("c1", "G", "Other"));
  EXPECT_EQ(protocol::DecodeConsumeStats(client.Ask(group).body)->offsets.size(), 0u);
  client.Ask(Heartbeat("c1", "G", "T"));
  const auto all = protocol::DecodeConsumeStatsList(
      client.Ask(Command(RequestCode::kGetBrokerConsumeStats).Set("isOrder", "false")).body);
  EXPECT_EQ(all->total_diff, 3);
}

TEST_F(GroupAdminTest, WhoConsumesATopic_OnlineOrByItsOffsets) {
  Start();
  RawClient client = Connect();
  Fill(client, 1);
  client.Ask(Update("Offline", "T", 0, 1));
  client.Ask(Heartbeat("c1", "Online", "T"));
  const auto groups =
      protocol::DecodeGroupList(client.Ask(Command(RequestCode::kQueryTopicConsumeByWho).Set("topic", "T")).body);
  EXPECT_EQ(*groups, (std::vector<std::string>{"Offline", "Online"}));
}

TEST_F(GroupAdminTest, CountersByTopicQueueAndGroup) {
  Start();
  RawClient client = Connect();
  Fill(client, 4);
  client.Ask(Heartbeat("c1", "G", "T"));
  EXPECT_EQ(client.Ask(Pull("G", "T", 0, 0, 0, 0, 1)).code, 0);
  const auto sum = [&](const std::string& name, const std::string& key) {
    const Command reply =
        client.Ask(Command(RequestCode::kViewBrokerStatsData).Set("statsName", name).Set("statsKey", key));
    if (reply.code != 0) return int64_t{-1};
    return protocol::DecodeBrokerStats(reply.body)->minute.sum;
  };
  EXPECT_EQ(sum("TOPIC_PUT_NUMS", "T"), 4);
  EXPECT_GT(sum("TOPIC_PUT_SIZE", "T"), 4 * 91);
  EXPECT_EQ(sum("QUEUE_PUT_NUMS", "T@0"), 4);
  EXPECT_EQ(sum("GROUP_GET_NUMS", "T@G"), 4);
  EXPECT_EQ(sum("QUEUE_GET_NUMS", "T@0@G"), 4);
  EXPECT_EQ(sum("BROKER_PUT_NUMS", "DefaultCluster"), 4);
  EXPECT_EQ(sum("BROKER_GET_NUMS", "DefaultCluster"), 4);
  EXPECT_EQ(sum("TOPIC_PUT_NUMS", "nope"), -1);
  EXPECT_EQ(sum("NO_SUCH_NAME", "T"), -1);
  // A deleted topic's counters go with it, and one of that name starts anew.
  client.Ask(Command(RequestCode::kDeleteTopicInBroker).Set("topic", "T"));
  EXPECT_EQ(sum("TOPIC_PUT_NUMS", "T"), -1);
  EXPECT_EQ(sum("GROUP_GET_NUMS", "T@G"), -1);
  Fill(client, 2);
  EXPECT_EQ(sum("TOPIC_PUT_NUMS", "T"), 2);
  EXPECT_EQ(sum("QUEUE_PUT_NUMS", "T@0"), 2);
}

TEST(StatsTableTest, WindowsAreAMinuteAnHourAndADay) {
  StatsItem item(0);
  for (int64_t ms = 1000; ms <= 2 * 3600 * 1000; ms += 1000) {
    item.Add(2);
    if (ms % StatsTable::kMinuteStepMs == 0) item.Sample(StatsItem::kMinute, ms);
    if (ms % StatsTable::kHourStepMs == 0) item.Sample(StatsItem::kHour, ms);
    if (ms % StatsTable::kDayStepMs == 0) item.Sample(StatsItem::kDay, ms);
  }
  const auto data = StatsTable::Data(item, 2 * 3600 * 1000);
  EXPECT_EQ(data.minute.sum, 120);
  EXPECT_EQ(data.hour.sum, 7200);
  EXPECT_EQ(data.day.sum, 14400);
  EXPECT_DOUBLE_EQ(data.hour.tps, 2);
  EXPECT_DOUBLE_EQ(data.day.average, 2);
}

TEST_F(GroupAdminTest, FI09_Bug97_AResetByTimeFindsTheFirstMessageOfThatTime) {
  Start();
  RawClient client = Connect();
  Fill(client, 10);
  client.Ask(Heartbeat("c1", "G", "T"));
  const MessageQueue queue{"T", "broker-a", 0};
  const auto table =
      protocol::DecodeTopicStats(client.Ask(Command(RequestCode::kGetTopicStatsInfo).Set("topic", "T")).body);
  const int64_t last = table->at(queue).last_update_timestamp;
  const auto reset_to = [&](int64_t timestamp) {
    const Command reply = client.Ask(Reset("G", "T", timestamp));
    EXPECT_EQ(reply.code, 0) << reply.remark;
    const auto body = protocol::DecodeResetOffset(reply.body);
    return body && body->contains(queue) ? body->at(queue) : -1;
  };
  EXPECT_EQ(reset_to(last + 1), 10);
  EXPECT_EQ(reset_to(last + 86400000), 10);
  EXPECT_EQ(reset_to(-1), 10);
  const int64_t exact = reset_to(last);
  EXPECT_GE(exact, 0);
  EXPECT_LE(exact, 9);
  EXPECT_EQ(reset_to(1000), 0);
  EXPECT_EQ(Stored(client), 0);
  RunUntil([&] { return client.Asked(RequestCode::kResetConsumerClientOffset) == 5; });
  for (const Command& notice : client.asked) {
    if (notice.code != static_cast<int32_t>(RequestCode::kResetConsumerClientOffset)) continue;
    EXPECT_EQ(*notice.Find("topic"), "T");
    EXPECT_EQ(protocol::DecodeResetOffset(notice.body)->size(), 1u);
  }
}

TEST_F(GroupAdminTest, Bug102_DuringAResetMembersMayGoBack_AndAfterItNot) {
  Start();
  RawClient client = Connect();
  Fill(client, 10);
  client.Ask(Heartbeat("c1", "G", "T"));
  client.Tell(Update("G", "T", 0, 8));
  client.Ask(Reset("G", "T", 1000));
  EXPECT_EQ(Stored(client), 0) << "kept by the broker at once";
  client.Tell(Update("G", "T", 0, 9));  // what the member commits before it has heard of it
  client.Tell(Update("G", "T", 0, 0));
  EXPECT_EQ(Stored(client), 0);
  client.Tell(Update("G", "T", 0, 4));
  client.Tell(Update("G", "T", 0, 1));
  EXPECT_EQ(Stored(client), 4) << "the reset is over";
}

TEST_F(GroupAdminTest, WithoutForceAResetOnlyGoesBack) {
  Start();
  RawClient client = Connect();
  Fill(client, 10);
  client.Ask(Heartbeat("c1", "G", "T"));
  client.Ask(Update("G", "T", 0, 6));
  EXPECT_EQ(client.Ask(Reset("G", "T", -1, false)).code, 0);
  EXPECT_EQ(Stored(client), 6);
  EXPECT_EQ(client.Ask(Reset("G", "T", -1, true)).code, 0);
  EXPECT_EQ(Stored(client), 10);
}

TEST_F(GroupAdminTest, AGroupThatIsOfflineIsLeftToTheOperator) {
  Start();
  RawClient client = Connect();
  Fill(client, 3);
  EXPECT_EQ(client.Ask(Reset("None", "T", -1)).remark, "THe consumer group <None> not exist");
  client.Ask(Update("G", "T", 0, 3));
  EXPECT_EQ(client.Ask(Reset("G", "T", 1000)).code, Code(ResponseCode::kConsumerNotOnline));
  EXPECT_EQ(Stored(client), 3);
  EXPECT_EQ(client.Ask(Update("G", "T", 0, 0)).code, 0);
  EXPECT_EQ(Stored(client), 0);
  EXPECT_EQ(client.Ask(Reset("G", "NoTopic", -1)).code, 1);
}

TEST_F(GroupAdminTest, CppConsumersGetTheListForm) {
  Start();
  RawClient client = Connect();
  Fill(client, 3);
  Command heartbeat = Heartbeat("c1", "G", "T");
  heartbeat.language = protocol::LanguageCode::kCpp;
  client.Ask(heartbeat);
  client.Ask(Reset("G", "T", -1));
  RunUntil([&] { return client.Asked(RequestCode::kResetConsumerClientOffset) == 1; });
  EXPECT_EQ(client.asked.back().body,
            R"({"offsetTable":[{"brokerName":"broker-a","offset":3,"queueId":0,"topic":"T"}]})");
}

TEST_F(GroupAdminTest, QuestionsArePassedOnToTheConsumerAndItsAnswerBack) {
  Start();
  RawClient admin = Connect();
  RawClient consumer = Connect();
  consumer.answer = [](remoting::Channel& channel, const protocol::CommandView& request) {
    if (request.code == static_cast<int32_t>(RequestCode::kGetConsumerRunningInfo)) {
      return channel.ReplyBody(request, R"({"jstack":"here"})");
    }
    if (request.code == static_cast<int32_t>(RequestCode::kGetConsumerStatusFromClient)) {
      protocol::GetConsumerStatusBody body;
      body.queues[{"T", "broker-a", 0}] = 7;
      return channel.ReplyBody(request, protocol::EncodeConsumerStatus(body));
    }
  };
  consumer.Ask(Heartbeat("c1", "G", "T"));
  const Command info = GroupCommand(RequestCode::kGetConsumerRunningInfo, "G").Set("jstackEnable", "true");
  const Command reply = admin.Ask(Command(info).Set("clientId", "c1"));
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.body, R"({"jstack":"here"})");
  EXPECT_EQ(*consumer.asked.back().Find("jstackEnable"), "true");
  EXPECT_EQ(admin.Ask(Command(info).Set("clientId", "nobody")).remark, "The Consumer <G> <nobody> not online");
  const Command status = Command(RequestCode::kInvokeBrokerToGetConsumerStatus).Set("topic", "T");
  const auto body = protocol::DecodeConsumerStatus(admin.Ask(Command(status).Set("group", "G")).body);
  ASSERT_TRUE(body && body->clients.contains("c1"));
  EXPECT_EQ(body->clients.at("c1").at({"T", "broker-a", 0}), 7);
  EXPECT_EQ(admin.Ask(Command(status).Set("group", "None")).code, 1);
}

}  // namespace
}  // namespace mq::broker::testing
