// Framing and both header codecs, with the hostile input that reaches an open port.
#include "protocol/command.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/strings.h"

namespace mq::protocol {
namespace {

std::string Frame(std::string_view header, std::string_view body = {}, uint8_t type = 0) {
  std::string out;
  AppendBe32(out, static_cast<uint32_t>(4 + header.size() + body.size()));
  AppendBe32(out, static_cast<uint32_t>(header.size()) | (uint32_t{type} << 24));
  out.append(header).append(body);
  return out;
}

TEST(CommandTest, JsonRequestIsRocketMqsOwnBytes) {
  Command command(RequestCode::kGetRouteinfoByTopic);
  command.opaque = 7;
  command.Set("topic", "TopicA");
  std::string bytes;
  EncodeCommand(command, bytes);
  EXPECT_EQ(bytes.substr(8), R"({"code":105,"extFields":{"topic":"TopicA"},"flag":0,"language":"JAVA","opaque":7,)"
                             R"("serializeTypeCurrentRPC":"JSON","version":409})");
  EXPECT_EQ(HexUpper(bytes.substr(0, 8)), "0000008400000080");
}

TEST(CommandTest, BinaryRequestIsRocketMqsOwnBytes) {
  Command command(RequestCode::kGetRouteinfoByTopic);
  command.opaque = 7;
  command.type = SerializeType::kRocketMq;
  command.Set("topic", "TopicA");
  std::string bytes;
  EncodeCommand(command, bytes);
  EXPECT_EQ(HexUpper(bytes),
            "0000002A01000026006900019900000007000000000000000000000011"
            "0005746F70696300000006546F70696341");
}

TEST(CommandTest, CodesThatDoNotFitTheBinaryHeaderGoOutAsJson) {
  Command command;
  command.code = 200050;
  command.type = SerializeType::kRocketMq;
  std::string bytes;
  EncodeCommand(command, bytes);
  CommandView view;
  ASSERT_TRUE(DecodeCommand(bytes, view));
  EXPECT_EQ(view.type, SerializeType::kJson);
  EXPECT_EQ(view.code, 200050);
}

TEST(CommandTest, ToleratesWhatOtherClientsSend) {
  CommandView view;
  const std::string frame =
      Frame(R"({"code":310,"language":"KLINGON","version":0,"opaque":-3,"flag":0,"remark":null,)"
            R"("unknown":[{"x":[1,2]}],"extFields":{"e":4,"m":false,"g":1700000000000,"i":"a\u0001b\u0002","x":null}})"
            "\n",
            "body");
  const Status status = DecodeCommand(frame, view);
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_EQ(view.opaque, -3);
  EXPECT_EQ(view.language(), "KLINGON");
  EXPECT_EQ(view.Find("e"), "4");
  EXPECT_EQ(view.Find("m"), "false");
  EXPECT_EQ(view.Find("g"), "1700000000000");
  EXPECT_EQ(view.Find("i"), std::string_view("a\x01"
                                             "b\x02",
                                             4));
  EXPECT_FALSE(view.Find("x").has_value());
  EXPECT_EQ(view.body, "body");
}

TEST(CommandTest, EscapesOfAllKindsSurvive) {
  CommandView view;
  ASSERT_TRUE(DecodeCommand(Frame(R"({"code":0,"remark":"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00 é"})"), view));
  EXPECT_EQ(view.remark, "\"\\/\b\f\n\r\té😀 é");
}

TEST(CommandTest, MalformedHeadersAreNamedErrors) {
  CommandView view;
  const std::pair<std::string, std::string> cases[] = {
      {R"({"code":1,"code":2})", "duplicate"},
      {R"({"code":1,"extFields":{"a":"1","a":"2"}})", "duplicate"},
      {R"({"code":1,"remark":"cut)", "cut off"},
      {R"({"code":1,"remark":"\u12")", "escape"},
      {R"({"code":1,"remark":"\uD800x"})", "surrogate"},
      {"{\"code\":1,\"remark\":\"\xff\"}", "UTF-8"},
      {R"({"code":99999999999})", "32-bit"},
      {R"({"code":1.5})", "whole"},
      {R"({"opaque":1})", "no code"},
      {R"({"code":1} x)", "after"},
      {R"([1])", "object"},
      {"", "object"},
      {"{\"code\":1,\"x\":" + std::string(10000, '[') + std::string(10000, ']') + "}", "deep"},
  };
  for (const auto& [header, word] : cases) {
    const Status status = DecodeCommand(Frame(header), view);
    ASSERT_FALSE(status) << header.substr(0, 80);
    EXPECT_NE(status.error().what.find(word), std::string::npos) << status.error().what;
  }
}

TEST(CommandTest, FrameSizeNamesWhatItSees) {
  const std::pair<std::string, std::string> cases[] = {
      {"GET / HTTP/1.1\r\n\r\n", "HTTP request"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/2"},
      {std::string("\x16\x03\x01\x02\x00", 5), "TLS"},
      {std::string("\x03\x00\x00\x2f", 4), "remote-desktop"},
      {"\xff\xff\xff\xff", "length"},
      {std::string("\0\0\0\0", 4), "too short"},
      {std::string("\0\0\0\3abc", 7), "too short"},
      {std::string("\0\0\0\x08\x07\0\0\0", 8), "serialize type 7"},
      {std::string("\0\0\0\x08\xff\0\0\0", 8), "serialize type 255"},
      {std::string("\0\0\0\x08\0\0\0\x09", 8), "header"},
  };
  for (const auto& [bytes, word] : cases) {
    const Result<size_t> size = FrameSize(bytes);
    ASSERT_FALSE(size) << HexUpper(bytes);
    EXPECT_NE(size.error().what.find(word), std::string::npos) << size.error().what;
  }
  for (const size_t n : {0, 1, 3, 4, 7}) {
    const std::string frame = Frame(R"({"code":1})");
    const Result<size_t> size = FrameSize(std::string_view(frame).substr(0, n));
    ASSERT_TRUE(size);
    EXPECT_EQ(*size, 0u);
  }
}

TEST(CommandTest, EveryCutAndEveryFlippedByteIsAnAnswerOrAnError) {
  Command command(RequestCode::kSendMessageV2);
  command.Set("a", "group").Set("b", "Topic").Set("e", int64_t{3}).Set("i", "KEYS\x01k\x02TAGS\x01t");
  command.remark = "r\"emark";
  command.body = "body";
  CommandView view;
  for (const SerializeType type : {SerializeType::kJson, SerializeType::kRocketMq}) {
    command.type = type;
    std::string bytes;
    EncodeCommand(command, bytes);
    for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(DecodeCommand(std::string_view(bytes).substr(0, n), view));
    for (size_t i = 8; i < bytes.size(); ++i) {
      for (const int flip : {1, 0x80, 0xFF}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        DecodeCommand(damaged, view).Ignore("either is fine, as long as it ends");
      }
    }
  }
}

TEST(CommandTest, OfABinaryFieldThatComesTwiceTheLastCounts) {
  Command command(RequestCode::kGetRouteinfoByTopic);
  command.type = SerializeType::kRocketMq;
  command.Set("a", "first").Set("b", "second");
  std::string bytes;
  EncodeCommand(command, bytes);
  bytes.replace(bytes.rfind('b'), 1, "a");
  CommandView view;
  ASSERT_TRUE(DecodeCommand(bytes, view));
  ASSERT_EQ(view.ext.size(), 1u);
  EXPECT_EQ(view.Find("a"), "second");
}

TEST(CommandTest, BinaryLanguageAndVersionAreKept) {
  Command command(RequestCode::kHeartBeat);
  command.type = SerializeType::kRocketMq;
  command.language = static_cast<LanguageCode>(200);
  command.version = 65535;
  std::string bytes;
  EncodeCommand(command, bytes);
  CommandView view;
  ASSERT_TRUE(DecodeCommand(bytes, view));
  EXPECT_EQ(view.language_code, 200);
  EXPECT_EQ(view.version, 65535);
}

}  // namespace
}  // namespace mq::protocol
