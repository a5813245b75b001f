// Index files that somebody has damaged: they are found, put right or made anew, and no query guesses meanwhile.
#include <functional>

#include "index_fixture.h"
#include "store/dump_verify.h"

namespace mq::store {
namespace {

using testing::EachIsFoundOnce;
using testing::Fill;
using testing::Find;
using testing::IndexPaths;
using testing::Keyed;
using testing::TestStore;

struct Kind {
  const char* name;
  std::function<void(std::string& file, const IndexView& view)> damage;
};

void Set32(std::string& file, int64_t at, int32_t value) { StoreBe32(file.data() + at, static_cast<uint32_t>(value)); }

int32_t UsedSlot(const IndexView& view, int32_t number) { return view.SlotOf(view.LoadEntry(number).hash); }

const Kind kKinds[] = {
    {"slot zeroed", [](std::string& f, const IndexView& v) { Set32(f, 40 + 4 * UsedSlot(v, 5), 0); }},
    {"slot to another entry", [](std::string& f, const IndexView& v) { Set32(f, 40 + 4 * UsedSlot(v, 6), 3); }},
    {"slot beyond", [](std::string& f, const IndexView& v) { Set32(f, 40 + 4 * UsedSlot(v, 6), 30000); }},
    {"hash in the same slot",
     [](std::string& f, const IndexView& v) { Set32(f, v.EntryStart(7), v.LoadEntry(7).hash + v.slots()); }},
    {"hash in another slot",
     [](std::string& f, const IndexView& v) { Set32(f, v.EntryStart(7), v.LoadEntry(7).hash + 1); }},
    {"position", [](std::string& f, const IndexView& v) { f[static_cast<size_t>(v.EntryStart(7)) + 11] ^= 1; }},
    {"seconds", [](std::string& f, const IndexView& v) { Set32(f, v.EntryStart(7) + 12, 77); }},
    {"previous", [](std::string& f, const IndexView& v) { Set32(f, v.EntryStart(8) + 16, 8); }},
    {"count", [](std::string& f, const IndexView&) { Set32(f, 36, 4); }},
    {"header's end", [](std::string& f, const IndexView&) { f[31] ^= 1; }},
    {"header", [](std::string& f, const IndexView&) { f.replace(0, 40, std::string(40, '\0')); }},
    {"zeros",
     [](std::string& f, const IndexView& v) { f.replace(static_cast<size_t>(v.EntryStart(2)), 100, 100, '\0'); }},
    {"noise over slots and entries", [](std::string& f, const IndexView&) { f.replace(200, 700, 700, '\x5a'); }},
};

void Damage(TestStore& store, const std::string& path, const Kind& kind) {
  std::string bytes = store.Bytes(path);
  const IndexView view(bytes.data(), store.options.index_slots, store.options.index_entries);
  kind.damage(bytes, view);
  store.Corrupt(path, 0, bytes);
}

bool IsNamedByVerify(TestStore& store, const std::string& path) {
  VerifyOptions options;
  options.root = store.options.root;
  options.index_slots = store.options.index_slots;
  bool named = false;
  const auto report = VerifyStore(options, [&](const Fault& fault) { named = named || fault.file == path; });
  EXPECT_TRUE(report.has_value());
  return named;
}

TEST(IndexDamageTest, EveryKindIsFoundAndPutRight) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  const auto before = store.IndexBytes();
  ASSERT_EQ(before.size(), 4u);
  for (const Kind& kind : kKinds) {
    for (const size_t which : {0u, 2u, 3u}) {
      Damage(store, IndexPaths(store)[which], kind);
      ASSERT_TRUE(store.IndexBytes() != before) << kind.name;
      EXPECT_TRUE(IsNamedByVerify(store, IndexPaths(store)[which])) << kind.name << " " << which;
      store.Boot();
      store.DispatchAll();
      EXPECT_EQ(store.positions->reputd().index_damaged.load(), 1u) << kind.name << " " << which;
      EXPECT_EQ(store.positions->reputd().index_unsure.load(), 0u);
      ASSERT_TRUE(store.IndexBytes() == before) << kind.name << " in file " << which;
    }
  }
  EachIsFoundOnce(store, 60);
}

TEST(IndexDamageTest, AFileThatIsGoneIsTold) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  const auto before = store.IndexBytes();
  for (const size_t which : {1u, 3u}) {
    ASSERT_TRUE(RemoveFile(IndexPaths(store)[which]).has_value());
    store.Boot();
    store.DispatchAll();
    EXPECT_EQ(store.positions->reputd().index_damaged.load(), 1u) << which;
    EXPECT_TRUE(store.IndexBytes() == before) << which;
  }
}

// What a kill or a power cut leaves behind the last marker, or before the first one, is no damage.
// There is nothing behind the last entry of a full file that could be cleared.
TEST(IndexDamageTest, AFullFileThatBecomesTheNewestIsPutRight) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  const auto paths = IndexPaths(store);
  ASSERT_GT(paths.size(), 2u);
  for (size_t i = 1; i < paths.size(); ++i) ASSERT_TRUE(RemoveFile(paths[i]).has_value());
  store.Corrupt(paths[0], 40, std::string(40, '\x11'));
  store.Boot();
  store.FlushAll();
  auto reput = store.OpenReput();
  ASSERT_TRUE(reput->FinishAudit().has_value());
  EXPECT_FALSE(reput->index()->failing());
  EXPECT_EQ(store.positions->reputd().indexed.load(), store.log->wrote().value());
  // The one that is gone, and the one whose slots were wrong.
  EXPECT_EQ(store.positions->reputd().index_damaged.load(), 2u);
  EachIsFoundOnce(store, 60);
}

TEST(IndexDamageTest, WhatACrashLeavesIsNotTold) {
  for (const bool marked : {true, false}) {
    for (const bool cut : {true, false}) {
      SCOPED_TRACE(std::string(marked ? "with" : "without") + " a marker, " + (cut ? "a cut tail" : "lost pages"));
      TestStore store;
      store.Boot();
      Fill(store, 0, 40);
      store.DispatchAll();
      const std::string marker = store.Bytes(store.layout().Dispatched());
      const std::string checkpoint = store.Bytes(store.layout().Checkpoint());
      const AppendResult torn = store.Append("A", 0, "m40", Keyed(40));
      store.DispatchAll();
      if (marked) {
        ASSERT_TRUE(WriteFileAtomically(store.layout().Dispatched(), marker).has_value());
        ASSERT_TRUE(WriteFileAtomically(store.layout().Checkpoint(), checkpoint).has_value());
      } else {
        ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
        store.ForgetFlushes();
      }
      if (cut) {
        store.Corrupt(store.layout().CommitLogFile(PhysicalOffset(0)), torn.physical_offset.value() + 4,
                      std::string(40, '\0'));
      } else {
        // The three entries behind the 22 of before.
        store.Corrupt(IndexPaths(store).back(), 440 + 20 * 23, std::string(60, '\0'));
      }
      store.Boot(false);
      EXPECT_EQ(store.recovered.end, cut ? torn.physical_offset : torn.end());
      if (cut) store.Append("A", 0, "m40", Keyed(40));
      store.DispatchAll();
      EXPECT_EQ(store.positions->reputd().index_damaged.load(), 0u);
      EachIsFoundOnce(store, 41);
    }
  }
}

// The newest file is no file to go on behind, and what lies under the name of the one before it neither.
TEST(IndexDamageTest, SwappedFilesAreBuiltAgainWithoutAHole) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  const auto before = store.IndexBytes();
  const auto paths = IndexPaths(store);
  ASSERT_TRUE(std::rename(paths[3].c_str(), (store.options.root + "/aside").c_str()) == 0);
  ASSERT_TRUE(std::rename(paths[2].c_str(), paths[3].c_str()) == 0);
  ASSERT_TRUE(std::rename((store.options.root + "/aside").c_str(), paths[2].c_str()) == 0);
  store.Boot();
  store.DispatchAll();
  EXPECT_TRUE(store.IndexBytes() == before);
  EachIsFoundOnce(store, 60);
}

// A store of RocketMQ's, or one that has lost its marker: no sums are known, and few entries are sampled.
TEST(IndexDamageTest, WithoutAMarkerEntriesAreComparedWithTheLog) {
  TestStore store;
  store.options.index_entries = 400;
  store.Boot();
  Fill(store, 0, 300);
  store.DispatchAll();
  const auto before = store.IndexBytes();
  ASSERT_EQ(before.size(), 3u);
  size_t which = 0;
  for (const Kind& kind : kKinds) {
    // Files that no longer look like ones of this log are set aside and built again, under other names.
    which = (which + 1) % 3;
    Damage(store, IndexPaths(store)[which], kind);
    ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
    store.Boot();
    store.DispatchAll();
    ASSERT_TRUE(store.IndexBytes() == before) << kind.name << " in file " << which;
  }
}

// Old records are gone: of the file that held some of theirs the others are put again.
TEST(IndexDamageTest, AFileWithExpiredRecordsKeepsTheOthers) {
  TestStore store;
  store.options.index_entries = 400;
  store.Boot();
  Fill(store, 0, 700);
  ASSERT_GT(store.log->wrote().value(), 65536);
  store.DispatchAll();
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  store.Boot();
  store.DispatchAll();
  const std::string first = IndexPaths(store).front();
  const std::string bytes = store.Bytes(first);
  ASSERT_LT(static_cast<int64_t>(LoadBe64(bytes.data() + 16)), 65536);
  ASSERT_GE(static_cast<int64_t>(LoadBe64(bytes.data() + 24)), 65536);
  store.Corrupt(first, 440, std::string(400 * 20, '\1'));
  store.Boot();
  store.DispatchAll();
  LogReader log(store.options, store.positions.get());
  LogWalk walk(log, PhysicalOffset(65536));
  int records = 0;
  for (;; ++records) {
    const auto record = walk.Next(store.log->wrote());
    ASSERT_TRUE(record.has_value());
    if (*record == nullptr) break;
    const std::string body((*record)->body);
    const std::string topic((*record)->topic);
    EXPECT_EQ(Find(store, topic, "key" + body.substr(1)), std::vector<std::string>{body});
  }
  EXPECT_GT(records, 50);
  // And it is what the next start believes.
  store.Boot();
  store.DispatchAll();
  EXPECT_EQ(store.positions->reputd().index_damaged.load(), 0u);
}

IndexAnswer Ask(TestStore& store, const std::string& key) {
  IndexReader reader(store.options, store.positions.get());
  IndexQuery query;
  query.topic = "A";
  query.key = key;
  query.max_messages = 64;
  auto answer = reader.Query(query);
  EXPECT_TRUE(answer.has_value());
  return answer ? std::move(*answer) : IndexAnswer();
}

TEST(IndexDamageTest, AQueryBelievesNoFileBeforeItIsCheckedAndNoChainThatCannotBe) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 40);
  store.DispatchAll();
  store.Boot();
  auto reput = store.OpenReput();
  store.positions->own_reputd().index_unsure.store(2);
  EXPECT_EQ(Ask(store, "no such key").unsure_files, 2u);
  ASSERT_TRUE(reput->FinishAudit().has_value());
  IndexAnswer none = Ask(store, "no such key");
  EXPECT_EQ(none.unsure_files, 0u);
  EXPECT_FALSE(none.oddity.has_value());
  const std::string path = IndexPaths(store)[0];
  const std::string before = store.Bytes(path);
  std::string bytes = before;
  const IndexView view(bytes.data(), 100, 50);
  const int32_t hash = IndexKeyHash("A", "key0");
  int32_t number = view.LoadSlot(view.SlotOf(hash));
  while (view.LoadEntry(number).hash != hash) number = view.LoadEntry(number).previous;
  const auto odd = [&](int64_t at, std::string_view put) {
    store.Corrupt(path, at, std::string(put));
    IndexAnswer answer = Ask(store, "key0");
    store.Corrupt(path, 0, before);
    return answer.oddity;
  };
  using namespace std::string_view_literals;
  EXPECT_TRUE(odd(40 + view.SlotOf(hash) * 4, "\0\0\x70\0"sv).has_value());    // beyond the count
  EXPECT_TRUE(odd(view.EntryStart(number), "\0\0\0\1"sv).has_value());         // an entry of another slot
  EXPECT_TRUE(odd(view.EntryStart(number) + 16, "\0\0\0\x31"sv).has_value());  // a loop
  const auto record = odd(view.EntryStart(number) + 4, "\0\0\0\0\0\0\0\1"sv);  // inside a record
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->position.value(), 1);
  EXPECT_FALSE(Ask(store, "key0").oddity.has_value());
}

// A query has met something while all is running.
TEST(IndexDamageTest, FilesAreCheckedAgainWhenAskedFor) {
  TestStore store;
  store.Boot();
  Fill(store, 0, 60);
  store.DispatchAll();
  auto reput = store.OpenReput();
  ASSERT_TRUE(reput->FinishAudit().has_value());
  const auto before = store.IndexBytes();
  uint32_t request = 0;
  for (const size_t which : {1u, 3u}) {
    Damage(store, IndexPaths(store)[which], kKinds[11]);
    store.positions->own_broker().index_check_requests.store(++request);
    for (int i = 0; i < 1000 && store.positions->reputd().index_checks.load() < request; ++i) {
      ASSERT_TRUE(reput->Step(i, 100).has_value());
    }
    EXPECT_EQ(store.positions->reputd().index_checks.load(), request);
    EXPECT_EQ(store.positions->reputd().index_damaged.load(), request);
    EXPECT_TRUE(store.IndexBytes() == before) << which;
  }
  Fill(store, 60, 20);
  ASSERT_TRUE(reput->FinishAudit().has_value());
  EachIsFoundOnce(store, 80);
}

}  // namespace
}  // namespace mq::store
