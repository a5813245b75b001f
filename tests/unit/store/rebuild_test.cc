// What is rebuilt from the log is what mq-reputd built beside it.
#include "store/rebuild.h"

#include <filesystem>

#include "dump_fixture.h"
#include "store/dump_diff.h"
#include "store/dump_queue.h"
#include "store/tombstones.h"

namespace mq::store::testing {
namespace {

constexpr RebuildParts kBoth{true, true};

class RebuildTest : public DumpTest {
 protected:
  void SetUp() override {
    store.Boot();
    for (int i = 0; i < 150; ++i) {
      store.Append(i % 3 == 0 ? "A" : "B", i % 2, std::string(900, 'x'), "UNIQ_KEY\x01ID" + std::to_string(i));
    }
    store.DispatchAll();
    out_ = store.options.root + "-out";
  }
  void TearDown() override { RemoveTree(out_).Ignore("a left-over temporary directory"); }

  // Whether the index under `root` answers as the store's own does.
  bool SameIndex(const std::string& root) {
    const auto counts = DiffIndexes({store.layout(), std::nullopt, store.options.index_slots},
                                    {StoreLayout(root), std::nullopt, store.options.index_slots}, [] { return true; });
    return counts.has_value() && counts->same() && counts->equal > 0;
  }
  std::map<std::string, std::string> QueueBytesOf(const std::string& root) {
    std::map<std::string, std::string> all;
    const std::string base = root + "/consumequeue/";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base)) {
      if (entry.is_regular_file()) all[entry.path().string().substr(base.size())] = store.Bytes(entry.path());
    }
    return all;
  }
  std::string out_;
};

TEST_F(RebuildTest, BesideTheStoreItIsTheSameByteForByte) {
  const auto built = RebuildInto(store.options, kBoth, out_);
  ASSERT_TRUE(built.has_value()) << built.error().what;
  EXPECT_EQ(built->records, 150);
  EXPECT_EQ(QueueBytesOf(out_), store.QueueBytes());
  EXPECT_TRUE(SameIndex(out_));
  EXPECT_EQ(*ListDirectory(out_), (std::vector<std::string>{"consumequeue", "index"}));
  const auto again = RebuildInto(store.options, kBoth, out_);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, ErrorCode::kConfig);
}

TEST_F(RebuildTest, OnePartAlone) {
  ASSERT_TRUE(RebuildInto(store.options, {false, true}, out_).has_value());
  EXPECT_EQ(*ListDirectory(out_), std::vector<std::string>{"index"});
  EXPECT_TRUE(SameIndex(out_));
}

TEST_F(RebuildTest, ADeletedTopicStaysDeleted) {
  auto tombstones = Tombstones::Load(store.layout());
  ASSERT_TRUE(tombstones.has_value());
  tombstones->Add("A", store.log->wrote());
  ASSERT_TRUE(tombstones->Save(store.layout()).has_value());
  ASSERT_TRUE(RebuildInto(store.options, kBoth, out_).has_value());
  for (const auto& [name, bytes] : QueueBytesOf(out_)) EXPECT_EQ(name.substr(0, 2), "B/");
}

TEST_F(RebuildTest, NumberingOfExpiredRecordsIsKept) {
  ASSERT_TRUE(std::filesystem::remove(LogFile(0)));
  ASSERT_TRUE(RebuildInto(store.options, kBoth, out_).has_value());
  // What lies behind the expired file is the same; the queue goes on where its own did.
  const auto before = DumpQueue::Open(store.layout(), {"B", 1});
  auto after = DumpQueue::Open(StoreLayout(out_), {"B", 1});
  ASSERT_TRUE(before.has_value() && after.has_value());
  EXPECT_EQ(*after->End(), 50);
}

TEST_F(RebuildTest, NumberingOfADamagedEndIsKept) {
  const AppendResult last = store.Append("B", 1, "last");
  store.DispatchAll();
  store.Corrupt(LogFile(last.physical_offset.value() / 65536 * 65536), last.physical_offset.value() % 65536 + 4,
                "XXXX");
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  ASSERT_TRUE(RebuildInPlace(store.options, kBoth).has_value());
  store.Boot();
  EXPECT_EQ(store.Append("B", 1, "next").queue_offset, last.queue_offset + 1);
}

TEST_F(RebuildTest, InPlaceTheNextStartBelievesIt) {
  const auto queues = store.QueueBytes();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store.layout().ConsumeQueueDir())) {
    if (entry.is_regular_file()) store.Corrupt(entry.path(), 0, std::string(40, '\xFF'));
  }
  ASSERT_NE(store.QueueBytes(), queues);
  ASSERT_TRUE(RebuildInPlace(store.options, {true, false}).has_value());
  EXPECT_EQ(store.QueueBytes(), queues);
  EXPECT_FALSE(PathExists(store.layout().MqDir() + "/rebuild"));
  store.Boot();
  const auto reput = store.OpenReput();
  EXPECT_EQ(reput->started_from(), store.log->wrote());
  EXPECT_TRUE(reput->index() != nullptr);
}

TEST_F(RebuildTest, WhatAnEarlierOneLeftBehindIsNoHindrance) {
  ASSERT_TRUE(MakeDirectories(store.layout().MqDir() + "/rebuild/consumequeue/A/0").has_value());
  const auto queues = store.QueueBytes();
  const auto built = RebuildInPlace(store.options, kBoth);
  ASSERT_TRUE(built.has_value()) << built.error().what;
  EXPECT_EQ(store.QueueBytes(), queues);
  EXPECT_TRUE(SameIndex(store.options.root));
}

}  // namespace
}  // namespace mq::store::testing
