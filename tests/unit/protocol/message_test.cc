// Records, properties, batches, ids, names, compression, and the bodies with exact bytes.
#include "protocol/message.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/strings.h"
#include "protocol/admin_headers.h"
#include "protocol/batch.h"
#include "protocol/compress.h"
#include "protocol/heartbeat.h"
#include "protocol/ids.h"
#include "protocol/names.h"
#include "protocol/properties.h"
#include "protocol/register_broker.h"
#include "protocol/route.h"
#include "protocol/send_headers.h"

namespace mq::protocol {
namespace {

MessageView Sample() {
  MessageView message;
  message.topic = "TopicA";
  message.body = "hello";
  message.properties = "KEYS\x01K1";
  message.queue_id = 3;
  message.flag = 9;
  message.queue_offset = QueueOffset(17);
  message.physical_offset = PhysicalOffset(4096);
  message.born_timestamp = 1700000000000;
  message.store_timestamp = 1700000000001;
  message.born_host = *ParseHost("127.0.0.1:1234");
  message.store_host = *ParseHost("[::1]:10911");
  return message;
}

TEST(MessageTest, EncodesAndDecodesMixedHostFamilies) {
  const MessageView message = Sample();
  std::string bytes(RecordBytes(message), '\0');
  ASSERT_EQ(EncodeRecord(message, bytes.data()), bytes.size());
  EXPECT_EQ(bytes.size(), 91u + 12 + 5 + 6 + 7);
  const auto back = DecodeMessage(bytes, BodyCheck::kCrc);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(back->body, "hello");
  EXPECT_EQ(back->body_crc, 907060870u);
  EXPECT_EQ(back->sys_flag, sys_flag::kStoreHostV6);
  EXPECT_EQ(back->store_host.ToString(), "[::1]:10911");
  EXPECT_EQ(back->born_host.ToString(), "127.0.0.1:1234");
  EXPECT_EQ(back->store_timestamp, 1700000000001);
  EXPECT_EQ(LoadBe64(bytes.data() + RecordStoreTimeAt(false)), 1700000000001u);
  EXPECT_EQ(back->physical_offset, PhysicalOffset(4096));
}

TEST(MessageTest, DamageNeverDecodesSilently) {
  const MessageView message = Sample();
  std::string bytes(RecordBytes(message), '\0');
  EncodeRecord(message, bytes.data());
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(DecodeMessage(std::string_view(bytes).substr(0, n)));
  std::string damaged = bytes;
  damaged[kRecordBornHostAt + 8 + 8 + 20 + 4 + 8 + 4] ^= 1;  // first byte of the body
  EXPECT_FALSE(DecodeMessage(damaged, BodyCheck::kCrc));
  EXPECT_TRUE(DecodeMessage(damaged));
  for (size_t i = 0; i < bytes.size(); ++i) {
    damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x80);
    DecodeMessage(damaged).Ignore("must only not crash");
  }
}

TEST(MessageTest, JoinsEnvelopeProperties) {
  MessageView message = Sample();
  const std::string_view more = "WAIT\x01true";
  for (const std::string own : {"KEYS\x01K1", "KEYS\x01K1\x02", ""}) {
    message.properties = own;
    const size_t n = JoinedPropertiesBytes(own, more);
    std::string bytes(RecordBytes(5, 6, n, false, true), '\0');
    ASSERT_EQ(EncodeRecord(message, more, bytes.data()), bytes.size());
    const auto back = DecodeMessage(bytes);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(FindProperty(back->properties, "WAIT"), "true");
    EXPECT_EQ(FindProperty(back->properties, "KEYS"),
              own.empty() ? std::nullopt : std::optional<std::string_view>("K1"));
  }
}

TEST(PropertiesTest, ReadsWithAndWithoutTheLastSeparator) {
  for (const std::string text : {"a\x01"
                                 "1\x02"
                                 "TAGS\x01x",
                                 "a\x01"
                                 "1\x02"
                                 "TAGS\x01x\x02"}) {
    EXPECT_EQ(FindProperty(text, "TAGS"), "x");
    EXPECT_EQ(FindProperty(text, "a"), "1");
    EXPECT_EQ(FindProperty(text, "AGS"), std::nullopt);
    EXPECT_EQ(ParseProperties(text).size(), 2u);
    EXPECT_EQ(WithoutProperty(text, "a"), "TAGS\x01x");
  }
  const std::string odd =
      "x\x01\x02"
      "\x01y\x02unfinished\x02"
      "a\x01"
      "1\x02"
      "a\x01"
      "2";
  EXPECT_EQ(ParseProperties(odd).size(), 1u);
  EXPECT_EQ(FindProperty(odd, "a"), "2");
  EXPECT_EQ(FindProperty(odd, "x"), std::nullopt);
  EXPECT_EQ(TagsCode("TAGS\x01TagA"), 2598919);
  EXPECT_EQ(TagsCode(""), 0);
}

TEST(PropertiesTest, RefusesWhatWouldChangeOtherProperties) {
  EXPECT_FALSE(CheckPropertyValue("a",
                                  "1\x02TAGS\x01"
                                  "evil"));
  EXPECT_FALSE(CheckUserPropertyName("TAGS"));
  EXPECT_FALSE(CheckUserPropertyName(""));
  EXPECT_FALSE(CheckUserPropertyName("a\x01"));
  EXPECT_TRUE(CheckUserPropertyName("where"));
  EXPECT_TRUE(CheckPropertyValue("where", "Beijing,China=1"));
}

TEST(BatchTest, IsRocketMqsOwnBytes) {
  std::string out;
  AppendBatchEntry(out, {"hello", "KEYS\x01K1\x02WAIT\x01true\x02TAGS\x01TagA", 0});
  EXPECT_EQ(HexUpper(out),
            "000000360000000000000000000000000000000568656C6C6F001B4B455953014B3102574149540174727565025441475301"
            "54616741");
  BatchReader reader(out);
  auto entry = reader.Next();
  ASSERT_TRUE(entry);
  EXPECT_EQ((*entry)->body, "hello");
  entry = reader.Next();
  ASSERT_TRUE(entry);
  EXPECT_FALSE(entry->has_value());
  for (size_t n = 1; n < out.size(); ++n) {
    BatchReader cut(std::string_view(out).substr(0, n));
    EXPECT_FALSE(cut.Next());
  }
}

TEST(IdsTest, OffsetIdsInvert) {
  EXPECT_EQ(MakeOffsetMessageId(*ParseHost("127.0.0.1:10091"), PhysicalOffset(1024)),
            "7F0000010000276B0000000000000400");
  EXPECT_EQ(MakeOffsetMessageId(*ParseHost("127.0.0.1:10911"), PhysicalOffset(0x1234)),
            "7F00000100002A9F0000000000001234");
  const auto back = ParseOffsetMessageId("7f0000010000276b0000000000000400");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->host.ToString(), "127.0.0.1:10091");
  EXPECT_EQ(back->offset, PhysicalOffset(1024));
  EXPECT_FALSE(ParseOffsetMessageId("7F0000010000276B000000000000040"));
  EXPECT_FALSE(ParseOffsetMessageId("7F0000010000276B00000000000004000"));
  EXPECT_FALSE(ParseOffsetMessageId("7F0000010000276B000000000000040G"));
  const std::string v6 = MakeOffsetMessageId(*ParseHost("[::1]:1"), PhysicalOffset(5));
  EXPECT_EQ(v6.size(), 56u);
  EXPECT_EQ(ParseOffsetMessageId(v6)->host.ToString(), "[::1]:1");
}

TEST(IdsTest, UniqKeysDiffer) {
  UniqKeyGenerator generator(*ParseHost("10.0.0.9:0"));
  const std::string a = generator.Next(1700000000000);
  const std::string b = generator.Next(1700000000000);
  EXPECT_EQ(a.size(), 32u);
  EXPECT_NE(a, b);
  EXPECT_EQ(a.substr(0, 8), "0A000009");
  EXPECT_EQ(a.substr(0, 28), b.substr(0, 28));
}

TEST(NamesTest, SameRuleEverywhere) {
  EXPECT_TRUE(CheckTopicName("%RETRY%g"));
  EXPECT_TRUE(CheckTopicName(std::string(127, 'a')));
  for (const std::string bad : {"", ".", "../../x", "a/b", "a.b", "T*", "a\nb", "\xE8\xAE\xA2"}) {
    EXPECT_FALSE(CheckTopicName(bad)) << bad;
  }
  EXPECT_FALSE(CheckTopicName(std::string(128, 'a')));
  EXPECT_TRUE(CheckGroupName(std::string(120, 'g')));
  EXPECT_FALSE(CheckGroupName(std::string(121, 'g')));
}

TEST(CompressTest, RoundTripsAndBounds) {
  const std::string text(100000, 'x');
  for (const auto type : {CompressionType::kZlib, CompressionType::kLz4, CompressionType::kZstd}) {
    const auto packed = Compress(type, text);
    ASSERT_TRUE(packed);
    EXPECT_LT(packed->size(), 5000u);
    const auto back = Decompress(type, *packed);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(*back, text);
    EXPECT_TRUE(Decompress(type, *packed, text.size()));
    EXPECT_FALSE(Decompress(type, *packed, text.size() - 1));
    EXPECT_FALSE(Decompress(type, packed->substr(0, packed->size() / 2)));
    EXPECT_FALSE(Decompress(type, "not compressed at all"));
    EXPECT_TRUE(CompressionTypeOf(CompressionFlags(type)).value() == type);
  }
  EXPECT_EQ(CompressionFlags(CompressionType::kZlib), 0x301);
  EXPECT_TRUE(CompressionTypeOf(1).value() == CompressionType::kZlib);
}

TEST(BodiesTest, RegistrationIsRocketMqsOwnBytes) {
  RegisterBrokerBody body;
  body.topics.data_version = {1700000000000, 3};
  TopicConfig config;
  config.name = "TopicA";
  config.read_queues = config.write_queues = 4;
  body.topics.topics["TopicA"] = config;
  const auto plain = EncodeRegisterBrokerBody(body, false);
  EXPECT_EQ(
      *plain,
      R"({"filterServerList":[],"topicConfigSerializeWrapper":{"dataVersion":{"counter":3,"timestamp":1700000000000},)"
      R"("topicConfigTable":{"TopicA":{"order":false,"perm":6,"readQueueNums":4,"topicFilterType":"SINGLE_TAG",)"
      R"("topicName":"TopicA","topicSysFlag":0,"writeQueueNums":4}}}})");
  const auto packed = EncodeRegisterBrokerBody(body, true);
  EXPECT_EQ(HexUpper(*Decompress(CompressionType::kZlib, *packed)),
            "000000277B22636F756E746572223A332C2274696D657374616D70223A313730303030303030303030307D0000000100000017"
            "546F706963412034203420362053494E474C455F544147000000025B5D");
  for (const bool compressed : {false, true}) {
    const auto back = DecodeRegisterBrokerBody(compressed ? *packed : *plain, compressed, kOurVersion);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(back->topics.data_version, body.topics.data_version);
    EXPECT_EQ(back->topics.topics, body.topics.topics);
  }
  EXPECT_FALSE(DecodeRegisterBrokerBody(packed->substr(0, 20), true, kOurVersion));
  EXPECT_TRUE(DecodeRegisterBrokerBody("", true, kOurVersion)->topics.topics.empty());
}

TEST(BodiesTest, RouteHasTwoForms) {
  TopicRouteData route;
  route.queues.push_back({"broker-a", 4, 4, 6, 0});
  route.brokers.push_back({"DefaultCluster", "broker-a", {{0, "10.0.0.1:10911"}, {1, "10.0.0.2:10911"}}});
  EXPECT_EQ(EncodeTopicRoute(route, RouteJson::kFastjson),
            R"({"brokerDatas":[{"brokerAddrs":{0:"10.0.0.1:10911",1:"10.0.0.2:10911"},"brokerName":"broker-a",)"
            R"("cluster":"DefaultCluster"}],"filterServerTable":{},"queueDatas":[{"brokerName":"broker-a","perm":6,)"
            R"("readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]})");
  route.brokers[0].cluster = "a/é😀";
  const std::string standard = EncodeTopicRoute(route, RouteJson::kStandard);
  EXPECT_NE(standard.find(R"("brokerAddrs":{"0":"10.0.0.1:10911","1":)"), std::string::npos);
  EXPECT_NE(standard.find(R"("cluster":"a\/\u00E9\uD83D\uDE00")"), std::string::npos) << standard;
  EXPECT_EQ(*DecodeTopicRoute(standard), route);
}

TEST(BodiesTest, HeartbeatsOfOtherLanguagesAreRead) {
  const auto cpp = DecodeHeartbeat(
      R"({"clientID":"c","consumerDataSet":[{"consumeFromWhere":4,"consumeType":1,"groupName":"G","messageModel":1,)"
      R"("subscriptionDataSet":[{"codeSet":["5",6],"subString":"TagA","subVersion":"123","tagsSet":["TagA"],"topic":"T"}]}]})");
  ASSERT_TRUE(cpp) << cpp.error().what;
  EXPECT_TRUE(cpp->consumers[0].consume_from_where == ConsumeFromWhere::kFirstOffset);
  EXPECT_EQ(cpp->consumers[0].subscriptions[0].sub_version, 123);
  EXPECT_EQ(cpp->consumers[0].subscriptions[0].codes, (std::vector<int32_t>{5, 6}));
  EXPECT_TRUE(cpp->producer_groups.empty());
  EXPECT_FALSE(DecodeHeartbeat("{}"));
  EXPECT_FALSE(DecodeHeartbeat("[]"));
}

TEST(BodiesTest, SubscriptionFiltersByHashAndText) {
  const auto subscription = BuildSubscription("T", " TagA || TagB||", 1);
  ASSERT_TRUE(subscription);
  EXPECT_EQ(subscription->codes, (std::vector<int32_t>{2598919, 2598920}));
  EXPECT_TRUE(subscription->MatchesCode(2598919));
  EXPECT_FALSE(subscription->MatchesCode(1));
  EXPECT_TRUE(subscription->MatchesTag("TagB"));
  EXPECT_FALSE(subscription->MatchesTag("TagC"));
  EXPECT_TRUE(BuildSubscription("T", "*", 1)->matches_all());
  EXPECT_FALSE(BuildSubscription("T", " || ", 1));
}

TEST(HeadersTest, MissingAndBadFieldsAreNamed) {
  Command command(RequestCode::kSendMessageV2);
  command.Set("a", "g").Set("b", "T").Set("c", "TBW102").Set("d", int64_t{4}).Set("f", int64_t{0});
  command.Set("g", int64_t{1}).Set("h", int64_t{0});
  CommandView view;
  std::string bytes;
  EncodeCommand(command, bytes);
  ASSERT_TRUE(DecodeCommand(bytes, view));
  auto header = SendMessageRequestHeader::Decode(view);
  ASSERT_FALSE(header);
  EXPECT_NE(header.error().what.find("field e is missing"), std::string::npos) << header.error().what;
  command.Set("e", "three");
  bytes.clear();
  EncodeCommand(command, bytes);
  ASSERT_TRUE(DecodeCommand(bytes, view));
  header = SendMessageRequestHeader::Decode(view);
  ASSERT_FALSE(header);
  EXPECT_NE(header.error().what.find("field e is not a number: \"three\""), std::string::npos);
  command.Set("e", int64_t{-1});
  bytes.clear();
  EncodeCommand(command, bytes);
  ASSERT_TRUE(DecodeCommand(bytes, view));
  header = SendMessageRequestHeader::Decode(view);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->queue_id, -1);
  EXPECT_FALSE(header->batch);
  EXPECT_FALSE(header->max_reconsume_times.has_value());
}

}  // namespace
}  // namespace mq::protocol
