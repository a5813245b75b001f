// Queue offsets are never given twice, and a former life of a topic never comes back: whatever is lost of queue files,
// marker and log, and wherever a daemon is killed while it mends that.
#include "store/queue_numbers.h"

#include "store/checkpoint.h"
#include "store/rebuild.h"
#include "store/tombstones.h"
#include "test_store.h"

namespace mq::store::testing {
namespace {

std::vector<std::string> Named(const std::string& what, int from, int to) {
  std::vector<std::string> bodies;
  for (int i = from; i < to; ++i) bodies.push_back(what + std::to_string(i));
  return bodies;
}

void AppendAll(TestStore& store, std::string_view topic, const std::vector<std::string>& bodies) {
  for (const std::string& body : bodies) store.Append(topic, 0, body);
}

int64_t Next(TestStore& store, std::string_view topic) {
  const QueueState* state = store.table.Find(topic, 0);
  return state == nullptr ? 0 : state->next.value();
}

// Loses a record that was durable.
void Damage(TestStore& store, const AppendResult& record) {
  const int64_t in_file = record.physical_offset.value() % store.options.commit_log_file_bytes;
  const PhysicalOffset file(record.physical_offset.value() - in_file);
  store.Corrupt(store.layout().CommitLogFile(file), in_file, std::string(static_cast<size_t>(record.bytes), '\0'));
}

void SayFlushed(TestStore& store, PhysicalOffset position) {
  ASSERT_TRUE(CheckpointFile::Open(store.layout().Checkpoint())->Write({store.clock_ms, 0, 0, position}).has_value());
}

// Fifteen messages, the last five of which are damaged in the log: the queue knows them, the older marker does not.
constexpr int64_t kGiven = 15;
void MakeDamagedEnd(TestStore& store) {
  store.Boot();
  AppendAll(store, "T", Named("x", 0, 10));
  store.DispatchAll();
  const std::string marker = store.Bytes(store.layout().Dispatched());
  std::vector<AppendResult> lost;
  for (int i = 10; i < kGiven; ++i) lost.push_back(store.Append("T", 0, std::string(300, '.')));
  store.DispatchAll();
  ASSERT_TRUE(WriteFileAtomically(store.layout().Dispatched(), marker).has_value());
  SayFlushed(store, lost.back().end());
  for (const AppendResult& record : lost) Damage(store, record);
}

// mq-reputd is killed after it has cut the queues: everything starts again, or it alone.
TEST(NumbersTest, AKillBehindTheCutOfTheQueuesLosesNone) {
  for (const bool alone : {false, true}) {
    for (const bool marker : {false, true}) {
      TestStore store;
      MakeDamagedEnd(store);
      if (!marker) {
        ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
      }
      store.Boot(false);
      EXPECT_EQ(Next(store, "T"), kGiven);
      store.OpenReput();
      if (alone) store.DispatchAll();
      store.Boot(alone);
      EXPECT_EQ(Next(store, "T"), kGiven) << alone << marker;
      store.DispatchAll();
      EXPECT_FALSE(PathExists(store.layout().Numbers()));
      store.Boot(true);
      EXPECT_EQ(Next(store, "T"), kGiven) << alone << marker;
      EXPECT_EQ(store.Append("T", 0, "next").queue_offset, QueueOffset(kGiven));
      store.DispatchAll();
      std::vector<std::string> bodies = Named("x", 0, 10);
      bodies.emplace_back("next");
      EXPECT_EQ(store.Bodies("T", 0), bodies);
    }
  }
}

// A topic that is deleted while numbers are still to be kept begins at 0.
TEST(NumbersTest, ADeletedTopicKeepsNone) {
  for (const bool killed : {false, true}) {
    TestStore store;
    MakeDamagedEnd(store);
    store.Boot(false);
    store.OpenReput();
    Tombstones tombstones;
    tombstones.Add("T", store.log->wrote());
    ASSERT_TRUE(tombstones.Save(store.layout()).has_value());
    store.positions->own_broker().tombstones.fetch_add(1);
    store.table.ResetTopic("T");
    if (killed) {
      store.Boot(false);
      EXPECT_EQ(Next(store, "T"), 0);
    }
    AppendAll(store, "T", Named("again", 0, 3));
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0), Named("again", 0, 3));
    store.Boot();
    EXPECT_EQ(Next(store, "T"), 3);
  }
}

// All ten messages of Old have expired.
void MakeExpired(TestStore& store) {
  store.Boot();
  AppendAll(store, "Old", Named("o", 0, 10));
  for (int i = 0; i < 150; ++i) store.Append("T", 0, std::string(1000, 'x'));
  store.DispatchAll();
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  store.Boot();
  store.DispatchAll();
}

void LoseFiles(TestStore& store) { ASSERT_TRUE(RemoveTree(store.layout().QueueDir("Old", 0)).has_value()); }
void DamageLastEntry(TestStore& store) {
  store.Corrupt(store.layout().QueueDir("Old", 0) + "/" + MappedFileName(0), 180, std::string(20, '\0'));
}

TEST(NumbersTest, AnExpiredQueueThatIsLostKeepsIts) {
  for (const auto lose : {LoseFiles, DamageLastEntry}) {
    for (const bool killed : {false, true}) {
      TestStore store;
      MakeExpired(store);
      lose(store);
      store.Boot();
      if (killed) {
        auto reput = store.OpenReput();
        ASSERT_TRUE(reput->Step(10, 20).has_value());
        reput.reset();
        store.Boot(false);
      }
      for (int start = 0; start < 3; ++start) {
        EXPECT_EQ(Next(store, "Old"), 10) << start;
        store.Append("T", 0, "y");
        store.DispatchAll();
        store.Boot();
      }
    }
  }
}

TEST(NumbersTest, ARebuildKeepsThoseThatTheMarkerAloneKnows) {
  TestStore store;
  MakeExpired(store);
  LoseFiles(store);
  store.Boot();
  ASSERT_TRUE(RebuildInPlace(store.options, {true, true}).has_value());
  store.Boot();
  EXPECT_EQ(Next(store, "Old"), 10);
  EXPECT_FALSE(PathExists(store.layout().Numbers()));
}

// What the entries say of a topic that lives again counts though the last of them stands for no record.
TEST(NumbersTest, ATopicThatLivesAgainKeepsThoseOfItsPresentLife) {
  TestStore store;
  store.Boot();
  store.Append("T", 0, "old");
  Tombstones tombstones;
  tombstones.Add("T", store.log->wrote());
  ASSERT_TRUE(tombstones.Save(store.layout()).has_value());
  store.table.ResetTopic("T");
  AppendAll(store, "T", Named("x", 0, 10));
  std::vector<AppendResult> lost;
  for (int i = 0; i < 5; ++i) lost.push_back(store.Append("T", 0, std::string(300, '.')));
  store.DispatchAll();
  SayFlushed(store, lost.back().end());
  for (const AppendResult& record : lost) Damage(store, record);
  for (int start = 0; start < 2; ++start) {
    ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
    store.Boot(false);
    EXPECT_EQ(Next(store, "T"), 15) << start;
    store.DispatchAll();
  }
}

// As RocketMQ leaves it: T was deleted and made again, and nothing but the log says so.
void MakeSecondLife(TestStore& store, int messages) {
  store.Boot();
  AppendAll(store, "T", Named("old", 0, 30));
  AppendAll(store, "Other", Named("other", 0, 5));
  store.table.ResetTopic("T");
  AppendAll(store, "T", Named("new", 0, messages));
}

TEST(NumbersTest, ALostQueueBringsNoFormerLifeOfAnotherBack) {
  for (const bool killed : {false, true}) {
    TestStore store;
    MakeSecondLife(store, 5);
    store.DispatchAll();
    ASSERT_TRUE(RemoveTree(store.layout().QueueDir("Other", 0)).has_value());
    store.Boot();
    if (killed) {
      store.FlushAll();
      auto reput = store.OpenReput();
      ASSERT_TRUE(reput->Step(10, 32).has_value());
      ASSERT_TRUE(reput->Step(20, 1).has_value());
      reput.reset();
      store.Boot(false);
    }
    EXPECT_EQ(Next(store, "T"), 5);
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0), Named("new", 0, 5));
    EXPECT_EQ(store.Bodies("Other", 0), Named("other", 0, 5));
    AppendAll(store, "T", Named("new", 5, 25));
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0), Named("new", 0, 25));
    store.Boot();
    EXPECT_EQ(Next(store, "T"), 25);
  }
}

// mq-reputd, or all, stops with the marker between the first two records of the second life.
TEST(NumbersTest, AStopBetweenTheFirstTwoRecordsOfALifeHidesNone) {
  for (const bool all : {false, true}) {
    TestStore store;
    store.Boot();
    AppendAll(store, "T", Named("old", 0, 30));
    store.table.ResetTopic("T");
    AppendAll(store, "T", Named("new", 0, 1));
    AppendAll(store, "Other", Named("other", 0, 5));
    AppendAll(store, "T", Named("new", 1, 10));
    store.Boot();
    EXPECT_EQ(Next(store, "T"), 10);
    store.FlushAll();
    {
      auto reput = store.OpenReput();
      for (int step = 1; step < 4; ++step) ASSERT_TRUE(reput->Step(100 + step * 2, 11).has_value());
      ASSERT_GT(reput->durable(), PhysicalOffset(0));
    }
    if (all) store.Boot(false);
    EXPECT_EQ(Next(store, "T"), 10) << all;
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0), Named("new", 0, 10)) << all;
    store.Boot();
    EXPECT_EQ(Next(store, "T"), 10) << all;
  }
}

// The first queue file of the former life that the log still knows is not that of offset 0.
TEST(NumbersTest, ASecondLifeIsSeenThoughTheFirstBeganBeforeTheLog) {
  TestStore store;
  store.Boot();
  store.table.GetOrCreate("T", 0).next = QueueOffset(500);
  AppendAll(store, "T", Named("old", 0, 3));
  store.table.ResetTopic("T");
  AppendAll(store, "T", Named("new", 0, 3));
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0), Named("new", 0, 3));
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  store.Boot();
  EXPECT_EQ(Next(store, "T"), 3);
}

// One record that claims a far offset makes no huge file; two that follow one another are right.
TEST(NumbersTest, RecordsBehindALostStretchOfManyNumbersGetTheirEntries) {
  constexpr int64_t kFar = 1200000;
  for (const int records : {1, 2, 10}) {
    for (const bool stopped : {false, true}) {
      TestStore store;
      store.options.consume_queue_file_bytes = 6000000;
      store.Boot();
      AppendAll(store, "T", Named("a", 0, 10));
      store.table.GetOrCreate("T", 0).next = QueueOffset(kFar);
      AppendAll(store, "T", Named("b", 0, 1));
      if (stopped) {
        store.DispatchAll();  // the marker is behind the first of them
        const std::string log = store.Bytes(store.layout().Dispatched());
        EXPECT_NE(log.find("\npending 1200000 "), std::string::npos) << log;
        store.Boot(false);
        EXPECT_EQ(Next(store, "T"), 10);
        store.table.GetOrCreate("T", 0).next = QueueOffset(kFar + 1);
      }
      AppendAll(store, "T", Named("b", 1, records));
      if (records == 1) store.table.GetOrCreate("T", 0).next = QueueOffset(10);
      if (records == 1) AppendAll(store, "T", Named("a", 10, 12));
      store.Boot(false);
      EXPECT_EQ(Next(store, "T"), records == 1 ? 12 : kFar + records);
      store.DispatchAll();
      std::vector<std::string> bodies = Named("a", 0, records == 1 ? 12 : 10);
      for (const std::string& body : Named("b", 0, records == 1 ? 0 : records)) bodies.push_back(body);
      EXPECT_EQ(store.Bodies("T", 0), bodies) << records << stopped;
      store.Boot();
      EXPECT_EQ(Next(store, "T"), records == 1 ? 12 : kFar + records);
    }
  }
}

// Its number was kept before the record behind it came.
TEST(NumbersTest, ARecordThatWaitedGetsItsPlaceAmongKeptNumbers) {
  TestStore store;
  store.options.consume_queue_file_bytes = 6000000;
  QueueAnomalies anomalies;
  QueueWriter writer(store.options, {"T", 0}, std::nullopt);
  const auto entry = [](int64_t position) { return QueueEntry{PhysicalOffset(position), 100, 0}; };
  ASSERT_TRUE(writer.Put(QueueOffset(0), entry(100), anomalies).has_value());
  ASSERT_TRUE(writer.Put(QueueOffset(1200000), entry(200), anomalies).has_value());
  EXPECT_EQ(writer.marked()->end, QueueOffset(1));
  ASSERT_TRUE(writer.KeepNumbers(QueueOffset(1200005), PhysicalOffset(150), anomalies).has_value());
  ASSERT_TRUE(writer.Put(QueueOffset(1200001), entry(300), anomalies).has_value());
  EXPECT_EQ(writer.marked()->end, QueueOffset(1200005));
  ConsumeQueueReader reader(store.options, nullptr, PhysicalOffset(1000));
  const auto span = reader.Read("T", 0, QueueOffset(1200000), 2);
  ASSERT_TRUE(span.has_value());
  ASSERT_EQ(span->count, 2);
  EXPECT_EQ((*span)[0].physical_offset, PhysicalOffset(200));
  EXPECT_EQ((*span)[1].physical_offset, PhysicalOffset(300));
  EXPECT_EQ(reader.Read("T", 0, QueueOffset(0), 1)->count, 1);
}

TEST(NumbersTest, TheirFileIsReadExactlyAsWritten) {
  KnownNumbers numbers;
  AddNumber(numbers, {"%RETRY%a b", 3}, {QueueOffset(31), PhysicalOffset(900)});
  AddNumber(numbers, {"T", 0}, {QueueOffset(7), PhysicalOffset(100)});
  EXPECT_FALSE(AddNumber(numbers, {"T", 0}, {QueueOffset(6), PhysicalOffset(100)}));
  EXPECT_TRUE(AddNumber(numbers, {"T", 0}, {QueueOffset(5), PhysicalOffset(200)}));  // a later life, perhaps
  EXPECT_TRUE(AddNumber(numbers, {"T", 1}, {QueueOffset(5), PhysicalOffset(200)}));
  EXPECT_TRUE(AddNumber(numbers, {"T", 1}, {QueueOffset(6), PhysicalOffset(300)}));  // takes the other's place
  EXPECT_EQ(numbers.size(), 4U);
  const std::string text = EncodeNumbers(numbers);
  const auto back = DecodeNumbers(text);
  ASSERT_TRUE(back.has_value()) << back.error().what;
  EXPECT_EQ(EncodeNumbers(*back), text);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_FALSE(DecodeNumbers(bad).has_value()) << i;
    EXPECT_FALSE(DecodeNumbers(text.substr(0, i)).has_value()) << i;
  }
}

// Recovery looks at the newest files alone; whoever numbers the queues goes over the damage.
TEST(NumbersTest, ThoseOfDamagedRecordsInAnOldFileAreNotGivenAgain) {
  TestStore store;
  store.Boot();
  std::vector<AppendResult> idle;
  for (int i = 0; i < 10; ++i) idle.push_back(store.Append("Idle", 0, "i" + std::to_string(i)));
  while (store.log->wrote() < PhysicalOffset(6 * 65536)) store.Append("Busy", 0, std::string(3000, 'b'));
  store.DispatchAll();
  for (size_t i = 7; i < 10; ++i) {
    store.Corrupt(store.layout().CommitLogFile(PhysicalOffset(0)), idle[i].physical_offset.value() + 4, "oops");
  }
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  store.Boot();
  ASSERT_TRUE(store.recovered.kept_damage.empty());
  EXPECT_EQ(store.Append("Idle", 0, "new").queue_offset, QueueOffset(10));
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("Idle", 0).size(), 8U);
  store.Boot();
  EXPECT_EQ(store.Append("Idle", 0, "newer").queue_offset, QueueOffset(11));
}

}  // namespace
}  // namespace mq::store::testing
