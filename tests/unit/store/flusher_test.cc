#include "store/flusher.h"

#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

class FailingSync : public FileOps {
 public:
  Status SyncRange(void* start, size_t length, std::string_view name) override {
    ++calls;
    if (fail) return MakeError(ErrorCode::kIo, "sync " + std::string(name) + ": broken");
    return FileOps::SyncRange(start, length, name);
  }
  bool fail = false;
  int calls = 0;
};

TEST(FlusherTest, FailedSyncNeverAdvancesFlushed) {
  TestStore store;
  store.Boot();
  FailingSync ops;
  auto flusher = Flusher::Open(store.options, *store.positions, ops);
  ASSERT_TRUE(flusher.has_value());
  store.Append("T", 0, "x");
  store.positions->own_broker().wanted_flush.store(store.log->wrote().value());
  ops.fail = true;
  EXPECT_TRUE((*flusher)->Step(1).failed);
  EXPECT_EQ(store.positions->flushd().flushed.load(), 0);
  EXPECT_NE(store.positions->flushd().flush_failed_errno.load(), 0);
  // A later sync that works proves nothing.
  ops.fail = false;
  EXPECT_FALSE((*flusher)->Step(2).flushed);
  EXPECT_FALSE((*flusher)->FlushAll().has_value());
  EXPECT_EQ(store.positions->flushd().flushed.load(), 0);
}

TEST(FlusherTest, GroupCommitFlushesAtOnceAndCoversFiles) {
  TestStore store;
  store.options.flush_disk_type = FlushDiskType::kSync;
  store.Boot();
  auto flusher = Flusher::Open(store.options, *store.positions);
  for (int i = 0; i < 5; ++i) store.Append("T", 0, std::string(40000, 'x'));
  store.positions->own_broker().wanted_flush.store(store.log->wrote().value());
  // In pieces of a few files, each published when it is durable, without waiting for the time of another flush.
  EXPECT_TRUE((*flusher)->Step(1).more);
  EXPECT_EQ(store.positions->flushd().flushed.load(), 4 * 65536);
  EXPECT_TRUE((*flusher)->Step(1).flushed);
  EXPECT_EQ(store.positions->flushd().flushed.load(), store.log->wrote().value());
}

TEST(FlusherTest, AsyncWaitsForIntervalAndPages) {
  TestStore store;
  store.Boot();
  auto flusher = Flusher::Open(store.options, *store.positions);
  store.Append("T", 0, "a");
  EXPECT_TRUE((*flusher)->Step(100000).flushed);  // the first turn is thorough
  store.Append("T", 0, "b");
  EXPECT_FALSE((*flusher)->Step(100100).flushed);  // not yet time
  EXPECT_FALSE((*flusher)->Step(100600).flushed);  // fewer than 4 pages
  for (int i = 0; i < 20; ++i) store.Append("T", 0, std::string(1000, 'x'));
  EXPECT_TRUE((*flusher)->Step(100700).flushed);
  store.Append("T", 0, "c");
  EXPECT_FALSE((*flusher)->Step(101300).flushed);
  EXPECT_TRUE((*flusher)->Step(110500).flushed);  // thorough
}

TEST(FlusherTest, KeepsFilesReadyAndWarmsWithoutChangingBytes) {
  TestStore store;
  store.options.self_allocate = false;
  store.Boot();
  auto flusher = Flusher::Open(store.options, *store.positions);
  int64_t now = 1000;
  store.Append("T", 0, "first");
  while ((*flusher)->Step(now++).more) {
  }
  EXPECT_GE(store.positions->flushd().allocated_to.load(), 2 * 65536);
  std::vector<std::string> bodies;
  for (int i = 0; i < 400; ++i) {
    store.Append("T", 0, std::to_string(i) + std::string(300, 'x'));
    (*flusher)->Step(now++);
  }
  store.DispatchAll();
  auto read = store.Bodies("T", 0);
  ASSERT_EQ(read.size(), 401u);
  EXPECT_EQ(read[400].substr(0, 3), "399");
}

TEST(FlusherTest, SpareFilesGoWithACleanStop) {
  TestStore store;
  store.Boot();
  auto flusher = Flusher::Open(store.options, *store.positions);
  store.Append("T", 0, "x");
  int64_t now = 1000;
  while ((*flusher)->Step(now++).more) {
  }
  ASSERT_GE(ListMappedFiles(store.layout().CommitLogDir())->size(), 2u);
  store.positions->own_broker().state.store(static_cast<uint32_t>(BrokerState::kDraining));
  ASSERT_TRUE((*flusher)->FlushAll().has_value());
  ASSERT_TRUE((*flusher)->stock().RemoveSpare().has_value());
  EXPECT_EQ(ListMappedFiles(store.layout().CommitLogDir())->size(), 1u);
  EXPECT_FALSE((*flusher)->Step(now + 10000).allocated);
  store.Boot();
  EXPECT_EQ(store.Append("T", 0, "y").queue_offset, QueueOffset(1));
}

// A kill takes nothing that was confirmed for a torn end: the checkpoint follows each flush, not each second.
TEST(FlusherTest, TheCheckpointFollowsEachFlush) {
  TestStore store;
  store.Boot();
  auto flusher = Flusher::Open(store.options, *store.positions);
  for (int i = 0; i < 3; ++i) {
    const AppendResult result = store.Append("T", 0, "x");
    const auto flushed = (*flusher)->FlushStep();
    ASSERT_TRUE(flushed.has_value() && *flushed);
    EXPECT_EQ((**ReadCheckpoint(store.layout().Checkpoint())).flushed, result.end());
    EXPECT_EQ((**ReadCheckpoint(store.layout().Checkpoint())).physic_timestamp, result.store_timestamp);
  }
}

TEST(FlusherTest, CheckpointNamesWhatIsDurable) {
  TestStore store;
  store.Boot();
  auto flusher = Flusher::Open(store.options, *store.positions);
  auto result = store.Append("T", 0, "x");
  ASSERT_TRUE((*flusher)->FlushAll().has_value());
  auto checkpoint = ReadCheckpoint(store.layout().Checkpoint());
  ASSERT_TRUE(checkpoint.has_value() && checkpoint->has_value());
  EXPECT_EQ((*checkpoint)->physic_timestamp, result.store_timestamp);
  EXPECT_EQ((*checkpoint)->logics_timestamp, 0);
  EXPECT_EQ((*checkpoint)->flushed, result.end());
  EXPECT_EQ(*FileSize(store.layout().Checkpoint()), 4096);
}

}  // namespace
}  // namespace mq::store
