// Frames recorded between RocketMQ 4.9.8's own client, tools, broker and name server decode to what
// RocketMQ's own classes said about them, and typed headers and bodies read them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json.h"
#include "protocol/admin_headers.h"
#include "protocol/batch.h"
#include "protocol/command.h"
#include "protocol/heartbeat.h"
#include "protocol/lists.h"
#include "protocol/message.h"
#include "protocol/pull_headers.h"
#include "protocol/register_broker.h"
#include "protocol/route.h"
#include "protocol/send_headers.h"

namespace mq::protocol {
namespace {

std::string Slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Recorded {
  json::Value index;
  std::string frame;
};

std::vector<Recorded> AllFrames() {
  const std::string dir = std::string(MQ_GOLDEN_DIR) + "/wire/";
  std::ifstream lines(dir + "index.jsonl");
  std::vector<Recorded> frames;
  for (std::string line; std::getline(lines, line);) {
    Result<json::Value> value = json::Parse(line);
    EXPECT_TRUE(value) << line;
    if (!value) continue;
    std::string frame = Slurp(dir + value->Text("file"));
    frames.push_back({std::move(*value), std::move(frame)});
  }
  return frames;
}

TEST(GoldenWireTest, HeadersDecodeAsRocketMqSaysTheyDo) {
  const std::vector<Recorded> frames = AllFrames();
  ASSERT_GT(frames.size(), 50u);
  CommandView command;  // one object for all: as a connection reuses it
  for (const Recorded& recorded : frames) {
    SCOPED_TRACE(recorded.index.Text("file"));
    const Result<size_t> size = FrameSize(recorded.frame);
    ASSERT_TRUE(size);
    ASSERT_EQ(*size, recorded.frame.size());
    const Status status = DecodeCommand(recorded.frame, command);
    ASSERT_TRUE(status) << status.error().what;
    EXPECT_EQ(command.code, recorded.index.Int("code"));
    EXPECT_EQ(command.version, recorded.index.Int("version"));
    EXPECT_EQ(command.opaque, recorded.index.Int("opaque"));
    EXPECT_EQ(command.flag, recorded.index.Int("flag"));
    EXPECT_EQ(command.language(), recorded.index.Text("language"));
    EXPECT_EQ(command.remark, recorded.index.Text("remark"));
    EXPECT_EQ(command.type == SerializeType::kRocketMq, recorded.index.Text("serializeType") == "ROCKETMQ");
    EXPECT_EQ(command.body.size(), static_cast<size_t>(recorded.index.Int("bodyLength")));
    const json::Value* ext = recorded.index.Find("extFields");
    const size_t count = ext == nullptr ? 0 : ext->members().size();
    EXPECT_EQ(command.ext.size(), count);
    for (size_t i = 0; i < count; ++i) {
      const auto& [key, value] = ext->members()[i];
      if (value.is_null()) continue;
      EXPECT_EQ(command.Find(key).value_or(""), value.AsString()) << key;
    }
  }
}

TEST(GoldenWireTest, EveryFrameSurvivesReencodingInBothCodecs) {
  CommandView first;
  CommandView second;
  for (const Recorded& recorded : AllFrames()) {
    SCOPED_TRACE(recorded.index.Text("file"));
    ASSERT_TRUE(DecodeCommand(recorded.frame, first));
    for (const SerializeType type : {SerializeType::kJson, SerializeType::kRocketMq}) {
      Command copy = CopyCommand(first);
      copy.type = type;
      std::string bytes;
      EncodeCommand(copy, bytes);
      const Status status = DecodeCommand(bytes, second);
      ASSERT_TRUE(status) << status.error().what;
      EXPECT_EQ(second.code, first.code);
      EXPECT_EQ(second.opaque, first.opaque);
      EXPECT_EQ(second.remark, first.remark);
      EXPECT_EQ(second.body, first.body);
      EXPECT_EQ(second.ext.size(), first.ext.size());
      for (const ExtField& field : first.ext) EXPECT_EQ(second.Find(field.key).value_or(""), field.value);
    }
  }
}

TEST(GoldenWireTest, TypedHeadersAndBodiesReadThem) {
  CommandView command;
  int messages = 0;
  for (const Recorded& recorded : AllFrames()) {
    SCOPED_TRACE(recorded.index.Text("file"));
    ASSERT_TRUE(DecodeCommand(recorded.frame, command));
    const int64_t request = recorded.index.Int("requestCode");
    const bool is_request = recorded.index.Text("kind") == "request";
    if (!is_request && command.code != 0) continue;
    if ((request == 310 || request == 320) && is_request) {
      const auto header = SendMessageRequestHeader::Decode(command);
      ASSERT_TRUE(header) << header.error().what;
      if (!header->batch) continue;
      BatchReader reader(command.body);
      int entries = 0;
      for (;;) {
        const auto entry = reader.Next();
        ASSERT_TRUE(entry) << entry.error().what;
        if (!*entry) break;
        ++entries;
      }
      EXPECT_GT(entries, 1);
    } else if (request == 310 || request == 320) {
      EXPECT_TRUE(SendMessageResponseHeader::Decode(command));
    } else if (request == 11 && is_request) {
      EXPECT_TRUE(PullMessageRequestHeader::Decode(command));
    } else if (request == 11) {
      EXPECT_TRUE(PullMessageResponseHeader::Decode(command));
      std::string_view rest = command.body;
      while (!rest.empty()) {
        const auto message = DecodeMessage(rest, BodyCheck::kCrc);
        ASSERT_TRUE(message) << message.error().what;
        rest.remove_prefix(static_cast<size_t>(message->size));
        std::string again(RecordBytes(*message), '\0');
        EXPECT_EQ(EncodeRecord(*message, again.data()), again.size());
        EXPECT_EQ(
            again,
            std::string_view(command.body).substr(command.body.size() - rest.size() - again.size(), again.size()));
        ++messages;
      }
    } else if (request == 103 && is_request) {
      const auto header = RegisterBrokerRequestHeader::Decode(command);
      ASSERT_TRUE(header) << header.error().what;
      const auto body = DecodeRegisterBrokerBody(command.body, header->compressed, command.version);
      ASSERT_TRUE(body) << body.error().what;
    } else if (request == 105 && !is_request) {
      const auto route = DecodeTopicRoute(command.body);
      ASSERT_TRUE(route) << route.error().what;
      EXPECT_FALSE(route->queues.empty());
      const std::string standard = EncodeTopicRoute(*route, RouteJson::kStandard);
      const std::string fastjson = EncodeTopicRoute(*route, RouteJson::kFastjson);
      EXPECT_TRUE(command.body == standard || command.body == fastjson) << command.body << "\n" << fastjson;
    } else if (request == 106 && !is_request) {
      const auto info = DecodeClusterInfo(command.body);
      ASSERT_TRUE(info) << info.error().what;
      EXPECT_EQ(EncodeClusterInfo(*info), command.body);
    } else if (request == 206 && !is_request) {
      EXPECT_TRUE(DecodeTopicList(command.body));
    } else if (request == 28 && !is_request) {
      const auto table = DecodeKvTable(command.body);
      ASSERT_TRUE(table);
      EXPECT_GT(table->size(), 10u);
    } else if (request == 34 && is_request) {
      const auto heartbeat = DecodeHeartbeat(command.body);
      ASSERT_TRUE(heartbeat) << heartbeat.error().what;
      EXPECT_EQ(EncodeHeartbeat(*heartbeat).size(), command.body.size());
    } else if (request == 17 && is_request) {
      EXPECT_TRUE(CreateTopicRequestHeader::Decode(command));
    } else if (request == 322 && is_request) {
      EXPECT_TRUE(BrokerIdentityHeader::Decode(command));
      const auto version = DecodeDataVersion(command.body);
      ASSERT_TRUE(version);
      EXPECT_EQ(EncodeDataVersion(*version), command.body);
    } else if (request == 21 && !is_request) {
      EXPECT_TRUE(DecodeTopicConfigs(command.body));
    }
  }
  EXPECT_GT(messages, 5);
}

}  // namespace
}  // namespace mq::protocol
