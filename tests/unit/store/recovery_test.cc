#include "store/recovery.h"

#include <unistd.h>

#include "base/clock.h"
#include "store/checkpoint.h"
#include "store/dump_plan.h"
#include "store/dump_verify.h"
#include "store/log_files.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

// A store with 300 messages over several files, not dispatched and without a marker.
void Fill(TestStore& store, int count = 300) {
  store.clock_ms = NowMs() - 100000;
  store.Boot();
  for (int i = 0; i < count; ++i) store.Append("T", i % 3, "message " + std::to_string(i) + std::string(500, '.'));
}

std::string FileOf(TestStore& store, PhysicalOffset at) {
  return store.layout().CommitLogFile(PhysicalOffset(at.value() / 65536 * 65536));
}

std::string Be64(int64_t value) {
  std::string bytes(8, '\0');
  StoreBe64(bytes.data(), static_cast<uint64_t>(value));
  return bytes;
}

TEST(RecoveryTest, EmptyStore) {
  TestStore store;
  store.Boot();
  EXPECT_EQ(store.recovered.end, PhysicalOffset(0));
  EXPECT_EQ(store.table.size(), 0u);
}

// RocketMQ 5.x: going on would give offsets that its own queues already gave.
TEST(RecoveryTest, StoresOfOtherFormatsAreRefusedUntouched) {
  for (const std::string folder : {"/batchconsumequeue/T/0", "/consumequeue", "/config/topics"}) {
    TestStore store;
    Fill(store, 5);
    store.log.reset();
    ASSERT_TRUE(MakeDirectories(store.options.root + folder).has_value());
    for (const std::string name : {"CURRENT", "MANIFEST-000005"}) {
      ASSERT_TRUE(WriteFileAtomically(store.options.root + folder + "/" + name, "x").has_value());
    }
    const auto before = store.Bytes(FileOf(store, PhysicalOffset(0)));
    const auto refused = RecoverCommitLog(store.options, false, nullptr);
    ASSERT_FALSE(refused.has_value()) << folder;
    EXPECT_NE(refused.error().what.find("RocketMQ 5.x"), std::string::npos) << refused.error().what;
    EXPECT_EQ(store.Bytes(FileOf(store, PhysicalOffset(0))), before);
  }
}

TEST(RecoveryTest, UncleanStopLosesNothingWhole) {
  TestStore store;
  Fill(store);
  const PhysicalOffset end = store.log->wrote();
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, end);
  EXPECT_EQ(store.recovered.records, 300);
  EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(100));
  EXPECT_EQ(store.recovered.bytes_dropped, 0);
  EXPECT_EQ(store.recovered.last_store_timestamp, store.clock_ms - 1);
}

TEST(RecoveryTest, TornLastRecordIsZeroedAndItsPlaceUsedAgain) {
  TestStore store;
  Fill(store, 10);
  const AppendResult last = store.Append("T", 0, std::string(5000, 'z'));
  store.Corrupt(FileOf(store, last.physical_offset), last.end().value() - 2000, std::string(1000, '\0'));
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, last.physical_offset);
  EXPECT_GT(store.recovered.bytes_dropped, 0);
  const auto bytes = store.Bytes(FileOf(store, last.physical_offset));
  EXPECT_EQ(bytes.find_first_not_of('\0', static_cast<size_t>(last.physical_offset.value())), std::string::npos);
  const AppendResult next = store.Append("T", 0, "next");
  EXPECT_EQ(next.physical_offset, last.physical_offset);
  EXPECT_EQ(next.queue_offset, last.queue_offset);
}

// bugs 34: an empty file is no torn tail when its records were durable.
TEST(RecoveryTest, ALastFileThatWasCutToNothingIsRefused) {
  TestStore store;
  Fill(store, 10);
  store.DispatchAll();
  store.log.reset();
  const std::string file = FileOf(store, PhysicalOffset(0));
  ASSERT_EQ(::truncate(file.c_str(), 0), 0);
  const auto refused = RecoverCommitLog(store.options, false, nullptr);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find(file), std::string::npos);
  EXPECT_NE(refused.error().hint.find("mq/dispatched"), std::string::npos);
  // Told to, it goes on.
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  EXPECT_FALSE(RecoverCommitLog(store.options, false, nullptr).has_value());
  ASSERT_TRUE(RemoveFile(store.layout().Checkpoint()).has_value());
  EXPECT_TRUE(RecoverCommitLog(store.options, false, nullptr).has_value());
}

// RocketMQ's Z1: the record behind a cut must not come back to life after another crash.
TEST(RecoveryTest, RecordsBehindACutStayDead) {
  TestStore store;
  Fill(store, 5);
  const AppendResult b = store.Append("T", 0, "BBBB");
  store.Append("T", 0, "CCCC");
  store.Corrupt(FileOf(store, b.physical_offset), b.end().value() - 4, "X");  // topic byte stays, body below
  store.Corrupt(FileOf(store, b.physical_offset), b.physical_offset.value() + 88, "X");
  store.Boot(false);
  ASSERT_EQ(store.recovered.end, b.physical_offset);
  EXPECT_EQ(store.recovered.records_dropped, 1);
  const AppendResult again = store.Append("T", 0, "DDDD");
  ASSERT_EQ(again.bytes, b.bytes);
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, again.end());
}

TEST(RecoveryTest, DamageBelowTheCheckpointIsKeptAndSkipped) {
  TestStore store;
  Fill(store, 200);
  auto file = CheckpointFile::Open(store.layout().Checkpoint());
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->Write({store.clock_ms, 0, 0, PhysicalOffset(0)}).has_value());
  const PhysicalOffset end = store.log->wrote();
  LogReader reader(store.options, store.positions.get());
  store.Corrupt(FileOf(store, PhysicalOffset(0)), 1000, "garbage garbage");
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, end);
  ASSERT_EQ(store.recovered.kept_damage.size(), 1u);
  EXPECT_EQ(store.recovered.bytes_dropped, 0);
  EXPECT_EQ(store.table.Find("T", 1)->next, QueueOffset(67));
}

// Nobody is kept from it, so it is not told as skipped; what is damaged behind it is.
TEST(RecoveryTest, ARecordWithADamagedBodyIsKeptAndToldAsServed) {
  TestStore store;
  store.Boot();
  const AppendResult hit = store.Append("T", 0, "hit in its body");
  const AppendResult gone = store.Append("T", 0, "gone");
  const AppendResult whole = store.Append("T", 0, "whole");
  const AppendResult last = store.Append("T", 0, "last");
  store.DispatchAll();
  const std::string file = FileOf(store, PhysicalOffset(0));
  store.Corrupt(file, hit.physical_offset.value() + 90, "X");
  store.Corrupt(file, gone.physical_offset.value() + 4, "XXXX");
  store.Corrupt(file, last.physical_offset.value() + 90, "X");
  store.Boot();
  EXPECT_EQ(store.recovered.end, last.end());
  const auto& kept = store.recovered.kept_damage;
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_TRUE(kept[0].served);
  EXPECT_EQ(kept[0].to, hit.end());
  EXPECT_FALSE(kept[1].served);
  EXPECT_EQ(kept[1].from, gone.physical_offset);
  EXPECT_EQ(kept[1].to, whole.physical_offset);
  EXPECT_TRUE(kept[2].served);
  EXPECT_EQ(kept[2].to, last.end());
}

// Within a millisecond the time of the last flush says nothing: a hole that a power cut made above it would stay for
// ever, and a queue's numbers would have a gap.
TEST(RecoveryTest, RecordsOfTheMillisecondOfTheLastFlushAreToldByPosition) {
  for (const bool flushed : {false, true}) {
    SCOPED_TRACE(flushed);
    TestStore store;
    store.clock_ms = NowMs() - 100000;
    store.Boot();
    const int64_t now = store.clock_ms;
    const AppendResult before = store.Append("T", 0, "before");
    store.clock_ms = now;
    const AppendResult hit = store.Append("T", 0, "hit");
    store.clock_ms = now;
    const AppendResult behind = store.Append("T", 0, "behind");
    ASSERT_EQ(before.store_timestamp, behind.store_timestamp);
    auto file = CheckpointFile::Open(store.layout().Checkpoint());
    ASSERT_TRUE(file.has_value());
    const PhysicalOffset position = flushed ? behind.end() : before.end();
    ASSERT_TRUE(file->Write({behind.store_timestamp, 0, 0, position}).has_value());
    store.Corrupt(FileOf(store, PhysicalOffset(0)), hit.physical_offset.value() + 4, "XXXX");
    store.Boot(false);
    EXPECT_EQ(store.recovered.end, flushed ? behind.end() : before.end());
    EXPECT_EQ(store.recovered.records_dropped, flushed ? 0 : 1);
    EXPECT_EQ(store.recovered.kept_damage.size(), flushed ? 1U : 0U);
  }
}

TEST(RecoveryTest, ALastFileThatIsMissingWithDurableRecordsIsRefused) {
  TestStore store;
  Fill(store, 200);
  const PhysicalOffset end = store.log->wrote();
  ASSERT_GT(ListMappedFiles(store.layout().CommitLogDir())->size(), 1U);
  ASSERT_TRUE(CheckpointFile::Open(store.layout().Checkpoint())->Write({store.clock_ms, 0, 0, end}).has_value());
  const auto files = *ListMappedFiles(store.layout().CommitLogDir());
  const int64_t last = (end.value() - 1) / store.options.commit_log_file_bytes * store.options.commit_log_file_bytes;
  for (const FileEntry& file : files) {
    if (file.start < last) continue;
    ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(file.start))).has_value());
  }
  for (const bool clean : {true, false}) {
    const auto recovered = RecoverCommitLog(store.options, clean, nullptr, RecoverMode::kRepair);
    ASSERT_FALSE(recovered.has_value());
    EXPECT_NE(recovered.error().what.find(MappedFileName(last) + " is missing"), std::string::npos)
        << recovered.error().what;
  }
}

TEST(RecoveryTest, ALogWithoutAnyFileBeginsAnewAndForgetsWhatWasDurable) {
  TestStore store;
  Fill(store);
  store.DispatchAll();
  const PhysicalOffset end = store.log->wrote();
  ASSERT_TRUE(CheckpointFile::Open(store.layout().Checkpoint())->Write({store.clock_ms, 0, 0, end}).has_value());
  ASSERT_TRUE(RemoveTree(store.layout().CommitLogDir()).has_value());
  ASSERT_TRUE(MakeDirectories(store.layout().CommitLogDir()).has_value());
  store.Boot(true);
  EXPECT_EQ(store.recovered.lost_log_end, end);
  EXPECT_EQ(store.recovered.end, PhysicalOffset(0));
  const AppendResult first = store.Append("T", 0, "first");
  EXPECT_EQ(first.queue_offset, QueueOffset(0));
  // Killed before anything new was flushed.
  store.Boot(false);
  EXPECT_EQ(store.recovered.lost_log_end, PhysicalOffset(0));
  EXPECT_EQ(store.recovered.end, first.end());
  EXPECT_TRUE(store.recovered.kept_damage.empty());
}

// The last messages are lost, their positions are not; nor are their numbers, if the marker still knows them.
TEST(RecoveryTest, AnEndThatIsDamagedBelowTheLastFlushKeepsItsNumbers) {
  enum class Evidence { kNone, kCheckpoint, kMarker };
  for (const Evidence evidence : {Evidence::kNone, Evidence::kCheckpoint, Evidence::kMarker}) {
    for (const auto& bytes : {std::string("XXXX"), std::string(4, '\0'), std::string(400, '\0')}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(evidence)) + ", " + std::to_string(bytes.size()) + " bytes");
      TestStore store;
      Fill(store, 20);
      const AppendResult last = store.Append("T", 0, "last" + std::string(400, '.'));
      const bool known = evidence != Evidence::kNone;
      if (evidence == Evidence::kMarker) store.DispatchAll();
      const PhysicalOffset position = evidence == Evidence::kCheckpoint ? last.end() : PhysicalOffset(0);
      ASSERT_TRUE(
          CheckpointFile::Open(store.layout().Checkpoint())->Write({store.clock_ms, 0, 0, position}).has_value());
      store.Corrupt(FileOf(store, last.physical_offset), last.physical_offset.value(), bytes);
      for (const bool clean : {false, true}) {  // and once more, as after a kill in between
        store.Boot(clean);
        EXPECT_EQ(store.recovered.end, known ? last.end() : last.physical_offset);
        ASSERT_EQ(store.recovered.kept_damage.size(), known ? 1U : 0U);
      }
      const AppendResult next = store.Append("T", 0, "next");
      EXPECT_EQ(next.queue_offset, last.queue_offset + (evidence == Evidence::kMarker ? 1 : 0));
      EXPECT_EQ(next.physical_offset, store.recovered.end);
      store.DispatchAll();
      auto entry = ConsumeQueueReader(store.options, store.positions.get()).Read("T", 0, next.queue_offset, 9);
      ASSERT_TRUE(entry.has_value());
      ASSERT_EQ(entry->count, 1);
      EXPECT_EQ((*entry)[0].physical_offset, next.physical_offset);
      const PhysicalOffset end = next.end();
      store.Boot(false);
      EXPECT_EQ(store.recovered.end, end);
      EXPECT_EQ(store.table.Find("T", 0)->next, next.queue_offset + 1);
    }
  }
}

// The last file was cut in the properties of a record, and filled up by a start that was killed then.
TEST(RecoveryTest, ARecordThatWasCutOffIsNeverWholeAgain) {
  TestStore store;
  Fill(store, 20);
  const AppendResult last = store.Append("T", 0, "body", "KEYS\x01" + std::string(300, 'k'));
  const std::string path = FileOf(store, last.physical_offset);
  store.log.reset();
  ASSERT_EQ(::truncate(path.c_str(), last.end().value() % 65536 - 100), 0);
  const auto files = ListLogFiles(store.layout());
  ASSERT_TRUE(files.has_value());
  std::vector<FileEntry> checked = *files;
  ASSERT_TRUE(CheckLogFiles(store.options, PhysicalOffset(0), RecoverMode::kRepair, checked).has_value());
  for (int start = 0; start < 2; ++start) {
    store.Boot(false);
    EXPECT_EQ(store.recovered.end, last.physical_offset);
  }
}

TEST(RecoveryTest, ABlankThatWasCutOffIsWholeAgain) {
  TestStore store;
  Fill(store, 20);
  AppendResult last;
  do {
    last = store.Append("T", 0, std::string(900, 'x'));
  } while (last.physical_offset.value() < 65536);
  const std::string first = store.layout().CommitLogFile(PhysicalOffset(0));
  const std::string second = store.layout().CommitLogFile(PhysicalOffset(65536));
  store.log.reset();
  ASSERT_TRUE(RemoveFile(second).has_value());
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(131072))).has_value());
  ASSERT_EQ(::truncate(first.c_str(), 65536 - 10), 0);
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, PhysicalOffset(65536));
}

TEST(RecoveryTest, ALastFileThatTheMarkerAloneKnowsOfIsMissed) {
  TestStore store;
  Fill(store, 20);
  const PhysicalOffset early = store.log->wrote();
  for (int i = 0; i < 150; ++i) store.Append("T", 0, std::string(500, 'x'));
  store.DispatchAll();
  ASSERT_TRUE(CheckpointFile::Open(store.layout().Checkpoint())->Write({store.clock_ms, 0, 0, early}).has_value());
  const auto files = ListLogFiles(store.layout());
  ASSERT_TRUE(files.has_value());
  for (const FileEntry& file : *files) {
    if (file.start >= 65536) {
      ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(file.start))).has_value());
    }
  }
  EXPECT_FALSE(RecoverCommitLog(store.options, false, nullptr).has_value());
}

// Expiry says in the checkpoint where the log begins, before it takes a file.
TEST(RecoveryTest, FirstFilesThatExpiryHasNotTakenAreMissed) {
  TestStore store;
  Fill(store, 200);
  store.DispatchAll();
  EXPECT_EQ((**ReadCheckpoint(store.layout().Checkpoint())).log_min, PhysicalOffset(0));
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  const auto plan = PlanRecovery(store.options);
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->anything_lost);
  VerifyOptions verify;
  verify.root = store.options.root;
  bool named = false;
  ASSERT_TRUE(VerifyStore(verify, [&](const Fault& fault) {
                named |= fault.text.find("expiry has not removed") != std::string::npos;
              }).has_value());
  EXPECT_TRUE(named);
  store.Boot();
  EXPECT_EQ(store.recovered.lost_log_begin, PhysicalOffset(0));
  EXPECT_EQ(store.recovered.min, PhysicalOffset(65536));
  // Told once.
  store.FlushAll();
  store.Boot();
  EXPECT_EQ(store.recovered.lost_log_begin, PhysicalOffset(-1));
  // By RocketMQ: nothing is known.
  store.Corrupt(store.layout().Checkpoint(), 0, Be64(store.clock_ms + 1));
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(65536))).has_value());
  store.Boot();
  EXPECT_EQ(store.recovered.lost_log_begin, PhysicalOffset(-1));
}

TEST(RecoveryTest, AWalkBeginsNoFurtherThanWhatIsFlushed) {
  TestStore store;
  Fill(store, 20);
  const PhysicalOffset flushed = store.log->wrote();
  ASSERT_TRUE(CheckpointFile::Open(store.layout().Checkpoint())
                  ->Write({store.clock_ms, store.clock_ms, 0, flushed})
                  .has_value());
  AppendResult torn;
  for (int i = 0; i < 20; ++i) torn = store.Append("T", 0, std::string(500, 'y'));
  store.clock_ms -= 3600 * 1000;
  for (int i = 0; i < 150; ++i) store.Append("T", 0, std::string(500, 'z'));
  store.Corrupt(FileOf(store, torn.physical_offset), torn.physical_offset.value(), std::string(400, '\0'));
  store.Boot(false);
  EXPECT_LE(store.recovered.scanned_from, flushed);
  EXPECT_EQ(store.recovered.end, torn.physical_offset);
}

// RocketMQ cuts its log at damage, and leaves the marker as it was.
TEST(RecoveryTest, AMarkerIsNotBelievedOverACutOfRocketmq) {
  for (const bool clean : {false, true}) {
    TestStore store;
    Fill(store, 20);
    const AppendResult last = store.Append("T", 0, "last");
    store.DispatchAll();
    store.Corrupt(FileOf(store, last.physical_offset), last.physical_offset.value(), std::string(100, '\0'));
    store.Corrupt(store.layout().Checkpoint(), 0, Be64(store.clock_ms));
    store.Boot(clean);
    EXPECT_EQ(store.recovered.end, last.physical_offset);
    EXPECT_TRUE(store.recovered.kept_damage.empty());
    EXPECT_FALSE(PathExists(store.layout().Dispatched()));
    const AppendResult next = store.Append("T", 0, "next");
    EXPECT_EQ(next.queue_offset, last.queue_offset);
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0).back(), "next");
  }
}

// And killed before it wrote its checkpoint, after it had put longer records where the marked one was.
TEST(RecoveryTest, AMarkerIsNotBelievedWhereARecordLiesAcrossTheMarkedOne) {
  TestStore store;
  Fill(store, 20);
  const AppendResult cut = store.Append("T", 0, "short");
  const AppendResult last = store.Append("T", 0, "last" + std::string(400, '.'));
  store.DispatchAll();
  const PhysicalOffset marked = last.end();
  const std::string marker = store.Bytes(store.layout().Dispatched());
  const std::string checkpoint = store.Bytes(store.layout().Checkpoint());
  // What a broker that knows no marker would write from `cut` on.
  store.Corrupt(FileOf(store, cut.physical_offset), cut.physical_offset.value(),
                std::string(static_cast<size_t>(marked - cut.physical_offset), '\0'));
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  store.ForgetFlushes();
  store.Boot(false);
  const AppendResult across = store.Append("T", 0, "across" + std::string(100, '.'));
  ASSERT_EQ(across.physical_offset, cut.physical_offset);
  ASSERT_GT(across.end(), last.physical_offset);
  store.Append("T", 0, "next");
  store.FlushAll();
  ASSERT_TRUE(WriteFileAtomically(store.layout().Dispatched(), marker).has_value());
  ASSERT_TRUE(WriteFileAtomically(store.layout().Checkpoint(), checkpoint).has_value());
  store.Boot(false);
  EXPECT_FALSE(PathExists(store.layout().Dispatched()));
  store.DispatchAll();
  const auto bodies = store.Bodies("T", 0);
  EXPECT_EQ(bodies.size(), static_cast<size_t>(across.queue_offset.value()) + 2);
  EXPECT_EQ(bodies.back(), "next");
}

TEST(RecoveryTest, ADamagedEndAndADamagedQueueFileAreBothMended) {
  TestStore store;
  Fill(store, 20);
  const AppendResult last = store.Append("T", 0, "last");
  store.DispatchAll();
  store.Corrupt(FileOf(store, last.physical_offset), last.physical_offset.value() + 4, "XXXX");
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  ASSERT_EQ(::truncate((store.layout().QueueDir("T", 1) + "/00000000000000000000").c_str(), 148), 0);
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, last.end());
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 1).size(), 7U);
  EXPECT_EQ(store.Append("T", 0, "next").queue_offset, last.queue_offset + 1);
}

// The walk of a clean start begins at the marker, unless what it marks is damaged.
TEST(RecoveryTest, ACleanStartMeetsTheDamageOfTheMarkedRecord) {
  TestStore store;
  Fill(store, 20);
  const AppendResult last = store.Append("T", 0, "last");
  store.DispatchAll();
  const PhysicalOffset behind = last.end();
  store.Corrupt(FileOf(store, last.physical_offset), last.physical_offset.value() + 4, "XXXX");
  store.Boot(true);
  EXPECT_EQ(store.recovered.end, behind);
  ASSERT_EQ(store.recovered.kept_damage.size(), 1U);
  EXPECT_EQ(store.recovered.kept_damage[0].from, last.physical_offset);
  EXPECT_EQ(store.recovered.kept_damage[0].to, behind);
  EXPECT_EQ(store.table.Find("T", 0)->next, last.queue_offset + 1);
}

TEST(CheckpointTest, OnlyMqFlushdsOwnIsProved) {
  TestStore store;
  const std::string path = store.layout().Checkpoint();
  ASSERT_TRUE(CheckpointFile::Open(path)->Write({1000, 900, 800, PhysicalOffset(0)}).has_value());
  EXPECT_TRUE((**ReadCheckpoint(path)).proved);
  store.Corrupt(path, 0, Be64(2000));
  EXPECT_FALSE((**ReadCheckpoint(path)).proved);
  // What was read is proved once it is written, though nothing else has changed.
  auto file = CheckpointFile::Open(path);
  ASSERT_TRUE(file->Write(file->current()).has_value());
  EXPECT_TRUE((**ReadCheckpoint(path)).proved);
  ASSERT_TRUE(WriteFileAtomically(path, std::string(4096, '\0')).has_value());
  EXPECT_FALSE(ReadCheckpoint(path)->has_value());
}

TEST(CheckpointTest, APositionThatRocketmqsTimesHaveLeftBehindIsNotBelieved) {
  TestStore store;
  const std::string path = store.layout().Checkpoint();
  ASSERT_TRUE(CheckpointFile::Open(path)->Write({1000, 900, 800, PhysicalOffset(4711)}).has_value());
  EXPECT_EQ((**ReadCheckpoint(path)).flushed, PhysicalOffset(4711));
  // What RocketMQ writes: the three times and nothing else.
  store.Corrupt(path, 0, std::string("\0\0\0\0\0\0\x07\xd0", 8));
  EXPECT_EQ((**ReadCheckpoint(path)).physic_timestamp, 2000);
  EXPECT_EQ((**ReadCheckpoint(path)).flushed, PhysicalOffset(0));
  // What 5.x keeps between them stays.
  store.Corrupt(path, 24, "12345678");
  ASSERT_TRUE(CheckpointFile::Open(path)->Write({3000, 900, 800, PhysicalOffset(5000)}).has_value());
  EXPECT_EQ(ReadFile(path)->substr(24, 8), "12345678");
  EXPECT_EQ((**ReadCheckpoint(path)).flushed, PhysicalOffset(5000));
}

TEST(CheckpointTest, APositionThatWasChangedIsNotBelieved) {
  TestStore store;
  const std::string path = store.layout().Checkpoint();
  for (const int64_t byte : {0, 7, 64, 68, 71, 72, 79}) {
    ASSERT_TRUE(CheckpointFile::Open(path)->Write({1000 + byte, 900, 800, PhysicalOffset(4711)}).has_value());
    EXPECT_EQ((**ReadCheckpoint(path)).flushed, PhysicalOffset(4711));
    store.Corrupt(path, byte, std::string(1, static_cast<char>(store.Bytes(path)[static_cast<size_t>(byte)] ^ 0x10)));
    EXPECT_EQ((**ReadCheckpoint(path)).flushed, PhysicalOffset(0)) << byte;
  }
}

// A blank is believed when it names exactly the rest of its file and nothing younger lies in it: everything else would
// take all records behind it away without a word.
TEST(RecoveryTest, ABlankThatLiesHidesNothingBelowTheLastFlush) {
  for (const bool right_size : {false, true}) {
    for (const bool clean : {false, true}) {
      SCOPED_TRACE(std::to_string(right_size) + " " + std::to_string(clean));
      TestStore store;
      store.clock_ms = NowMs() - 100000;
      store.Boot();
      const AppendResult first = store.Append("T", 0, "first");
      const AppendResult lost = store.Append("T", 0, "lost");
      for (int i = 0; i < 300; ++i) store.Append("T", 0, std::string(500, '.'));
      const PhysicalOffset end = store.log->wrote();
      auto file = CheckpointFile::Open(store.layout().Checkpoint());
      ASSERT_TRUE(file.has_value());
      ASSERT_TRUE(file->Write({store.clock_ms, 0, 0, PhysicalOffset(0)}).has_value());
      store.PutBlank(first.end(), right_size ? store.RestOfFile(first.end()) : 8);
      store.Boot(clean);
      EXPECT_EQ(store.recovered.end, end);
      EXPECT_EQ(store.recovered.bytes_dropped, 0);
      ASSERT_EQ(store.recovered.kept_damage.size(), 1U);
      EXPECT_EQ(store.recovered.kept_damage[0].from, first.end());
      EXPECT_EQ(store.recovered.kept_damage[0].to, lost.end());
      EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(302));
      store.DispatchAll();
      EXPECT_EQ(store.Bodies("T", 0).size(), 301U);
    }
  }
}

// RocketMQ leaves old records behind a cut; a blank that comes to lie over them is sound.
TEST(RecoveryTest, OlderRecordsInsideOfABlankStayDead) {
  TestStore store;
  store.clock_ms = NowMs() - 100000;
  store.Boot();
  const AppendResult stale = store.Append("T", 0, "stale, of an earlier life");
  const std::string record = store.Bytes(FileOf(store, PhysicalOffset(0))).substr(0, static_cast<size_t>(stale.bytes));
  AppendResult last;
  do last = store.Append("T", 0, std::string(500, '.'));
  while (store.RestOfFile(last.end()) > 650);
  const PhysicalOffset at = last.end();
  store.Append("T", 0, std::string(600, '.'));  // does not fit: a blank, and the next file
  ASSERT_EQ(store.log->wrote().value() / 65536, 1);
  std::string moved = record;
  StoreBe64(moved.data() + protocol::kRecordPhysicalOffsetAt, static_cast<uint64_t>(at.value() + 20));
  store.Corrupt(FileOf(store, at), at.value() + 20, moved);
  store.Boot(true);
  EXPECT_TRUE(store.recovered.kept_damage.empty());
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0).back(), std::string(600, '.'));
}

TEST(RecoveryTest, SaysHowManyBytesWereDropped) {
  TestStore store;
  Fill(store, 10);
  const PhysicalOffset end = store.log->wrote();
  store.Corrupt(FileOf(store, end), end.value(), std::string(530, 'x'));
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, end);
  EXPECT_EQ(store.recovered.bytes_dropped, 530);
}

TEST(RecoveryTest, DamageAboveTheCheckpointCuts) {
  TestStore store;
  Fill(store, 200);
  store.Corrupt(FileOf(store, PhysicalOffset(0)), 1000, "garbage garbage");
  store.Boot(false);
  EXPECT_LT(store.recovered.end, PhysicalOffset(1000));
  EXPECT_GT(store.recovered.records_dropped, 150);
}

TEST(RecoveryTest, CheckpointIsAHintOnly) {
  for (int kind = 0; kind < 5; ++kind) {
    TestStore store;
    Fill(store);
    const PhysicalOffset end = store.log->wrote();
    const std::string path = store.layout().Checkpoint();
    std::string future(4096, '\0');
    StoreBe64(future.data(), static_cast<uint64_t>(NowMs() + 3600000));
    StoreBe64(future.data() + 8, static_cast<uint64_t>(NowMs() + 3600000));
    const std::string contents[] = {"", std::string(4096, '\0'), std::string(4096, '\xff'), future,
                                    std::string(10, 'x')};
    ASSERT_TRUE(WriteFileAtomically(path, contents[kind]).has_value());
    store.Boot(false);
    EXPECT_EQ(store.recovered.end, end) << kind;
    EXPECT_EQ(store.recovered.checkpoint_distrusted, kind == 2 || kind == 3) << kind;
    EXPECT_EQ(store.table.Find("T", 2)->next, QueueOffset(100)) << kind;
  }
}

TEST(RecoveryTest, ZeroLengthAndShortLastFile) {
  TestStore store;
  Fill(store);
  const PhysicalOffset end = store.log->wrote();
  const PhysicalOffset next(end.value() / 65536 * 65536 + 65536);
  ASSERT_TRUE(WriteFileAtomically(store.layout().CommitLogFile(next), "").has_value());
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, end);
  EXPECT_EQ(*FileSize(store.layout().CommitLogFile(next)), 65536);
  ASSERT_EQ(::truncate(store.layout().CommitLogFile(next).c_str(), 65529), 0);
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, end);
}

TEST(RecoveryTest, RefusesAnotherFileSizeAndMissingFiles) {
  TestStore store;
  Fill(store);
  StoreOptions other = store.options;
  other.commit_log_file_bytes = 131072;
  const auto refused = RecoverCommitLog(other, true, nullptr);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().what.find("have 65536 bytes; mappedFileSizeCommitLog is 131072"), std::string::npos);
  EXPECT_EQ(refused.error().hint, "set mappedFileSizeCommitLog=65536, the size the store was made with");
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(65536))).has_value());
  EXPECT_FALSE(RecoverCommitLog(store.options, true, nullptr).has_value());
}

// Who has no copy is told how to go on: with the command that the hint ends with.
TEST(RecoveryTest, AFileThatWasCutIsRefusedWithTheCommandThatServesTheRest) {
  for (const int64_t size : {0, 4096, 30000}) {
    SCOPED_TRACE(size);
    TestStore store;
    Fill(store);
    const std::string path = store.layout().CommitLogFile(PhysicalOffset(0));
    store.log.reset();
    ASSERT_EQ(::truncate(path.c_str(), size), 0);
    const auto refused = RecoverCommitLog(store.options, true, nullptr);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().what, path + " has " + std::to_string(size) + " bytes; mappedFileSizeCommitLog is 65536");
    EXPECT_TRUE(refused.error().hint.ends_with(": truncate -s 65536 " + path)) << refused.error().hint;
    ASSERT_EQ(::truncate(path.c_str(), 65536), 0);
    EXPECT_TRUE(RecoverCommitLog(store.options, true, nullptr).has_value());
  }
  // The only file: another size would explain it as well.
  TestStore store;
  Fill(store, 20);
  const std::string path = store.layout().CommitLogFile(PhysicalOffset(0));
  store.log.reset();
  ASSERT_EQ(::truncate(path.c_str(), 4096), 0);
  const auto refused = RecoverCommitLog(store.options, true, nullptr);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().hint.starts_with("set mappedFileSizeCommitLog=4096, ")) << refused.error().hint;
  EXPECT_TRUE(refused.error().hint.ends_with(": truncate -s 65536 " + path)) << refused.error().hint;
}

TEST(RecoveryTest, FirstFileNeedNotBeZero) {
  TestStore store;
  Fill(store);
  const PhysicalOffset end = store.log->wrote();
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  store.Boot(false);
  EXPECT_EQ(store.recovered.min, PhysicalOffset(65536));
  EXPECT_EQ(store.recovered.end, end);
  EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(100));
}

TEST(RecoveryTest, CleanStopStartsFromTheMarker) {
  TestStore store;
  Fill(store);
  store.DispatchAll();
  const PhysicalOffset end = store.log->wrote();
  store.Boot(true);
  EXPECT_EQ(store.recovered.end, end);
  EXPECT_EQ(store.numbered_records, 0);
  EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(100));
}

TEST(RecoveryTest, TombstonesEndANumbering) {
  TestStore store;
  Fill(store, 30);
  Tombstones tombstones;
  tombstones.Add("T", store.log->wrote());
  ASSERT_TRUE(tombstones.Save(store.layout()).has_value());
  store.table.ResetTopic("T");
  store.Append("T", 0, "new life");
  store.Boot(false);
  EXPECT_EQ(store.table.Find("T", 0)->next, QueueOffset(1));
  EXPECT_EQ(store.table.Find("T", 1), nullptr);
}

TEST(LockTest, OneHolderAndSharesThatOutliveIt) {
  TestStore store;
  auto first = StoreLock::TryAcquire(store.layout());
  ASSERT_TRUE(first.has_value());
  auto second = StoreLock::TryAcquire(store.layout());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kHeldByOther);
  auto share = StoreLock::FromDescriptor(UniqueFd(::dup(first->fd())));
  first->Release();
  EXPECT_FALSE(StoreLock::TryAcquire(store.layout()).has_value());
  share.Release();
  EXPECT_TRUE(StoreLock::TryAcquire(store.layout()).has_value());
}

// Lost, of zeros, of other bytes, cut, or damaged in its position alone: none of them says that nothing was flushed.
TEST(RecoveryTest, WithoutACheckpointNothingWholeIsCut) {
  const std::vector<std::string> heads = {"", std::string(4096, '\0'), std::string(4096, '\xFF'), std::string(10, 'x')};
  for (const std::string& head : heads) {
    for (const bool last : {false, true}) {
      SCOPED_TRACE(std::to_string(head.size()) + " bytes, " + (last ? "the last is hit" : "the first is hit"));
      TestStore store;
      store.Boot();
      std::vector<AppendResult> results;
      for (int i = 0; i < 100; ++i) results.push_back(store.Append("T", 0, std::to_string(i)));
      store.FlushAll();
      store.DispatchAll();
      ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
      const AppendResult& hit = last ? results.back() : results.front();
      store.Corrupt(FileOf(store, hit.physical_offset), hit.physical_offset.value() + 4, "oops");
      ASSERT_TRUE(RemoveFile(store.layout().Checkpoint()).has_value());
      if (!head.empty()) {
        ASSERT_TRUE(WriteFileAtomically(store.layout().Checkpoint(), head).has_value());
      }
      store.Boot(false);
      EXPECT_EQ(store.recovered.end, results.back().end());
      EXPECT_EQ(store.recovered.records, 99);
      ASSERT_EQ(store.recovered.kept_damage.size(), 1U);
      EXPECT_EQ(store.recovered.kept_damage[0].from, hit.physical_offset);
      store.DispatchAll();
      EXPECT_EQ(store.Bodies("T", 0).size(), 99U);
      EXPECT_EQ(store.Append("T", 0, "new").queue_offset, QueueOffset(100)) << "no number twice";
    }
  }
}

TEST(RecoveryTest, ADamagedPositionMakesNoCheckpointAnotherBrokers) {
  for (const int64_t byte : {kFlushedByte + 2, kFlushedByte + 10, kLogMinByte + 3}) {
    TestStore store;
    store.Boot();
    for (int i = 0; i < 50; ++i) store.Append("T", 0, std::to_string(i));
    store.FlushAll();
    store.DispatchAll();
    const AppendResult last = store.Append("T", 0, "last");
    store.FlushAll();
    store.DispatchAll();
    store.Corrupt(FileOf(store, last.physical_offset), last.physical_offset.value() + 4, "oops");
    store.Corrupt(store.layout().Checkpoint(), byte, "U");
    store.Boot(true);
    EXPECT_TRUE(store.recovered.marker.has_value()) << store.recovered.marker_doubt;
    EXPECT_EQ(store.recovered.end, last.end()) << byte;
    EXPECT_EQ(store.Append("T", 0, "new").queue_offset, QueueOffset(51)) << byte;
  }
}

}  // namespace
}  // namespace mq::store
