// What --verify says of index files: nothing of sound ones, and each kind of damage by its place.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "store/checkpoint.h"
#include "store/dump_index.h"
#include "store/dump_verify.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

class DumpIndexTest : public ::testing::Test {
 protected:
  // Three keys a message, two of them its own: 30 messages fill one file of 49 usable entries and most of another.
  void SetUp() override {
    store.Boot();
    for (int i = 0; i < 30; ++i) {
      const std::string number = std::to_string(i);
      store.Append("T", 0, "body " + number, "UNIQ_KEY\x01ID" + number + "\x02KEYS\x01key" + number + " shared");
    }
    store.DispatchAll();
    store.Configure({"T"});
    const auto files = ListIndexFiles(store.layout());
    ASSERT_TRUE(files.has_value());
    ASSERT_EQ(files->size(), 2U);
    first = store.layout().IndexFile(files->front().name);
    last = store.layout().IndexFile(files->back().name);
  }
  std::vector<Fault> Verify() {
    VerifyOptions options;
    options.root = store.options.root;
    options.index_slots = store.options.index_slots;
    std::vector<Fault> faults;
    auto report = VerifyStore(options, [&](const Fault& fault) { faults.push_back(fault); });
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().what);
    return faults;
  }
  static ::testing::AssertionResult Says(const std::vector<Fault>& faults, const std::string& file, int64_t byte,
                                         std::string_view rule, std::string_view text) {
    auto result = ::testing::AssertionFailure();
    for (const Fault& fault : faults) {
      if (fault.file == file && fault.byte == byte && fault.rule == rule &&
          fault.text.find(text) != std::string::npos) {
        return ::testing::AssertionSuccess();
      }
      result << fault.file << ":" << fault.byte << " " << fault.rule << " " << fault.text << "\n";
    }
    return result;
  }
  static void Write(const std::string& path, int64_t at, int32_t value) {
    std::string bytes(4, '\0');
    StoreBe32(bytes.data(), static_cast<uint32_t>(value));
    auto fd = OpenFile(path, O_RDWR);
    ASSERT_TRUE(fd.has_value());
    ASSERT_TRUE(WriteAt(fd->get(), bytes, at, path).has_value());
  }
  DumpIndex Open(const std::string& path) {
    auto index = DumpIndex::Open(path, store.options.index_slots);
    EXPECT_TRUE(index.has_value());
    return std::move(*index);
  }
  TestStore store;
  std::string first;
  std::string last;
};

TEST_F(DumpIndexTest, SoundFilesHaveNoFaults) {
  for (const Fault& fault : Verify()) ADD_FAILURE() << fault.file << ":" << fault.byte << " " << fault.text;
}

TEST_F(DumpIndexTest, ASlotThatNamesAnotherEntryIsNamed) {
  DumpIndex index = Open(first);
  const auto entry = index.Entry(1);
  ASSERT_TRUE(entry.has_value());
  const int64_t slot = index.SlotOf(entry->hash);
  Write(first, index.SlotByte(slot), 0);
  EXPECT_TRUE(Says(Verify(), first, index.SlotByte(slot), "I-12", "names entry 0"));
}

TEST_F(DumpIndexTest, AChainThatDoesNotLeadToTheEntryBeforeIsNamed) {
  DumpIndex index = Open(first);
  Write(first, index.EntryByte(7) + 16, 6);
  EXPECT_TRUE(Says(Verify(), first, index.EntryByte(7), "I-12", "names 6 as the one before it"));
}

TEST_F(DumpIndexTest, AnEntryThatLeadsToNoRecordAndAKeyThatIsNotFiledAreNamed) {
  DumpIndex index = Open(last);
  const auto entry = index.Entry(1);
  ASSERT_TRUE(entry.has_value());
  Write(last, index.EntryByte(1) + 8, static_cast<int32_t>(entry->position.value() + 1));
  const auto faults = Verify();
  EXPECT_TRUE(Says(faults, last, index.EntryByte(1), "I-12", "where no record with keys starts"));
  EXPECT_TRUE(std::any_of(faults.begin(), faults.end(),
                          [](const Fault& fault) { return fault.text.find("is not filed") != std::string::npos; }));
}

TEST_F(DumpIndexTest, AHeaderThatLiesIsNamed) {
  Write(first, 36, 1000);
  EXPECT_TRUE(Says(Verify(), first, 36, "I-13", "index count 1000"));
  Write(first, 36, 50);
  Write(first, 20, 4711);
  EXPECT_TRUE(Says(Verify(), first, 16, "I-13", "begin offset 4711"));
}

TEST_F(DumpIndexTest, ACutFileIsNamedAndTheOthersAreStillRead) {
  ASSERT_EQ(::truncate(first.c_str(), 1001), 0);
  const auto faults = Verify();
  EXPECT_TRUE(Says(faults, first, 1001, "I-13", "has 1001 bytes where its neighbours have"));
  EXPECT_FALSE(DumpIndex::Open(first, 0).has_value());
}

TEST_F(DumpIndexTest, ALostLastFileIsNamedByTheRecordsItHeld) {
  ASSERT_TRUE(RemoveFile(last).has_value());
  EXPECT_TRUE(Says(Verify(), first, 0, "I-12", "the index ends before position"));
}

TEST_F(DumpIndexTest, AFileCutToASizeThatAnIndexFileCouldHaveIsNamedOnce) {
  ASSERT_EQ(::truncate(first.c_str(), 40 + 84 * 9), 0);
  const auto faults = Verify();
  EXPECT_EQ(faults.size(), 1U) << faults.back().text;
  EXPECT_TRUE(Says(faults, first, 40 + 84 * 9, "I-13", "where its neighbours have"));
}

TEST_F(DumpIndexTest, AFolderInPlaceOfAFileIsNamedAndTheOthersAreStillRead) {
  ASSERT_TRUE(RemoveFile(first).has_value());
  ASSERT_TRUE(MakeDirectories(first).has_value());
  DumpIndex index = Open(last);
  Write(last, index.EntryByte(3) + 16, 1);
  const auto faults = Verify();
  EXPECT_TRUE(Says(faults, first, 0, "I-13", "is a folder"));
  EXPECT_TRUE(Says(faults, last, index.EntryByte(3), "I-12", "names 1 as the one before it"));
}

TEST_F(DumpIndexTest, ALostFirstFileIsNamedByTheRecordsItHeld) {
  ASSERT_TRUE(RemoveFile(first).has_value());
  const auto faults = Verify();
  EXPECT_EQ(faults.size(), 1U);
  EXPECT_TRUE(Says(faults, last, 16, "I-12", "while the log begins at 0; the keys of 16 records from position 0 on"));
}

TEST_F(DumpIndexTest, ALostIndexIsNamedWhereTheCheckpointKnowsOfOne) {
  ASSERT_TRUE(RemoveTree(store.layout().IndexDir()).has_value());
  EXPECT_TRUE(Verify().empty());  // an index that is switched off is none that is lost
  auto checkpoint = CheckpointFile::Open(store.layout().Checkpoint());
  ASSERT_TRUE(checkpoint.has_value());
  Checkpoint times = checkpoint->current();
  times.index_timestamp = store.clock_ms - 1;
  ASSERT_TRUE(checkpoint->Write(times).has_value());
  const auto faults = Verify();
  EXPECT_EQ(faults.size(), 1U);
  EXPECT_TRUE(Says(faults, store.layout().IndexDir(), 0, "I-12", "the keys of 30 records are not filed"));
}

TEST_F(DumpIndexTest, WrongTimesAreNamed) {
  DumpIndex index = Open(first);
  Write(first, 4, 1);
  EXPECT_TRUE(Says(Verify(), first, 0, "I-13", "begin time is"));
  Write(first, 4, static_cast<int32_t>(index.header().begin_timestamp));
  Write(last, 12, 1);
  EXPECT_TRUE(Says(Verify(), last, 8, "I-13", "end time is"));
  Write(last, 12, static_cast<int32_t>(Open(last).header().begin_timestamp + 4));
  Write(first, index.EntryByte(5) + 12, 77);
  EXPECT_TRUE(Says(Verify(), first, index.EntryByte(5) + 12, "I-13", "entry 5 lies 77 s behind begin time"));
}

TEST_F(DumpIndexTest, AFileOfOtherNumbersOfSlotsSaysHowToReadIt) {
  store.options.index_slots = 0;
  const std::string odd(40 + 4 * 7 + 20 * 30, '\0');
  for (const std::string& path : {first, last}) ASSERT_TRUE(WriteFileAtomically(path, odd).has_value());
  EXPECT_TRUE(Says(Verify(), first, 0, "I-13", "--index-slots"));
}

// Whether the store's broker still runs is not known to a look from the outside: what it writes meanwhile is no fault.
TEST_F(DumpIndexTest, APutInProgressIsNoError) {
  ASSERT_TRUE(WriteFileAtomically(store.layout().Abort(), "").has_value());
  DumpIndex index = Open(last);
  const auto next = static_cast<int32_t>(index.header().count);
  const auto before = index.Entry(next - 1);
  ASSERT_TRUE(before.has_value());
  int64_t free_slot = 0;
  while (*index.Slot(free_slot) != 0) ++free_slot;
  Write(last, index.EntryByte(next), static_cast<int32_t>(free_slot));
  Write(last, index.EntryByte(next) + 8, static_cast<int32_t>(before->position.value() + 500));
  Write(last, 28, static_cast<int32_t>(before->position.value() + 500));
  Write(last, index.SlotByte(free_slot), next);
  for (const Fault& fault : Verify()) EXPECT_EQ(fault.severity, Severity::kWarning) << fault.text;
}

// The index of a young store gets its first entries while its log is read.
TEST_F(DumpIndexTest, TheFirstPutWhileTheStoreIsReadIsNoFault) {
  ASSERT_TRUE(RemoveFile(last).has_value());
  const std::string entries = store.Bytes(first);
  ASSERT_TRUE(WriteFileAtomically(first, std::string(entries.size(), '\0')).has_value());
  store.Corrupt(store.layout().CommitLogFile(PhysicalOffset(0)), 90, "?");
  VerifyOptions options;
  options.root = store.options.root;
  options.index_slots = store.options.index_slots;
  options.positions = store.positions.get();
  bool put = false;
  auto report = VerifyStore(options, [&](const Fault& fault) {
    if (fault.rule == "I-3") put = WriteFileAtomically(first, entries).has_value();
    EXPECT_FALSE(fault.file == first) << fault.text;
  });
  EXPECT_TRUE(report.has_value());
  EXPECT_TRUE(put);
}

// ST-13: the vector of the index layout.
TEST(IndexKeyHashTest, St13KeyHashIsJavas) { EXPECT_EQ(IndexKeyHash("TopicTest", "k1"), 2746024); }

}  // namespace
}  // namespace mq::store
