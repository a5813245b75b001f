// Stores written by RocketMQ 4.9.8: opened, compared with what its own classes say, derived again.
#include <cstdlib>

#include "base/json.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

struct Sample {
  explicit Sample(const std::string& name) {
    store.options.commit_log_file_bytes = 1 << 20;
    store.options.consume_queue_file_bytes = 6000;
    const std::string golden = std::string(MQ_GOLDEN_DIR) + "/store/" + name;
    const std::string command = "tar xzf " + golden + ".tar.gz --strip-components=1 -C " + store.options.root;
    EXPECT_EQ(std::system(command.c_str()), 0);
    auto text = ReadFile(golden + ".expected.json");
    EXPECT_TRUE(text.has_value());
    auto value = json::Parse(*text);
    EXPECT_TRUE(value.has_value());
    expected = std::move(*value);
  }
  TestStore store;
  json::Value expected;
};

void CompareQueues(const json::Value& expected, TestStore& store, ConsumeQueueReader* reader) {
  size_t queues = 0;
  for (const auto& [name, max] : expected.Find("queueMaxOffset")->members()) {
    const size_t slash = name.rfind('/');
    const std::string topic = name.substr(0, slash);
    const int32_t queue_id = std::stoi(name.substr(slash + 1));
    const QueueState* state = store.table.Find(topic, queue_id);
    ASSERT_NE(state, nullptr) << name;
    EXPECT_EQ(state->next.value(), max.AsInt()) << name;
    if (reader != nullptr) {
      EXPECT_EQ(reader->MaxOffset(topic, queue_id)->value(), max.AsInt()) << name;
    }
    ++queues;
  }
  EXPECT_EQ(store.table.size(), queues);
}

TEST(RocketmqStoreTest, CleanStoreOpensAndItsQueuesAreDerivedByteForByte) {
  Sample sample("store-clean");
  TestStore& store = sample.store;
  const auto before = store.QueueBytes();
  store.Boot(!AbortExists(store.layout()));
  EXPECT_TRUE(store.recovered.clean);
  EXPECT_EQ(store.recovered.end.value(), sample.expected.Find("commitLogEnd")->AsInt());
  EXPECT_EQ(store.recovered.last_store_timestamp, sample.expected.Find("lastStoreTimestamp")->AsInt());
  EXPECT_EQ(store.recovered.bytes_dropped, 0);
  EXPECT_TRUE(store.recovered.kept_damage.empty());
  store.DispatchAll();
  ConsumeQueueReader reader(store.options, store.positions.get());
  CompareQueues(sample.expected, store, &reader);
  EXPECT_EQ(store.QueueBytes(), before);

  ASSERT_TRUE(RemoveTree(store.layout().ConsumeQueueDir()).has_value());
  store.Boot();
  CompareQueues(sample.expected, store, nullptr);
  store.DispatchAll();
  EXPECT_EQ(store.QueueBytes(), before);
}

TEST(RocketmqStoreTest, CrashedStoreRecoversEverything) {
  Sample sample("store-crashed");
  TestStore& store = sample.store;
  EXPECT_TRUE(AbortExists(store.layout()));
  store.Boot(false);
  EXPECT_EQ(store.recovered.end.value(), sample.expected.Find("commitLogEnd")->AsInt());
  EXPECT_EQ(store.recovered.last_store_timestamp, sample.expected.Find("lastStoreTimestamp")->AsInt());
  EXPECT_TRUE(store.recovered.kept_damage.empty());
  store.DispatchAll();
  // The expected maxima are of the queues as the crash left them; the log holds more.
  ConsumeQueueReader reader(store.options, store.positions.get());
  int64_t total = 0;
  for (const auto& [name, max] : sample.expected.Find("queueMaxOffset")->members()) {
    const size_t slash = name.rfind('/');
    auto end = reader.MaxOffset(name.substr(0, slash), std::stoi(name.substr(slash + 1)));
    ASSERT_TRUE(end.has_value());
    EXPECT_GE(end->value(), max.AsInt()) << name;
    EXPECT_EQ(end->value(), store.table.Find(name.substr(0, slash), std::stoi(name.substr(slash + 1)))->next.value());
    total += end->value();
  }
  EXPECT_EQ(total, sample.expected.Find("messages")->AsInt());
}

}  // namespace
}  // namespace mq::store
