// The index files: their bytes, what survives which accident, and what a query finds.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "index_fixture.h"
#include "store/reput.h"

namespace mq::store {
namespace {

using testing::EachIsFoundOnce;
using testing::Fill;
using testing::Find;
using testing::HexOf;
using testing::IndexPaths;
using testing::TestStore;

// store.md section 15, vector 1.
TEST(IndexTest, WritesGoldenEntries) {
  TestStore store;
  store.Boot();
  store.Append("TopicTest", 0, "hello", "KEYS\x01k1 k2\x02TAGS\x01TagA");
  store.DispatchAll();
  EXPECT_EQ(IndexKeyHash("TopicTest", "k1"), 2746024);
  const auto files = store.IndexBytes();
  ASSERT_EQ(files.size(), 1u);
  ASSERT_EQ(files[0].size(), 40u + 100 * 4 + 50 * 20);
  EXPECT_EQ(HexOf(files[0].substr(32, 8)), "0000000200000003");
  EXPECT_EQ(HexOf(files[0].substr(40 + 24 * 4, 8)), "0000000100000002");
  EXPECT_EQ(HexOf(files[0].substr(440 + 20, 20)),
            "0029e6a8"
            "0000000000000000"
            "00000000"
            "00000000");
  EXPECT_EQ(HexOf(files[0].substr(440 + 40, 4)), "0029e6a9");
}

TEST(IndexTest, RollsAndFindsEveryKey) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 100);
  store.DispatchAll();
  // 300 keys, 49 a file.
  EXPECT_EQ(store.IndexBytes().size(), 7u);
  EachIsFoundOnce(store, 100);
  EXPECT_EQ(Find(store, "A", "shared").size(), 50u);
  EXPECT_EQ(Find(store, "A", "shared", 3), (std::vector<std::string>{"m94", "m96", "m98"}));
  EXPECT_TRUE(Find(store, "B", "key0").empty());
  EXPECT_TRUE(Find(store, "A", "").empty());
}

// Equal hashes (bugs 49), repeated words, times.
TEST(IndexTest, AnswersExactMatchesOnly) {
  TestStore store;
  store.Boot();
  store.Append("T", 0, "one",
               "KEYS\x01"
               "Aa k2");
  store.clock_ms += 5000;
  const int64_t middle = store.clock_ms;
  store.Append("T", 0, "two",
               "KEYS\x01"
               "BB dup dup dup");
  store.clock_ms -= 60000;  // the clock steps back
  const int64_t back = store.clock_ms;
  store.Append("T", 0, "three", "KEYS\x01late");
  store.DispatchAll();
  using Bodies = std::vector<std::string>;
  EXPECT_EQ(IndexKeyHash("T", "Aa"), IndexKeyHash("T", "BB"));
  EXPECT_EQ(Find(store, "T", "Aa"), Bodies{"one"});
  EXPECT_EQ(Find(store, "T", "BB"), Bodies{"two"});
  EXPECT_EQ(Find(store, "T", "k2"), Bodies{"one"});
  EXPECT_EQ(Find(store, "T", "dup"), Bodies{"two"});
  EXPECT_TRUE(Find(store, "T", "A").empty());
  EXPECT_EQ(Find(store, "T", "BB", 64, middle, middle), Bodies{"two"});
  EXPECT_TRUE(Find(store, "T", "BB", 64, middle + 1, INT64_MAX).empty());
  EXPECT_TRUE(Find(store, "T", "BB", 64, 0, middle - 1).empty());
  EXPECT_EQ(Find(store, "T", "late", 64, back, back), Bodies{"three"});
}

TEST(IndexTest, KillsAnywhereLeaveEveryKeyOnce) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  Fill(store, 60, 60);
  store.FlushAll();
  TestStore* s = &store;
  for (int64_t stop : {0, 1, 17, 33, 60}) {
    store.Boot(false);
    auto reput = store.OpenReput();
    ASSERT_TRUE(reput->Step(0, stop).has_value());
    // The same life: the broker goes on, reputd comes back, again and again.
    for (int i = 0; i < 3; ++i) {
      reput = store.OpenReput();
      ASSERT_TRUE(reput->Step(0, 7).has_value());
    }
    while (reput->behind() || !reput->index()->caught_up()) ASSERT_TRUE(reput->Step(0, 100).has_value());
    EachIsFoundOnce(*s, 120);
    int32_t entries = 0;
    for (const std::string& bytes : store.IndexBytes()) {
      entries += static_cast<int32_t>(LoadBe32(bytes.data() + 36)) - 1;
    }
    EXPECT_EQ(entries, 360) << stop;
  }
}

// A put cut short: entry and slot are written, the count is not.
TEST(IndexTest, HalfAPutIsTakenBack) {
  for (bool same_life : {false, true}) {
    TestStore store;
    store.Boot();
    Fill(store, 0, 20);
    store.DispatchAll();
    const auto before = store.IndexBytes();
    const std::string path = IndexPaths(store).back();
    const auto count = static_cast<int32_t>(LoadBe32(before.back().data() + 36));
    const int32_t hash = IndexKeyHash("A", "key18");
    const int64_t slot_at = 40 + int64_t{hash % 100} * 4;
    std::string entry(20, '\0');
    StoreBe32(entry.data(), static_cast<uint32_t>(hash));
    entry.replace(16, 4, before.back().substr(static_cast<size_t>(slot_at), 4));
    store.Corrupt(path, 440 + int64_t{count} * 20, entry);
    std::string number(4, '\0');
    StoreBe32(number.data(), static_cast<uint32_t>(count));
    store.Corrupt(path, slot_at, number);
    if (!same_life) store.Boot(false);
    auto reput = store.OpenReput();
    ASSERT_TRUE(reput->Step(0, 100).has_value());
    EachIsFoundOnce(store, 20);
    if (!same_life) {
      EXPECT_EQ(store.IndexBytes(), before);
    }
  }
}

// Files that are gone, cut, or whose pages a power cut took.
TEST(IndexTest, LostAndDamagedFilesComeBackWithTheSameBytes) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 100);
  store.DispatchAll();
  const auto before = store.IndexBytes();
  for (int kind = 0; kind < 7; ++kind) {
    const auto paths = IndexPaths(store);
    if (kind == 0) {
      ASSERT_TRUE(RemoveTree(store.layout().IndexDir()).has_value());
    }
    if (kind == 1) {
      ASSERT_TRUE(RemoveFile(paths[3]).has_value());
    }
    if (kind == 2) {
      ASSERT_TRUE(RemoveFile(paths.back()).has_value());
    }
    if (kind == 3) {
      ASSERT_EQ(::truncate(paths[2].c_str(), 100), 0);
    }
    if (kind == 4) {
      // Below the marker a crash damages nothing, and entries are not read again; without one all are.
      store.Corrupt(paths.back(), 440 + 40, std::string(20, '\0'));
      ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
    }
    if (kind == 5) store.Corrupt(paths.back(), 40, std::string(400, '\7'));
    if (kind == 6) store.Corrupt(paths[1], 0, std::string(40, '\0'));
    store.Boot(false);
    store.DispatchAll();
    EXPECT_EQ(store.IndexBytes(), before) << kind;
  }
  EachIsFoundOnce(store, 100);
  // What came back is there to stay: the next start, with nothing new, builds no file again.
  const auto paths = IndexPaths(store);
  store.Boot();
  store.DispatchAll();
  EXPECT_EQ(IndexPaths(store), paths);
}

// bugs 52: the log was replaced, the index was not.
TEST(IndexTest, IndexOfAnotherLogIsSetAside) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 40);
  store.DispatchAll();
  ASSERT_TRUE(RemoveTree(store.layout().CommitLogDir()).has_value());
  ASSERT_TRUE(RemoveTree(store.layout().ConsumeQueueDir()).has_value());
  ASSERT_TRUE(store.layout().MakeDirectories().has_value());
  store.Boot(false);
  for (int i = 0; i < 30; ++i) store.Append("New", 0, "n" + std::to_string(i), "KEYS\x01n" + std::to_string(i));
  store.DispatchAll();
  EXPECT_EQ(Find(store, "New", "n7"), std::vector<std::string>{"n7"});
  EXPECT_TRUE(Find(store, "A", "key0").empty());
  EXPECT_EQ(store.IndexBytes().size(), 1u);
  const auto aside = ListDirectory(store.layout().IndexSetAsideDir());
  ASSERT_TRUE(aside.has_value());
  EXPECT_EQ(aside->size(), 3u);
}

// A power cut takes names and pages of index files one by one; without a marker there is only the log to ask.
TEST(IndexTest, WithoutAMarkerAFileThatIsGoneOrEmptyIsNoticedByTheLog) {
  for (const bool removed : {true, false}) {
    for (const size_t lost : {0u, 1u}) {
      TestStore store;
      store.Boot();
      Fill(store, 0, 60);
      store.DispatchAll();
      const std::vector<std::string> paths = IndexPaths(store);
      ASSERT_GT(paths.size(), 3u);
      if (removed) {
        ASSERT_TRUE(RemoveFile(paths[lost]).has_value());
      } else {
        store.Corrupt(paths[lost], 0, std::string(static_cast<size_t>(IndexFileBytes(store.options)), '\0'));
      }
      ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
      store.Boot(false);
      store.DispatchAll();
      EachIsFoundOnce(store, 60);
    }
  }
}

TEST(IndexTest, WithoutAMarkerAnOldCountIsNoticedByTheLog) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  // The header's page is older than the entries: the file counts fewer of them than the next one begins behind.
  store.Corrupt(IndexPaths(store)[0], 36, std::string("\0\0\0\x05", 4));
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  store.Boot(false);
  store.DispatchAll();
  EachIsFoundOnce(store, 60);
}

// The first mq-reputd of a life cuts the queues and dies before it has looked at the index.
TEST(IndexTest, ASecondReputdOfALifeDoesNotBelieveWhatTheFirstDidNotCheck) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  Fill(store, 60, 60);
  {
    auto reput = store.OpenReput();
    while (reput->behind()) ASSERT_TRUE(reput->Step(0, 100).has_value());
  }
  // A name without its size, as a power cut leaves it.
  ASSERT_EQ(::truncate(IndexPaths(store).back().c_str(), 0), 0);
  store.Boot(false);
  store.OpenReput().reset();
  auto reput = store.OpenReput();
  while (store.positions->reputd().indexed.load() < store.log->wrote().value()) {
    ASSERT_TRUE(reput->Step(0, 100).has_value());
    ASSERT_FALSE(reput->index()->failing());
  }
  EachIsFoundOnce(store, 120);
}

TEST(IndexTest, SwitchedOffAndOnAgain) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 20);
  store.DispatchAll();
  store.options.index_enable = false;
  store.Boot();
  Fill(store, 20, 20);
  store.DispatchAll();
  EXPECT_TRUE(Find(store, "A", "key30").empty());
  store.options.index_enable = true;
  store.Boot();
  Fill(store, 40, 20);
  store.DispatchAll();
  EachIsFoundOnce(store, 60);
}

// bugs 33: queues go on, nothing is left over, and the index catches up.
TEST(IndexTest, AnIndexThatCannotBeMadeHoldsUpNothing) {
  TestStore store;
  store.Boot();
  ASSERT_TRUE(RemoveTree(store.layout().IndexDir()).has_value());
  ASSERT_TRUE(WriteFileAtomically(store.layout().IndexDir(), "in the way").has_value());
  auto reput = store.OpenReput();
  Fill(store, 0, 30);
  int64_t now = 0;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(reput->Step(now += 500, 10).has_value());
  EXPECT_FALSE(reput->behind());
  EXPECT_TRUE(reput->index()->failing());
  EXPECT_EQ(store.Bodies("A", 0).size(), 15u);
  EXPECT_EQ(store.positions->reputd().indexed.load(), 0);
  ASSERT_TRUE(RemoveFile(store.layout().IndexDir()).has_value());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(reput->Step(now += 500, 10).has_value());
  EXPECT_TRUE(reput->index()->caught_up());
  EXPECT_EQ(store.positions->reputd().indexed.load(), store.log->wrote().value());
  EachIsFoundOnce(store, 30);
}

TEST(IndexTest, FilesOfExpiredRecordsGo) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 100);
  store.DispatchAll();
  const size_t all = store.IndexBytes().size();
  Fill(store, 100, 700);
  ASSERT_GT(store.log->wrote().value(), 65536);
  store.DispatchAll();
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  store.Boot();
  Fill(store, 800, 2);
  store.DispatchAll();
  const auto paths = IndexPaths(store);
  IndexReader reader(store.options, store.positions.get());
  ASSERT_GT(paths.size(), 1u);
  EXPECT_GE(static_cast<int64_t>(LoadBe64(store.Bytes(paths.front()).data() + 24)), 65536);
  EXPECT_GT(all, 0u);
  EXPECT_EQ(Find(store, "B", "key801"), std::vector<std::string>{"m801"});
  EXPECT_TRUE(Find(store, "A", "key0").empty());
}

struct Sample : TestStore {
  explicit Sample(const std::string& name) {
    options.commit_log_file_bytes = 1 << 20;
    options.consume_queue_file_bytes = 6000;
    options.index_slots = 500;
    options.index_entries = 2000;
    const std::string command =
        "tar xzf " MQ_GOLDEN_DIR "/store/" + name + ".tar.gz --strip-components=1 -C " + options.root;
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
};

TEST(IndexTest, RocketmqsCleanIndexIsTakenOverAndDerivedByteForByte) {
  Sample store("store-clean");
  const auto before = store.IndexBytes();
  ASSERT_EQ(before.size(), 2u);
  store.Boot();
  store.DispatchAll();
  EXPECT_EQ(store.IndexBytes(), before);
  EXPECT_FALSE(PathExists(store.layout().IndexSetAsideDir()));
  store.DispatchAll(true);
  EXPECT_EQ(store.IndexBytes(), before);
}

TEST(IndexTest, RocketmqsCrashedIndexGoesOnWhereItEnded) {
  Sample store("store-crashed");
  const auto before = store.IndexBytes();
  store.Boot(false);
  store.DispatchAll();
  const auto after = store.IndexBytes();
  ASSERT_GE(after.size(), before.size());
  // Full files are as they were; the last one was added to.
  for (size_t i = 0; i + 1 < before.size(); ++i) EXPECT_EQ(after[i], before[i]) << i;
  EXPECT_FALSE(PathExists(store.layout().IndexSetAsideDir()));
  // Every key of every record is in the index once.
  std::map<std::pair<int64_t, int32_t>, int> wanted;
  LogReader log(store.options, store.positions.get());
  LogWalk walk(log, PhysicalOffset(0));
  for (;;) {
    auto record = walk.Next(store.log->wrote());
    ASSERT_TRUE(record.has_value());
    if (*record == nullptr) break;
    ForEachIndexKey((*record)->properties, [&](std::string_view key) {
      ++wanted[{(*record)->physical_offset.value(), IndexKeyHash((*record)->topic, key)}];
      return true;
    });
  }
  for (std::string bytes : after) {
    const IndexView view(bytes.data(), 500, 2000);
    for (int32_t n = 1; n < view.LoadHeader().count; ++n) {
      const IndexEntry entry = view.LoadEntry(n);
      --wanted[{entry.position.value(), entry.hash}];
    }
  }
  for (const auto& [key, left] : wanted) EXPECT_EQ(left, 0) << key.first << " " << key.second;
  store.DispatchAll(true);
  EXPECT_EQ(store.IndexBytes(), after);
}

TEST(IndexTest, NamesFollowOneAnother) {
  const std::string name = IndexFileName(1795978901747, "");
  EXPECT_TRUE(IsIndexFileName(name));
  EXPECT_EQ(name.substr(14), "747");
  EXPECT_GT(IndexFileName(1795978901747, name), name);
  EXPECT_GT(IndexFileName(1000, name), name);
  EXPECT_FALSE(IsIndexFileName("2026112919014175"));
  EXPECT_FALSE(IsIndexFileName("20261129190141757.tmp"));
}

}  // namespace
}  // namespace mq::store
