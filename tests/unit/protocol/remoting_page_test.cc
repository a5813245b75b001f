// The worked examples of mq-remoting(5) are what this code reads and writes.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "protocol/batch.h"
#include "protocol/command.h"
#include "protocol/offset_bodies.h"
#include "protocol/properties.h"
#include "protocol/route.h"

namespace mq::protocol {
namespace {

// The text between .Bd and .Ed after `.\" example NAME`, without line breaks.
std::string Example(const std::string& name) {
  std::ifstream in(std::string(MQ_SOURCE_DIR) + "/man/mq-remoting.5");
  bool found = false;
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line == ".\\\" example " + name) {
      found = true;
    } else if (found && line == ".Ed") {
      return out;
    } else if (found && !line.starts_with(".Bd")) {
      out += line;
    }
  }
  ADD_FAILURE() << "no example " << name;
  return out;
}

std::string Bytes(const std::string& hex) {
  std::string out;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ') continue;
    digits += c;
    if (digits.size() < 2) continue;
    out += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  EXPECT_TRUE(digits.empty());
  return out;
}

TEST(RemotingPageTest, BothFramesAreTheSameRequest) {
  for (const auto& [name, type] :
       {std::pair{"route-request-json", SerializeType::kJson}, {"route-request-binary", SerializeType::kRocketMq}}) {
    const std::string frame = Bytes(Example(name));
    const auto size = FrameSize(frame);
    ASSERT_TRUE(size) << size.error().what;
    ASSERT_EQ(*size, frame.size());
    CommandView command;
    const Status status = DecodeCommand(frame, command);
    ASSERT_TRUE(status) << status.error().what;
    EXPECT_EQ(command.type, type);
    EXPECT_EQ(command.code, 105);
    EXPECT_EQ(command.version, 409);
    EXPECT_EQ(command.opaque, 7);
    EXPECT_EQ(command.language(), "JAVA");
    EXPECT_EQ(command.Find("topic"), "TopicA");
    std::string again;
    EncodeCommand(CopyCommand(command), again);
    EXPECT_EQ(again, frame);
  }
}

TEST(RemotingPageTest, BatchRecord) {
  const std::string body = Bytes(Example("batch-record"));
  BatchReader reader(body);
  const auto entry = reader.Next();
  ASSERT_TRUE(entry && *entry);
  EXPECT_EQ((*entry)->body, "hello");
  EXPECT_EQ(FindProperty((*entry)->properties, "KEYS"), "K1");
  EXPECT_EQ(FindProperty((*entry)->properties, "TAGS"), "TagA");
  const auto end = reader.Next();
  EXPECT_TRUE(end && !*end);
}

TEST(RemotingPageTest, Bodies) {
  const std::string route = Example("route-body");
  const auto read = DecodeTopicRoute(route);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(EncodeTopicRoute(*read, RouteJson::kFastjson), route);
  const std::string reset = Example("reset-body");
  const auto offsets = DecodeResetOffset(reset);
  ASSERT_TRUE(offsets) << offsets.error().what;
  EXPECT_EQ(EncodeResetOffset(*offsets, ResetForm::kMap), reset);
}

}  // namespace
}  // namespace mq::protocol
