#include "store/commit_log.h"

#include "store/record.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::HexOf;
using testing::TestStore;

// store.md section 15, vector 1: a record written by RocketMQ 4.9.8.
TEST(CommitLogTest, WritesTheGoldenRecord) {
  TestStore store;
  store.Boot();
  auto message = TestStore::Message("TopicTest", 0, "hello", "KEYS\x01k1 k2\x02TAGS\x01TagA");
  message.flag = 0x11223344;
  AppendResult result = store.log->Append(message, store.table.GetOrCreate("TopicTest", 0), 0x1a228a3a3f3);
  ASSERT_EQ(result.status, AppendStatus::kOk);
  EXPECT_EQ(result.bytes, 125);
  LogReader reader(store.options, store.positions.get());
  auto slice = reader.Read(PhysicalOffset(0), 125);
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(HexOf(slice->bytes),
            "0000007ddaa320a73610a686000000001122334400000000000000000000000000000000000000000000017487"
            "6e8000c0a8010200002711000001a228a3a3f30a00000100002a9f000000000000000000000000000000056865"
            "6c6c6f09546f7069635465737400144b455953016b31206b32025441475301"
            "54616741");
}

TEST(CommitLogTest, NumbersEachQueueAndNotPreparedMessages) {
  TestStore store;
  store.Boot();
  EXPECT_EQ(store.Append("T", 0, "a").queue_offset, QueueOffset(0));
  EXPECT_EQ(store.Append("T", 1, "b").queue_offset, QueueOffset(0));
  auto prepared = TestStore::Message("T", 0, "c");
  prepared.sys_flag = protocol::sys_flag::kTransactionPrepared;
  EXPECT_EQ(store.log->Append(prepared, store.table.GetOrCreate("T", 0), 1).queue_offset, QueueOffset(0));
  EXPECT_EQ(store.Append("T", 0, "d").queue_offset, QueueOffset(1));
}

TEST(CommitLogTest, RollsBeforeRecordThatDoesNotFit) {
  TestStore store;
  store.Boot();
  const std::string body(1000, 'x');
  AppendResult last;
  do {
    last = store.Append("T", 0, body);
  } while (last.physical_offset.value() < 65536);
  EXPECT_EQ(last.physical_offset, PhysicalOffset(65536));
  const int64_t record = last.bytes;
  const int64_t blank_at = 65536 / record * record + record > 65536 - 8 ? 65536 / record * record : 0;
  auto bytes = store.Bytes(store.layout().CommitLogFile(PhysicalOffset(0)));
  EXPECT_EQ(LoadBe32(bytes.data() + blank_at), 65536 - blank_at);
  EXPECT_EQ(LoadBe32(bytes.data() + blank_at + 4), protocol::kBlankMagic);
}

// 8 bytes must remain: a record that would leave 7 goes to the next file, one that leaves 8 stays.
TEST(CommitLogTest, LeavesAtLeastEightBytes) {
  const int64_t head = 91 + 1;  // topic T
  for (int64_t left : {7, 8}) {
    TestStore store;
    store.Boot();
    auto first = store.Append("T", 0, std::string(1000, 'x'));
    const int64_t body = 65536 - first.bytes - left - head;
    auto second = store.Append("T", 0, std::string(static_cast<size_t>(body), 'x'));
    EXPECT_EQ(second.physical_offset, left == 8 ? first.end() : PhysicalOffset(65536)) << left;
    if (left == 8) {
      EXPECT_EQ(store.Append("T", 0, "y").physical_offset, PhysicalOffset(65536));
    }
  }
}

TEST(CommitLogTest, RefusesWhatCannotBeStored) {
  TestStore store;
  store.options.max_message_bytes = 1000;
  store.Boot();
  QueueState& queue = store.table.GetOrCreate("T", 0);
  auto status = [&](const protocol::MessageView& m) { return store.log->Append(m, queue, 1).status; };
  const std::string big(1001, 'b');
  const std::string topic(128, 't');
  const std::string properties(32768, 'p');
  EXPECT_EQ(status(TestStore::Message("T", 0, big)), AppendStatus::kMessageIllegal);
  EXPECT_EQ(status(TestStore::Message(topic, 0, "x")), AppendStatus::kMessageIllegal);
  EXPECT_EQ(status(TestStore::Message("", 0, "x")), AppendStatus::kMessageIllegal);
  EXPECT_EQ(status(TestStore::Message("T", 0, "x", properties)), AppendStatus::kPropertiesSizeExceeded);
  store.log->set_max_message_bytes(100000);
  EXPECT_EQ(status(TestStore::Message("T", 0, std::string(65536 - 8 - 91, 'x'))), AppendStatus::kMessageIllegal);
  EXPECT_EQ(store.log->wrote(), PhysicalOffset(0));
  EXPECT_EQ(queue.next, QueueOffset(0));
}

TEST(CommitLogTest, BatchIsContiguousWithJoinedProperties) {
  TestStore store;
  store.Boot();
  std::string body;
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    const std::string text = "body" + n;
    const std::string properties = "KEYS\x01k" + n + "\x02WAIT\x01true\x02TAGS\x01T" + n;
    protocol::AppendBatchEntry(body, {text, properties, 0});
  }
  auto envelope = TestStore::Message("TopicTest", 0, "",
                                     "CLUSTER\x01"
                                     "DefaultCluster");
  std::vector<AppendedRecord> records;
  auto result = store.log->AppendBatch(envelope, body, store.table.GetOrCreate("TopicTest", 0), 5, &records);
  ASSERT_EQ(result.status, AppendStatus::kOk) << result.reason;
  EXPECT_EQ(result.messages, 3);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(result.bytes, 3 * records[0].bytes);
  LogReader reader(store.options, store.positions.get());
  for (int i = 0; i < 3; ++i) {
    const AppendedRecord& record = records[static_cast<size_t>(i)];
    Slice slice;
    auto message = reader.ReadRecord(record.physical_offset, &slice);
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->queue_offset, QueueOffset(i));
    EXPECT_EQ(message->body, "body" + std::to_string(i));
    EXPECT_EQ(message->properties, "KEYS\x01k" + std::to_string(i) + "\x02WAIT\x01true\x02TAGS\x01T" +
                                       std::to_string(i) + "\x02" + "CLUSTER\x01" + "DefaultCluster");
    EXPECT_EQ(record.tags_code, protocol::TagsCode(message->properties));
  }
  EXPECT_EQ(store.table.Find("TopicTest", 0)->next, QueueOffset(3));
}

TEST(CommitLogTest, DamagedBatchLeavesNothing) {
  TestStore store;
  store.Boot();
  std::string body;
  protocol::AppendBatchEntry(body, {"one", "", 0});
  body += "junk";
  auto& queue = store.table.GetOrCreate("T", 0);
  EXPECT_EQ(store.log->AppendBatch(TestStore::Message("T", 0, ""), body, queue, 5, nullptr).status,
            AppendStatus::kMessageIllegal);
  EXPECT_EQ(store.log->AppendBatch(TestStore::Message("T", 0, ""), "", queue, 5, nullptr).status,
            AppendStatus::kMessageIllegal);
  EXPECT_EQ(store.log->wrote(), PhysicalOffset(0));
}

TEST(CommitLogTest, WaitsForTheNextFileOfFlushd) {
  TestStore store;
  store.options.self_allocate = false;
  store.Boot();
  const std::string body(60000, 'x');
  store.Append("T", 0, body);
  QueueState& queue = store.table.GetOrCreate("T", 0);
  EXPECT_EQ(store.log->Append(TestStore::Message("T", 0, body), queue, 1).status, AppendStatus::kNoFile);
  EXPECT_EQ(queue.next, QueueOffset(1));
  EXPECT_EQ(store.positions->broker().waits_for_file.load(), 1u);
  auto flusher = Flusher::Open(store.options, *store.positions);
  ASSERT_TRUE(flusher.has_value());
  EXPECT_TRUE((*flusher)->Step(1000).allocated);
  EXPECT_EQ(store.Append("T", 0, body).physical_offset, PhysicalOffset(65536));
  EXPECT_EQ(store.positions->broker().waits_for_file.load(), 0u);
}

TEST(LogReaderTest, NeverLooksPastWrote) {
  TestStore store;
  store.Boot();
  auto first = store.Append("T", 0, "hello");
  LogReader reader(store.options, store.positions.get());
  EXPECT_TRUE(reader.Read(PhysicalOffset(0), first.bytes).has_value());
  EXPECT_FALSE(reader.Read(PhysicalOffset(0), first.bytes + 1).has_value());
  EXPECT_FALSE(reader.Read(PhysicalOffset(first.bytes + 1), 0).has_value());
  Slice slice;
  EXPECT_FALSE(reader.ReadRecord(PhysicalOffset(1), &slice).has_value());
  EXPECT_EQ(*reader.StoreTimestamp(PhysicalOffset(0)), first.store_timestamp);
}

}  // namespace
}  // namespace mq::store
