// What golden frames do not show: the tolerant side of reading bodies, and the exact text where clients depend on it.
#include <gtest/gtest.h>

#include "protocol/acl_config.h"
#include "protocol/connections.h"
#include "protocol/consume_stats.h"
#include "protocol/group_config.h"
#include "protocol/kv_headers.h"
#include "protocol/locks.h"
#include "protocol/offset_bodies.h"
#include "protocol/running_info.h"

namespace mq::protocol {
namespace {

const MessageQueue kQueue{"TopicA", "broker-a", 1};

TEST(BodiesTest, MapsOfQueuesAreWrittenWithoutBlanksForClientsThatCutByPosition) {
  const ResetOffsetBody offsets = {{{"TopicA", "broker-a", 0}, 5}, {kQueue, 6}};
  EXPECT_EQ(EncodeResetOffset(offsets, ResetForm::kMap),
            R"({"offsetTable":{{"brokerName":"broker-a","queueId":0,"topic":"TopicA"}:5,)"
            R"({"brokerName":"broker-a","queueId":1,"topic":"TopicA"}:6}})");
  EXPECT_EQ(EncodeResetOffset({{kQueue, 6}}, ResetForm::kList),
            R"({"offsetTable":[{"brokerName":"broker-a","offset":6,"queueId":1,"topic":"TopicA"}]})");
}

TEST(BodiesTest, KeysMayBeObjectsOrTheirTextAndMembersMayComeInAnyOrder) {
  for (const std::string_view body :
       {std::string_view(R"({"offsetTable":{{"brokerName":"broker-a","queueId":1,"topic":"TopicA"}:6}})"),
        std::string_view(R"({"offsetTable":{"{\"brokerName\":\"broker-a\",\"queueId\":1,\"topic\":\"TopicA\"}":6}})"),
        std::string_view(
            "{ \"offsetTable\" : { {\n\"topic\":\"TopicA\", \"queueId\":\"1\",\"brokerName\":\"broker-a\"} "
            ": \"6\" } }"),
        std::string_view(R"({"offsetTable":[{"topic":"TopicA","queueId":1,"brokerName":"broker-a","offset":6}]})")}) {
    const auto read = DecodeResetOffset(body);
    ASSERT_TRUE(read) << body << ": " << read.error().what;
    EXPECT_EQ(*read, (ResetOffsetBody{{kQueue, 6}})) << body;
  }
  EXPECT_FALSE(DecodeResetOffset(R"({"offsetTable":{"no queue":6}})"));
}

TEST(BodiesTest, SharedInstancesMayBeReferences) {
  const auto read =
      DecodeConsumerStatus(R"({"consumerTable":{"c1":{{"brokerName":"broker-a","queueId":1,"topic":"TopicA"}:6},)"
                           R"("c2":{"$ref":"$.consumerTable.c1"}},"messageQueueTable":{}})");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->clients.at("c1").at(kQueue), 6);
  EXPECT_TRUE(read->clients.at("c2").empty());
}

TEST(BodiesTest, IntegerKeysAreBareWhenWrittenAndBareOrQuotedWhenRead) {
  const ConsumerOffsetTable table = {{"T@g", {{0, 5}, {1, 7}}}};
  EXPECT_EQ(EncodeConsumerOffsets(table), R"({"offsetTable":{"T@g":{0:5,1:7}}})");
  EXPECT_EQ(*DecodeConsumerOffsets(R"({"offsetTable":{"T@g":{"0":5,1:"7"}}})"), table);
  EXPECT_EQ(EncodeDelayOffsets({{1, 10}}), R"({"offsetTable":{1:10}})");
  const auto wrong = DecodeConsumerOffsets(R"({"offsetTable":{"T@g":{"x":5}}})");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().what.find("T@g"), std::string::npos) << wrong.error().what;
  EXPECT_FALSE(DecodeConsumerOffsets(R"({"offsetTable":{"T@g":{99999999999:5}}})"));
}

TEST(BodiesTest, EnumerationsMayBeNamesOrOrdinals) {
  const auto go = DecodeConsumeDirectly(R"({"consumeResult":4,"order":"true","spentTimeMills":"3"})");
  ASSERT_TRUE(go);
  EXPECT_EQ(go->result, ConsumeResult::kThrowException);
  EXPECT_TRUE(go->order);
  EXPECT_EQ(go->spent_ms, 3);
  const auto unknown = DecodeConsumerConnection(R"({"consumeType":"CONSUME_LATER","messageModel":0})");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->consume_type, ConsumeType::kPassively);
  EXPECT_EQ(unknown->message_model, MessageModel::kBroadcasting);
}

TEST(BodiesTest, LanguagesAndVersionsNobodyKnowsAreKept) {  // bugs: unknown language of the client
  const ProducerConnection shown = {{"c@1", "10.0.0.1:5", "KLINGON", 65535}};
  const auto read = DecodeProducerConnection(EncodeProducerConnection(shown));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, shown);
}

TEST(BodiesTest, RunningInfoOfGoSpellsDropped) {
  const auto read = DecodeRunningInfo(
      R"({"mqTable":{{"topic":"TopicA","brokerName":"broker-a","queueId":1}:{"dropped":true,"commitOffset":9}}})");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->queues.at(kQueue).dropped);
  EXPECT_NE(EncodeRunningInfo(*read).find(R"("droped":true)"), std::string::npos);
  EXPECT_EQ(*DecodeRunningInfo(EncodeRunningInfo(*read)), *read);
}

TEST(BodiesTest, DefaultsOfAGroup) {
  const auto read = DecodeGroupConfig(R"({"groupName":"g"})");
  ASSERT_TRUE(read);
  EXPECT_EQ(EncodeGroupConfig(*read),
            R"({"brokerId":0,"consumeBroadcastEnable":true,"consumeEnable":true,"consumeFromMinEnable":true,)"
            R"("groupName":"g","notifyConsumerIdsChangedEnable":true,"retryMaxTimes":16,"retryQueueNums":1,)"
            R"("whichBrokerWhenConsumeSlowly":1})");
}

TEST(BodiesTest, LagIsTheSumAndDoesNotOverflow) {
  ConsumeStats stats;
  stats.offsets[kQueue] = {10, 4, 0};
  stats.offsets[{"TopicA", "broker-a", 0}] = {3, 3, 0};
  EXPECT_EQ(stats.Lag(), 6);
  stats.offsets[kQueue] = {INT64_MAX, INT64_MIN, 0};
  stats.Lag();
}

TEST(BodiesTest, OffsetMovedEventAndAccounts) {
  const OffsetMovedEvent event{"g", kQueue, 9, 3};
  EXPECT_EQ(EncodeOffsetMoved(event),
            R"({"consumerGroup":"g","messageQueue":{"brokerName":"broker-a","queueId":1,"topic":"TopicA"},)"
            R"("offsetNew":3,"offsetRequest":9})");
  EXPECT_EQ(*DecodeOffsetMoved(EncodeOffsetMoved(event)), event);
  const AclConfig acl{{"10.*"}, {{"key", "", "", true, "DENY", "", {"T=PUB"}, {}}}};
  EXPECT_EQ(*DecodeAclConfig(EncodeAclConfig(acl)), acl);
}

TEST(BodiesTest, HostileBodiesAreErrors) {
  const std::string deep = std::string(100000, '[');
  for (const std::string& body : {std::string("{"), std::string("null"), deep, std::string("{\"offsetTable\":{") + deep,
                                  std::string("{\"offsetTable\":{{\"topic\":") + deep + ":1}}", std::string("\xff")}) {
    (void)DecodeConsumeStats(body);
    (void)DecodeTopicStats(body);
    EXPECT_FALSE(body != "null" && DecodeResetOffset(body).has_value()) << body.substr(0, 30);
    EXPECT_FALSE(DecodeLockRequest(body).has_value()) << body.substr(0, 30);
  }
}

TEST(BodiesTest, AMissingFieldIsNamed) {  // bugs: wrong header name gives an empty answer
  Command command(RequestCode::kGetKvConfig);
  command.Set("namespace", "n").Set("keys", "k");
  std::string frame;
  EncodeCommand(command, frame);
  CommandView view;
  ASSERT_TRUE(DecodeCommand(frame, view));
  const auto header = KvKeyRequestHeader::Decode(view);
  ASSERT_FALSE(header);
  EXPECT_NE(header.error().what.find("key is missing"), std::string::npos) << header.error().what;
}

}  // namespace
}  // namespace mq::protocol
