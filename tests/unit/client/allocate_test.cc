// The average allocation against what RocketMQ's own class gave (tests/golden/client/allocate-avg.jsonl), and the order
// of client ids.
#include "client/allocate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "base/json.h"
#include "base/strings.h"

namespace mq::client {
namespace {

// As in the recording: queue i lies on broker-b when i mod 3 = 2, else on broker-a.
std::vector<MessageQueue> QueuesOfRecording(int64_t count) {
  std::vector<MessageQueue> queues;
  for (int32_t i = 0; i < count; ++i) queues.push_back({"TopicTest", i % 3 == 2 ? "broker-b" : "broker-a", i});
  std::sort(queues.begin(), queues.end());
  return queues;
}

TEST(AllocateTest, RB_06_RB_20_GivesEveryMemberWhatRocketMqGives) {
  std::ifstream file(std::string(MQ_GOLDEN_DIR) + "/client/allocate-avg.jsonl");
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) {
    const auto row = json::Parse(line);
    ASSERT_TRUE(row) << line;
    std::vector<std::string> clients;
    const std::string consumers = row->Text("consumers");
    for (const auto client : Split(consumers, ',')) clients.emplace_back(client);
    std::vector<std::string> expected;
    for (const json::Value& queue : row->Find("allocated")->items()) expected.push_back(queue.AsString());
    std::vector<std::string> got;
    const std::string id = row->Text("id");
    const auto queues = QueuesOfRecording(row->Int("queues"));
    for (const MessageQueue& queue : AllocateAveragely(queues, clients, id)) {
      got.push_back(queue.broker_name + "/" + std::to_string(queue.queue_id));
    }
    EXPECT_EQ(got, expected) << line;
    ++lines;
  }
  EXPECT_GT(lines, 100);
}

TEST(AllocateTest, RB_07_RB_11_EveryQueueHasExactlyOneOwnerWhateverTheOrderOfTheList) {
  for (int64_t count = 0; count <= 20; ++count) {
    for (int members = 1; members <= 7; ++members) {
      std::vector<std::string> clients;
      for (int i = members; i > 0; --i) clients.push_back("10.0.0.1@" + std::to_string(i * 7) + "#1");
      const auto queues = QueuesOfRecording(count);
      std::multiset<MessageQueue> owned;
      for (const std::string& client : clients) {
        for (const MessageQueue& queue : AllocateAveragely(queues, clients, client)) owned.insert(queue);
      }
      EXPECT_EQ(std::vector<MessageQueue>(owned.begin(), owned.end()), queues);
    }
  }
  EXPECT_TRUE(AllocateAveragely(QueuesOfRecording(4), {"a"}, "not a member").empty());
}

TEST(AllocateTest, RB_15_SortsIdsAsJavaSortsStrings) {
  EXPECT_TRUE(JavaLess("a", "b"));
  EXPECT_TRUE(JavaLess("a", "ab"));
  EXPECT_FALSE(JavaLess("ab", "a"));
  EXPECT_FALSE(JavaLess("a", "a"));
  EXPECT_TRUE(JavaLess("10.0.0.1@9", "9"));
  // U+1F600 is D83D DE00 in UTF-16 and sorts before U+FF5E, but after U+4E2D.
  EXPECT_TRUE(JavaLess("\xF0\x9F\x98\x80", "\xEF\xBD\x9E"));
  EXPECT_FALSE(JavaLess("\xEF\xBD\x9E", "\xF0\x9F\x98\x80"));
  EXPECT_TRUE(JavaLess("\xE4\xB8\xAD", "\xF0\x9F\x98\x80"));
}

}  // namespace
}  // namespace mq::client
