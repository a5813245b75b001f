// What --verify says of index files: nothing of sound ones, and each kind of damage by its place.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
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
  EXPECT_TRUE(std::any_of(faults.begin(), faults.end(), [](const Fault& fault) {
    return fault.text.find("is not filed") != std::string::npos;
  }));
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
  EXPECT_TRUE(Says(faults, first, 0, "I-13", "1001 bytes are not the size of an index file"));
  EXPECT_FALSE(DumpIndex::Open(first, 0).has_value());
}

TEST_F(DumpIndexTest, ALostLastFileIsNamedByTheRecordsItHeld) {
  ASSERT_TRUE(RemoveFile(last).has_value());
  EXPECT_TRUE(Says(Verify(), first, 0, "I-12", "the index ends before position"));
}

// ST-13: the vector of the index layout.
TEST(IndexKeyHashTest, St13KeyHashIsJavas) { EXPECT_EQ(IndexKeyHash("TopicTest", "k1"), 2746024); }

}  // namespace
}  // namespace mq::store
