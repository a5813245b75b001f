// Records whose queue entries are damaged are found in the log, and only there.
#include "store/entry_search.h"

#include "store/queue_check.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

TEST(QueueEntryTest, OfAWildPositionEndsAtTheLastThereIs) {
  EXPECT_EQ((QueueEntry{PhysicalOffset(100), 20}.end()), PhysicalOffset(120));
  EXPECT_EQ((QueueEntry{PhysicalOffset(INT64_MAX - 10), 20}.end()), PhysicalOffset(INT64_MAX));
  EXPECT_EQ((QueueEntry{PhysicalOffset(INT64_MAX), -20}.end()), PhysicalOffset(INT64_MAX - 20));
}

class EntrySearchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_.Boot();
    for (int i = 0; i < 40; ++i) {
      store_.Append("Other", 0, "between");
      results_.push_back(store_.Append("T", 0, std::to_string(i), "TAGS\x01x"));
    }
    store_.DispatchAll();
  }

  std::string PathOf(int64_t offset) {
    const int64_t start = offset * kQueueEntryBytes / 200 * 200;
    return store_.layout().QueueDir("T", 0) + "/" + MappedFileName(start);
  }
  void Overwrite(int64_t offset, std::string_view bytes) {
    store_.Corrupt(PathOf(offset), offset * kQueueEntryBytes % 200, bytes);
  }
  FoundEntries Search(int64_t from) {
    const std::atomic<bool> called_off = false;
    auto found =
        SearchEntries(store_.options, *store_.positions, {"T", 0}, QueueOffset(from), QueueOffset(40), called_off);
    EXPECT_TRUE(found.has_value());
    return found ? *found : FoundEntries();
  }

  TestStore store_;
  std::vector<AppendResult> results_;
};

TEST_F(EntrySearchTest, AStretchOfZerosIsFoundWhole) {
  for (const int64_t offset : {7, 8, 9, 10, 11}) Overwrite(offset, std::string(kQueueEntryBytes, '\0'));
  const FoundEntries found = Search(8);
  EXPECT_EQ(found.from, QueueOffset(8));
  EXPECT_EQ(found.to, QueueOffset(12));
  ASSERT_EQ(found.entries.size(), 4u);
  for (const auto& [offset, entry] : found.entries) {
    EXPECT_EQ(entry.physical_offset, results_[static_cast<size_t>(offset.value())].physical_offset);
    EXPECT_NE(entry.tags_code, 0);
  }
}

TEST_F(EntrySearchTest, NeighboursThatPointToOtherRecordsAreNotBelieved) {
  // Entry 21 says that it is 5, which is a whole record of this queue.
  std::string other(kQueueEntryBytes, '\0');
  StoreQueueEntry(other.data(), {results_[5].physical_offset,
                                 static_cast<int32_t>(results_[5].end() - results_[5].physical_offset), 0});
  Overwrite(20, std::string(kQueueEntryBytes, '\xFF'));
  Overwrite(21, other);
  const FoundEntries found = Search(20);
  EXPECT_EQ(found.to, QueueOffset(22));
  EXPECT_EQ(found.entries.at(QueueOffset(20)).physical_offset, results_[20].physical_offset);
  EXPECT_EQ(found.entries.at(QueueOffset(21)).physical_offset, results_[21].physical_offset);
}

TEST_F(EntrySearchTest, ARecordThatIsDamagedItselfIsNotFound) {
  Overwrite(30, std::string(kQueueEntryBytes, '\0'));
  store_.Corrupt(store_.layout().CommitLogFile(PhysicalOffset(0)), results_[30].physical_offset.value() + 4, "oops");
  const FoundEntries found = Search(30);
  EXPECT_EQ(found.to, QueueOffset(31));
  EXPECT_TRUE(found.entries.empty());
}

TEST_F(EntrySearchTest, WithoutANeighbourBehindOnlyWhatIsFoundIsKnown) {
  for (int64_t offset = 38; offset < 40; ++offset) Overwrite(offset, std::string(kQueueEntryBytes, '\0'));
  const FoundEntries found = Search(38);
  EXPECT_EQ(found.to, QueueOffset(40));
  EXPECT_EQ(found.entries.size(), 2u);
}

// All are dispatched: not one search for each of those whose records are lost too.
TEST_F(EntrySearchTest, WithoutANeighbourBehindAllAreKnownOnceAllAreDispatched) {
  for (int64_t offset = 30; offset < 40; ++offset) {
    Overwrite(offset, std::string(kQueueEntryBytes, '\0'));
    store_.Corrupt(store_.layout().CommitLogFile(PhysicalOffset(0)),
                   results_[static_cast<size_t>(offset)].physical_offset.value() + 4, "oops");
  }
  const FoundEntries found = Search(31);
  EXPECT_EQ(found.to, QueueOffset(40));
  EXPECT_TRUE(found.entries.empty());
  store_.Append("T", 0, "not dispatched");
  EXPECT_EQ(Search(31).to, QueueOffset(31)) << "nothing is known of them";
}

// Files of two queues, or of one, that have changed places: each entry is a whole record's, of another queue or offset.
TEST_F(EntrySearchTest, FilesThatHaveChangedPlacesAreDerivedAgain) {
  const auto before = store_.QueueBytes();
  const std::string other = store_.layout().QueueDir("Other", 0) + "/" + MappedFileName(200);
  const std::string aside = store_.layout().root() + "/aside";
  for (const std::string& second : {other, PathOf(30)}) {
    ASSERT_EQ(std::rename(PathOf(10).c_str(), aside.c_str()), 0);
    ASSERT_EQ(std::rename(second.c_str(), PathOf(10).c_str()), 0);
    ASSERT_EQ(std::rename(aside.c_str(), second.c_str()), 0);
    store_.Boot();
    store_.DispatchAll();
    EXPECT_EQ(store_.QueueBytes(), before);
  }
}

// The one in the middle says now what lies behind the marker, which nobody looks at before the queues are believed.
TEST_F(EntrySearchTest, AFileFromBehindTheMarkerIsDerivedAgain) {
  const std::string marker = store_.Bytes(store_.layout().Dispatched());
  for (int i = 40; i < 100; ++i) store_.Append("T", 0, std::to_string(i));
  store_.DispatchAll();
  const auto before = store_.QueueBytes();
  ASSERT_TRUE(WriteFileAtomically(store_.layout().Dispatched(), marker).has_value());
  const std::string aside = store_.layout().root() + "/aside";
  ASSERT_EQ(std::rename(PathOf(10).c_str(), aside.c_str()), 0);
  ASSERT_EQ(std::rename(PathOf(70).c_str(), PathOf(10).c_str()), 0);
  ASSERT_EQ(std::rename(aside.c_str(), PathOf(70).c_str()), 0);
  store_.Boot(false);
  store_.DispatchAll();
  EXPECT_EQ(store_.QueueBytes(), before);
}

}  // namespace
}  // namespace mq::store
