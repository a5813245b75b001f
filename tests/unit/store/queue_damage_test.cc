// Damaged queue entries of a log whose oldest files have expired: they hide no message and take no file with them.
#include <functional>

#include "store/queue_check.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

constexpr int kMessages = 200;
constexpr int64_t kLogMin = 65536;

class QueueDamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_.Boot();
    for (int i = 0; i < kMessages; ++i) store_.Append("T", 0, Body(i));
    store_.DispatchAll();
    bodies_ = store_.Bodies("T", 0);
  }
  static std::string Body(int i) { return "m" + std::to_string(i) + "." + std::string(1050, 'x'); }
  void RemoveFirstLogFile() { ASSERT_TRUE(RemoveFile(store_.layout().CommitLogFile(PhysicalOffset(0))).has_value()); }
  void Expire() {
    RemoveFirstLogFile();
    Restart();
    min_ = Min();
    ASSERT_GT(min_, 50);
  }
  void Restart() {
    store_.Boot();
    store_.DispatchAll();
  }
  int64_t Min() {
    ConsumeQueueReader reader(store_.options, store_.positions.get());
    return (**reader.MinOffset("T", 0)).value();
  }
  // As it will be once the first log file has gone.
  int64_t MinToBe() {
    ConsumeQueueReader reader(store_.options, nullptr, store_.log->wrote());
    return (**reader.FirstFrom("T", 0, PhysicalOffset(kLogMin))).value();
  }
  std::string PathOf(int64_t offset) {
    return store_.layout().QueueDir("T", 0) + "/" + MappedFileName(offset * kQueueEntryBytes / 200 * 200);
  }
  QueueEntry Entry(int64_t offset) {
    return LoadQueueEntry(store_.Bytes(PathOf(offset)).data() + offset * kQueueEntryBytes % 200);
  }
  void Put(int64_t offset, const QueueEntry& entry) {
    std::string bytes(kQueueEntryBytes, '\0');
    StoreQueueEntry(bytes.data(), entry);
    store_.Corrupt(PathOf(offset), offset * kQueueEntryBytes % 200, bytes);
  }
  void FlipBit(int64_t offset, int bit) {
    QueueEntry entry = Entry(offset);
    entry.physical_offset = PhysicalOffset(entry.physical_offset.value() ^ (int64_t{1} << bit));
    Put(offset, entry);
  }
  // The last messages, as many as there are from that offset on.
  std::vector<std::string> From(int64_t offset) { return {bodies_.begin() + offset, bodies_.end()}; }

  TestStore store_;
  std::vector<std::string> bodies_;
  int64_t min_ = 0;
};

TEST_F(QueueDamageTest, OneBitOfOneEntryMovesTheMinimumPastNoMessage) {
  Expire();
  for (int64_t at = min_; at < kMessages - 1; ++at) {
    const QueueEntry whole = Entry(at);
    for (const int bit : {16, 17, 40}) {
      FlipBit(at, bit);
      EXPECT_EQ(Min(), min_) << at << " bit " << bit;
      Put(at, whole);
    }
  }
}

TEST_F(QueueDamageTest, AnExpiredEntryThatIsDamagedCostsNoMoreThanItself) {
  Expire();
  for (int64_t at = min_ / 10 * 10; at < min_; ++at) {
    const QueueEntry whole = Entry(at);
    for (const int bit : {10, 15, 16, 17, 40}) {
      FlipBit(at, bit);
      EXPECT_LE(Min(), min_) << at << " bit " << bit;
      EXPECT_GE(Min(), at) << at << " bit " << bit;
      Put(at, whole);
    }
  }
}

TEST_F(QueueDamageTest, EntriesThatAreLostAtTheMinimumAreNotPassedOver) {
  Expire();
  for (int64_t at = min_; at < min_ + 12; ++at) Put(at, {});
  EXPECT_EQ(Min(), min_);
}

// A write that went to the wrong place: entries that are in order with each other.
TEST_F(QueueDamageTest, AStretchOfOlderEntriesDoesNotHideWhatIsInFrontOfIt) {
  Expire();
  std::vector<QueueEntry> old;
  for (int64_t at = min_ / 10 * 10; at < min_; ++at) old.push_back(Entry(at));
  ASSERT_GE(old.size(), 3u);
  for (const int64_t from : {min_ + 20, int64_t{122}, int64_t{123}, int64_t{190}}) {
    std::vector<QueueEntry> whole;
    for (size_t i = 0; i < old.size(); ++i) {
      const int64_t at = from + static_cast<int64_t>(i);
      whole.push_back(Entry(at));
      Put(at, old[i]);
    }
    EXPECT_EQ(Min(), min_) << from;
    for (size_t i = 0; i < whole.size(); ++i) Put(from + static_cast<int64_t>(i), whole[i]);
  }
}

TEST_F(QueueDamageTest, BeforeMqReputdHasLookedTheMinimumIsTheSame) {
  Expire();
  const auto at_boot = [this] {
    store_.Boot();
    return **store_.boot_minimums->Of(*store_.table.Find("T", 0));
  };
  EXPECT_EQ(at_boot(), QueueOffset(min_));
  for (int64_t at = min_ + 1; at < kMessages - 1; ++at) {
    const QueueEntry whole = Entry(at);
    FlipBit(at, 16);
    // One at the end of a file is found by who looks at the files: then it is not known yet.
    const auto found = *store_.boot_minimums->Of(*store_.table.Find("T", 0));
    EXPECT_TRUE(!found || *found == QueueOffset(min_)) << at;
    Put(at, whole);
  }
}

TEST_F(QueueDamageTest, AnEntryAtTheEndOfAFileTakesNoFileWithIt) {
  const int64_t first = MinToBe();
  const int64_t last_of_file = first / 10 * 10 + 9;
  ASSERT_GT(last_of_file, first);
  store_.Boot();
  store_.FlushAll();
  auto reput = store_.OpenReput();
  ASSERT_TRUE(reput->Finish().has_value());
  QueueEntry entry = Entry(last_of_file);
  entry.physical_offset = PhysicalOffset(entry.physical_offset.value() & 0xFFFF);
  Put(last_of_file, entry);
  RemoveFirstLogFile();
  store_.positions->own_flushd().min.store(kLogMin);
  store_.positions->own_flushd().removed_to.store(kLogMin);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(reput->Step(1000000 + i, 100).has_value());
  EXPECT_EQ(store_.positions->reputd().trimmed.load(), kLogMin);
  EXPECT_TRUE(PathExists(PathOf(last_of_file)));
  EXPECT_FALSE(PathExists(PathOf(first - 10)));
  EXPECT_EQ(Min(), first);
}

TEST_F(QueueDamageTest, AnEntryThatSeemsExpiredBehindOthersIsDerivedAgain) {
  const int64_t first = MinToBe();
  for (const int64_t damaged : {first / 10 * 10 + 9, first / 10 * 10 + 10, first / 10 * 10 + 29}) {
    Put(damaged, {PhysicalOffset(100), Entry(damaged).bytes, 0});
  }
  RemoveFirstLogFile();
  Restart();
  EXPECT_EQ(store_.Bodies("T", 0), From(first));
  EXPECT_EQ(store_.table.Find("T", 0)->next, QueueOffset(kMessages));
}

// The marker does not know yet what has expired: the files that are missing are not the expired ones alone.
TEST_F(QueueDamageTest, FirstFilesThatAreLostAfterExpiryAreDerivedAgain) {
  const int64_t first = MinToBe();
  const auto lose = [this] {
    for (int64_t at = 0; at < 100; at += 10) RemoveFile(PathOf(at)).Ignore("trimmed already");
  };
  for (const bool trimmed : {false, true}) {
    if (trimmed) {
      Restart();
    } else {
      RemoveFirstLogFile();
    }
    lose();
    Restart();
    EXPECT_EQ(store_.Bodies("T", 0), From(first)) << trimmed;
  }
}

TEST_F(QueueDamageTest, AfterATrimTheMarkerNamesTheFilesThatAreThere) {
  store_.options.index_enable = false;  // which makes a marker of its own
  Expire();
  std::string why;
  const auto marker = LoadBelievedMarker(store_.options, PhysicalOffset(kLogMin), store_.log->wrote(), &why);
  ASSERT_TRUE(marker.has_value()) << why;
  EXPECT_EQ(marker->log_min, PhysicalOffset(kLogMin));
  EXPECT_EQ(marker->queues.at({"T", 0}).first, min_ / 10 * 200);
}

}  // namespace
}  // namespace mq::store
