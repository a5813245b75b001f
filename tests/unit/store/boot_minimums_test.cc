// Minimums of the queues between a start and mq-reputd's look at its files.
#include "store/boot_minimums.h"

#include "store/tombstones.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

class BootMinimumsTest : public ::testing::Test {
 protected:
  // Queue "T" has lost its oldest messages, all of "Old" has expired, "New" began behind what expired.
  void SetUp() override {
    store.Boot();
    for (int i = 0; i < 25; ++i) store.Append("Old", 0, "x");
    Grow(4);
    store.Append("New", 0, "n");
    store.FlushAll();
    store.DispatchAll();
    Expire(2);
    store.DispatchAll();
    ConsumeQueueReader queues(store.options, store.positions.get());
    min = **queues.MinOffset("T", 0);
    ASSERT_GT(min.value(), 0);
  }
  void Grow(size_t files) {
    while (ListLogFiles(store.layout())->size() < files) store.Append("T", 0, std::string(5000, 't'));
  }
  void Expire(int files) {
    store.positions->own_flushd().min.store(files * int64_t{65536});
    for (int i = 0; i < files; ++i) {
      ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(i * int64_t{65536}))).has_value());
    }
  }
  std::optional<QueueOffset> Of(const std::string& topic) {
    const auto found = store.boot_minimums->Of(*store.table.Find(topic, 0));
    EXPECT_TRUE(found.has_value());
    return found ? *found : std::nullopt;
  }
  void RemoveQueueFile(const std::string& topic, size_t index) {
    const auto files = ListMappedFiles(store.layout().QueueDir(topic, 0));
    ASSERT_LT(index, files->size());
    ASSERT_TRUE(RemoveFile(JoinPath(store.layout().QueueDir(topic, 0), MappedFileName((*files)[index].start))));
  }

  TestStore store;
  QueueOffset min;
};

TEST_F(BootMinimumsTest, FilesOfTheMarkerSayThem) {
  store.Boot();
  EXPECT_EQ(Of("T"), min);
  EXPECT_EQ(Of("Old"), QueueOffset(25));
  EXPECT_EQ(Of("New"), QueueOffset(0));
  // The reader of the running broker says nothing before the files were looked at: not 0.
  ConsumeQueueReader queues(store.options, store.positions.get());
  EXPECT_EQ(*queues.MinOffset("T", 0), std::nullopt);
}

TEST_F(BootMinimumsTest, WithoutAMarkerTheWalkOfTheLogSaysThem) {
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  store.Boot(false);
  EXPECT_EQ(Of("T"), min);
  EXPECT_EQ(Of("Old"), QueueOffset(25));
  EXPECT_EQ(Of("New"), QueueOffset(0));
}

TEST_F(BootMinimumsTest, BehindTheMarkerTheWalkSaysThem) {
  // All that the marker knows of "Old" has expired; what was written since is met by the walk.
  store.Boot();
  store.Append("Old", 0, "later");
  store.FlushAll();
  store.Boot(false);
  EXPECT_EQ(Of("Old"), QueueOffset(25));
  EXPECT_EQ(Of("T"), min);
}

TEST_F(BootMinimumsTest, LostFilesAreNoZero) {
  ASSERT_TRUE(RemoveTree(store.layout().QueueDir("T", 0)).has_value());
  store.Boot();
  EXPECT_EQ(Of("T"), std::nullopt);
  EXPECT_EQ(Of("Old"), QueueOffset(25));
  // Until the first entry is derived again nothing says it, then the reader does.
  store.DispatchAll();
  ConsumeQueueReader queues(store.options, store.positions.get());
  EXPECT_EQ(*queues.MinOffset("T", 0), min);
}

TEST_F(BootMinimumsTest, ALostFileBehindTheMinimumChangesNothing) {
  const auto files = ListMappedFiles(store.layout().QueueDir("T", 0));
  ASSERT_GE(files->size(), 2u);
  RemoveQueueFile("T", files->size() - 1);
  store.Boot();
  const auto found = Of("T");
  EXPECT_TRUE(!found || *found == min);
}

TEST_F(BootMinimumsTest, AQueueOfThisLifeBeginsAtZero) {
  store.Boot();
  store.table.GetOrCreate("Fresh", 0);
  EXPECT_EQ(Of("Fresh"), QueueOffset(0));
  store.table.ResetTopic("T");
  EXPECT_EQ(Of("T"), QueueOffset(0)) << "deleted, and not what it was";
}

TEST(TombstonesTest, GoOnceNoRecordAndNoQueueFileIsBelowThem) {
  Tombstones tombstones;
  tombstones.Add("A", PhysicalOffset(100));
  tombstones.Add("B", PhysicalOffset(200));
  EXPECT_FALSE(tombstones.DropBelow(PhysicalOffset(50), PhysicalOffset(1000))) << "records are still there";
  EXPECT_FALSE(tombstones.DropBelow(PhysicalOffset(150), PhysicalOffset(100))) << "queues may still be there";
  EXPECT_TRUE(tombstones.DropBelow(PhysicalOffset(150), PhysicalOffset(101)));
  EXPECT_EQ(tombstones.Of("A"), PhysicalOffset(0));
  EXPECT_EQ(tombstones.Of("B"), PhysicalOffset(200));
}

}  // namespace
}  // namespace mq::store
