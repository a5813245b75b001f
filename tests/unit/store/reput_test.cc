#include "store/reput.h"

#include "test_store.h"

namespace mq::store {
namespace {

using testing::HexOf;
using testing::TestStore;

void Fill(TestStore& store, int count) {
  for (int i = 0; i < count; ++i) {
    store.Append(i % 5 == 0 ? "Other" : "T", i % 3, "message " + std::to_string(i),
                 "TAGS\x01Tag" + std::to_string(i % 2));
  }
}

// store.md section 15, vectors 1 to 3.
TEST(ReputTest, WritesGoldenEntries) {
  TestStore store;
  store.Boot();
  store.Append("TopicTest", 0, "hello", "KEYS\x01k1 k2\x02TAGS\x01TagA");
  store.clock_ms = 0x1a228a3a414;
  store.Append("SCHEDULE_TOPIC_XXXX", 0, "delay",
               "REAL_TOPIC\x01TopicTest\x02"
               "DELAY\x01"
               "1\x02TAGS\x01TagB\x02REAL_QID\x01"
               "1");
  store.DispatchAll();
  auto queues = store.QueueBytes();
  EXPECT_EQ(HexOf(queues["TopicTest/0/00000000000000000000"].substr(0, 20)),
            "0000000000000000"
            "0000007d"
            "000000000027a807");
  EXPECT_EQ(HexOf(queues["SCHEDULE_TOPIC_XXXX/0/00000000000000000000"].substr(0, 20)),
            "000000000000007d"
            "000000a4"
            "000001a228a3a7fc");
}

TEST(ReputTest, QueuesFollowTheLog) {
  TestStore store;
  store.Boot();
  auto reput = store.OpenReput();
  Fill(store, 100);
  while (reput->behind()) ASSERT_TRUE(reput->Step(0, 7).has_value());
  EXPECT_EQ(reput->dispatched(), store.log->wrote());
  size_t total = 0;
  for (int q = 0; q < 3; ++q) total += store.Bodies("T", q).size() + store.Bodies("Other", q).size();
  EXPECT_EQ(total, 100u);
  EXPECT_EQ(store.Bodies("T", 1)[0], "message 1");
}

TEST(ReputTest, SyncFlushStopsAtFlushed) {
  TestStore store;
  store.options.flush_disk_type = FlushDiskType::kSync;
  store.Boot();
  auto reput = store.OpenReput();
  Fill(store, 10);
  ASSERT_TRUE(reput->Step(0, 100).has_value());
  EXPECT_EQ(reput->dispatched(), PhysicalOffset(0));
  store.FlushAll();
  ASSERT_TRUE(reput->Step(0, 100).has_value());
  EXPECT_EQ(reput->dispatched(), store.log->wrote());
}

TEST(ReputTest, LostQueueFilesComeBackByteForByte) {
  TestStore store;
  store.Boot();
  Fill(store, 300);
  store.DispatchAll();
  const auto before = store.QueueBytes();
  ASSERT_GT(before.size(), 20u);
  const std::string queue = store.layout().QueueDir("T", 1);
  for (int kind = 0; kind < 8; ++kind) {
    if (kind == 0) {
      ASSERT_TRUE(RemoveFile(queue + "/" + MappedFileName(400)).has_value());
    }
    if (kind == 1) {
      ASSERT_TRUE(RemoveFile(queue + "/" + before.rbegin()->first.substr(4)).has_value());
    }
    if (kind == 2) {
      ASSERT_TRUE(RemoveTree(store.layout().TopicQueuesDir("Other")).has_value());
    }
    if (kind == 3) {
      ASSERT_TRUE(RemoveTree(store.layout().ConsumeQueueDir()).has_value());
    }
    if (kind == 4) {
      ASSERT_TRUE(RemoveFile(queue + "/" + MappedFileName(0)).has_value());
    }
    if (kind == 5) {
      ASSERT_EQ(::truncate((queue + "/" + MappedFileName(200)).c_str(), 0), 0);
    }
    if (kind >= 6) {  // no writer follows a link, to wherever it leads
      const std::string file = queue + "/" + MappedFileName(200);
      ASSERT_EQ(::rename(file.c_str(), (store.options.root + "/moved").c_str()), 0);
      ASSERT_EQ(::symlink(kind == 6 ? (store.options.root + "/moved").c_str() : "/nowhere", file.c_str()), 0);
    }
    store.Boot();
    EXPECT_EQ(store.table.Find("T", 1)->next, QueueOffset(static_cast<int64_t>(80))) << kind;
    store.DispatchAll();
    EXPECT_EQ(store.QueueBytes(), before) << kind;
  }
}

TEST(ReputTest, ReplayAfterAKillAnywhere) {
  TestStore store;
  store.Boot();
  Fill(store, 200);
  store.DispatchAll();
  const auto before = store.QueueBytes();
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  for (int64_t stop : {1, 17, 60, 199}) {
    store.Boot(false);
    auto reput = store.OpenReput();
    ASSERT_TRUE(reput->Step(0, stop).has_value());
    // The same life: the broker goes on, reputd comes back.
    auto again = store.OpenReput();
    ASSERT_TRUE(again->Step(0, 1000).has_value());
    EXPECT_EQ(store.QueueBytes(), before) << stop;
  }
}

TEST(ReputTest, QueueTailBeyondTheRecoveredLogIsCut) {
  TestStore store;
  store.clock_ms = 1000;
  store.Boot();
  Fill(store, 50);
  store.DispatchAll();
  const auto before = store.QueueBytes();
  const PhysicalOffset cut = store.log->wrote();
  auto reput = store.OpenReput();
  const AppendResult lost = store.Append("T", 0, "lost");
  store.Append("U", 0, "lost too");
  ASSERT_TRUE(reput->Step(0, 10).has_value());
  reput.reset();
  // The power cut took the two records, not the queue entries.
  store.Corrupt(store.layout().CommitLogFile(PhysicalOffset(0)), cut.value(), std::string(1000, '\0'));
  store.Boot(false);
  ASSERT_EQ(store.recovered.end, cut);
  EXPECT_EQ(store.table.Find("T", 0)->next, lost.queue_offset);
  store.DispatchAll();
  EXPECT_EQ(store.QueueBytes(), before);
  store.Append("T", 0, "other");
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0).back(), "other");
}

// A record that claims too high an offset leaves a gap; those that it overtook get their places, and the one whose
// place it has taken as well. Only a second record of an offset that is taken rightly has none.
TEST(ReputTest, GapsAreFilledAndRecordsThatWereOvertakenGetTheirPlaces) {
  TestStore store;
  store.Boot();
  store.Append("T", 0, "zero");
  store.table.GetOrCreate("T", 0).next = QueueOffset(6);
  store.Append("T", 0, "six");
  store.table.GetOrCreate("T", 0).next = QueueOffset(1);
  store.Append("T", 0, "one");
  store.table.GetOrCreate("T", 0).next = QueueOffset(1);
  for (const char* body : {"one again", "two", "three", "four", "five", "six again", "seven"}) {
    store.Append("T", 0, body);
  }
  auto reput = store.OpenReput();
  ASSERT_TRUE(reput->Step(0, 100).has_value());
  EXPECT_EQ(reput->anomalies().gaps, 1u);
  EXPECT_EQ(reput->anomalies().conflicts, 1u);
  EXPECT_EQ(store.Bodies("T", 0),
            (std::vector<std::string>{"zero", "one", "two", "three", "four", "five", "six again", "seven"}));
}

// So does one whose place is the first of a queue file, ten entries each: the entry in front of it is in another file,
// which may be the one that is written, one that is not durable yet, or one that is not mapped any more.
TEST(ReputTest, ARecordThatWasOvertakenGetsThePlaceAtTheBeginOfAFile) {
  for (const int64_t claimed : {10, 20}) {
    for (const int behind : {1, 25}) {
      for (const bool synced : {false, true}) {
        TestStore store;
        store.Boot();
        std::vector<std::string> bodies;
        const auto append = [&](int64_t from, int64_t to) {
          for (int64_t i = from; i < to; ++i) {
            store.Append("T", 0, bodies.emplace_back(std::to_string(i)));
          }
        };
        append(0, claimed - 5);
        store.table.GetOrCreate("T", 0).next = QueueOffset(claimed);
        store.Append("T", 0, "claims too much");
        auto reput = store.OpenReput();
        const auto dispatch = [&] { ASSERT_TRUE(reput->DispatchStep(0, 1000).has_value()); };
        dispatch();
        store.table.GetOrCreate("T", 0).next = QueueOffset(claimed - 5);
        append(claimed - 5, claimed);
        if (synced) {
          store.FlushAll();
          ASSERT_TRUE(reput->Step(100, 1000).has_value());
        }
        append(claimed, claimed + behind);
        dispatch();
        EXPECT_EQ(reput->anomalies().conflicts, 0u) << claimed << behind << synced;
        EXPECT_EQ(store.Bodies("T", 0), bodies) << claimed << behind << synced;
      }
    }
  }
}

// The very first record of a queue may be the one whose offset is damaged.
TEST(ReputTest, AQueueThatBeganTooHighStartsAgain) {
  TestStore store;
  store.Boot();
  store.table.GetOrCreate("T", 0).next = QueueOffset(1 << 20);
  store.Append("T", 0, "damaged");
  store.table.GetOrCreate("T", 0).next = QueueOffset(0);
  for (const char* body : {"zero", "one"}) store.Append("T", 0, body);
  // What recovery makes of the same log.
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0), (std::vector<std::string>{"zero", "one"}));
  EXPECT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  store.Boot();
  EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(2));
}

// A topic that was deleted and made again, and nobody knows any more that it was.
TEST(ReputTest, TwoRecordsFromZeroOnAreANewLifeAndOneIsNone) {
  for (const int records : {1, 2, 5}) {
    TestStore store;
    store.Boot();
    for (const char* body : {"old zero", "old one", "old two"}) store.Append("T", 0, body);
    store.table.GetOrCreate("T", 0).next = QueueOffset(0);
    for (int i = 0; i < records; ++i) store.Append("T", 0, std::to_string(i));
    store.DispatchAll();
    const auto bodies = store.Bodies("T", 0);
    ASSERT_FALSE(bodies.empty());
    EXPECT_EQ(bodies.front(), records == 1 ? "old zero" : "0");
    EXPECT_EQ(bodies.size(), records == 1 ? 3u : static_cast<size_t>(records));
    // What recovery makes of the same log.
    EXPECT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
    store.Boot();
    EXPECT_EQ(store.table.Find("T", 0)->next.value(), static_cast<int64_t>(bodies.size()));
  }
}

// The walk of reput takes a blank that lies for damage, as recovery does, and goes on at the next record.
TEST(ReputTest, ABlankThatLiesCostsOneRecord) {
  for (const bool right_size : {false, true}) {
    TestStore store;
    store.Boot();
    const AppendResult first = store.Append("T", 0, "first");
    store.Append("T", 0, "lost");
    for (int i = 0; i < 200; ++i) store.Append("T", 0, std::string(500, '.'));
    store.PutBlank(first.end(), right_size ? store.RestOfFile(first.end()) : 8);
    auto reput = store.OpenReput();
    while (reput->behind()) ASSERT_TRUE(reput->Step(0, 1000).has_value());
    EXPECT_EQ(reput->records(), 201);
    EXPECT_EQ(store.Bodies("T", 0).size(), 201U);
  }
}

// store.md section 15, vector 6: a queue whose first record has queue offset 29, ten entries a file.
TEST(ReputTest, FirstFileStartsWithPreBlankEntries) {
  TestStore store;
  store.Boot();
  store.table.GetOrCreate("T", 0).next = QueueOffset(29);
  store.Append("T", 0, "x");
  store.DispatchAll();
  auto queues = store.QueueBytes();
  ASSERT_EQ(queues.size(), 1u);
  const std::string& bytes = queues["T/0/00000000000000000400"];
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(HexOf(bytes.substr(i * 20, 20)), "00000000000000007fffffff0000000000000000");
  ConsumeQueueReader reader(store.options, store.positions.get());
  EXPECT_EQ(*reader.MinOffset("T", 0), QueueOffset(29));
  EXPECT_EQ(*reader.MaxOffset("T", 0), QueueOffset(30));
}

// A topic is deleted behind records that were not flushed; a power cut takes those, and others take their place.
TEST(ReputTest, ATombstoneBehindTheRecoveredEndSwallowsNothing) {
  TestStore store;
  store.Boot();
  store.Append("Kept", 0, "before");
  const PhysicalOffset end = store.log->wrote();
  for (int i = 0; i < 5; ++i) store.Append("T", 0, std::string(300, 'x'));
  Tombstones tombstones;
  tombstones.Add("T", store.log->wrote());
  ASSERT_TRUE(tombstones.Save(store.layout()).has_value());
  store.Corrupt(store.layout().CommitLogFile(PhysicalOffset(0)), end.value(),
                std::string(static_cast<size_t>(store.log->wrote() - end), '\0'));
  store.Boot(false);
  ASSERT_EQ(store.recovered.end, end);
  // Records of another size, so that the old position would lie inside of one.
  for (int i = 0; i < 4; ++i) store.Append("T", 0, std::string(500, 'y'));
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0).size(), 4u);
  for (const bool clean : {true, false}) {
    store.Boot(clean);
    EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(4));
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0).size(), 4u);
  }
}

TEST(ReputTest, TombstoneRemovesQueuesAndNewLifeStartsAtZero) {
  TestStore store;
  store.Boot();
  auto reput = store.OpenReput();
  Fill(store, 60);
  ASSERT_TRUE(reput->Step(0, 20).has_value());
  Tombstones tombstones;
  tombstones.Add("T", store.log->wrote());
  ASSERT_TRUE(tombstones.Save(store.layout()).has_value());
  store.positions->own_broker().tombstones.store(1);
  store.table.ResetTopic("T");
  store.Append("T", 0, "new life");
  bool applied = false;
  while (reput->behind()) {
    auto outcome = reput->Step(0, 20);
    ASSERT_TRUE(outcome.has_value());
    applied |= outcome->tombstones_applied;
  }
  EXPECT_TRUE(applied);
  EXPECT_EQ(store.positions->reputd().tombstones_applied.load(), 1u);
  EXPECT_EQ(store.Bodies("T", 0), std::vector<std::string>{"new life"});
  EXPECT_EQ(store.Bodies("Other", 0).size(), 4u);
  reput.reset();
  for (bool clean : {true, false}) {
    store.Boot(clean);
    EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(1));
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0), std::vector<std::string>{"new life"});
    EXPECT_TRUE(store.Bodies("T", 1).empty());
  }
}

TEST(ReputTest, OffsetByTime) {
  TestStore store;
  store.clock_ms = 1000;
  store.Boot();
  for (int i = 0; i < 25; ++i) {
    store.clock_ms = 1000 + i * 10;
    store.Append("T", 0, "x");
  }
  store.DispatchAll();
  ConsumeQueueReader queues(store.options, store.positions.get());
  LogReader log(store.options, store.positions.get());
  auto at = [&](int64_t ms, TimeBoundary boundary) {
    return queues.OffsetByTime("T", 0, ms, boundary, QueueOffset(25), log)->value();
  };
  EXPECT_EQ(at(1100, TimeBoundary::kNearest), 10);
  EXPECT_EQ(at(1104, TimeBoundary::kNearest), 10);
  EXPECT_EQ(at(1106, TimeBoundary::kNearest), 11);
  EXPECT_EQ(at(1, TimeBoundary::kNearest), 0);
  EXPECT_EQ(at(9999, TimeBoundary::kNearest), 24);
  EXPECT_EQ(at(1101, TimeBoundary::kLower), 11);
  EXPECT_EQ(at(9999, TimeBoundary::kLower), 25);
  EXPECT_EQ(at(1101, TimeBoundary::kUpper), 10);
  EXPECT_EQ(at(1, TimeBoundary::kUpper), 0);
}

TEST(MarkerTest, IsReadExactlyAsWritten) {
  DispatchedMarker marker;
  marker.offset = PhysicalOffset(1000);
  marker.last_record = PhysicalOffset(900);
  marker.store_timestamp = 77;
  marker.body_crc = 5;
  marker.queues[{"%RETRY%a b", 3}] = {400, QueueOffset(31), std::nullopt};
  marker.queues[{"T", 0}] = {0, QueueOffset(8), PendingRecord{QueueOffset(0), {PhysicalOffset(850), 50, -7}}};
  std::string text = marker.Encode();
  auto back = DispatchedMarker::Decode(text);
  ASSERT_TRUE(back.has_value()) << back.error().what;
  EXPECT_EQ(back->Encode(), text);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(DispatchedMarker::Decode(bad).has_value()) << i;
    EXPECT_FALSE(DispatchedMarker::Decode(text.substr(0, i)).has_value()) << i;
  }
}

// A topic was deleted behind records that are gone; another broker has written a record across that position.
TEST(ReputTest, ADeletionInsideOfARecordTakesNothingOfAnotherTopic) {
  TestStore store;
  store.Boot();
  store.Append("C", 0, "dead");
  const AppendResult across = store.Append("T", 0, std::string(300, 'x'));
  store.Append("T", 0, "next");
  store.FlushAll();
  Tombstones tombstones;
  tombstones.Add("C", across.physical_offset + 100);
  ASSERT_TRUE(tombstones.Save(store.layout()).has_value());
  store.positions->own_broker().tombstones.store(1);
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0).size(), 2U);
  EXPECT_TRUE(store.Bodies("C", 0).empty());
}

}  // namespace
}  // namespace mq::store
