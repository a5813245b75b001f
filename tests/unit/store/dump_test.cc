// What mq-storedump reads: walks over sound and damaged logs, and that --verify names each kind of damage.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "dump_fixture.h"
#include "store/dump_queue.h"
#include "store/dump_record.h"
#include "store/dump_verify.h"

namespace mq::store {
namespace {

using testing::DumpTest;

TEST_F(DumpTest, ASoundStoreHasNoFaultsAlsoForRocketmq) {
  Fill();
  for (const Fault& fault : Verify(true)) ADD_FAILURE() << fault.file << ":" << fault.byte << ": " << fault.text;
}

TEST_F(DumpTest, WalkFindsEveryRecordAndTheEnd) {
  Fill();
  auto log = DumpLog::Open(store.layout(), protocol::BodyCheck::kCrc);
  ASSERT_TRUE(log.has_value());
  int records = 0;
  int blanks = 0;
  for (;;) {
    auto item = log->Next();
    ASSERT_TRUE(item.has_value());
    if (!*item) break;
    records += (*item)->kind == LogItemKind::kRecord;
    blanks += (*item)->kind == LogItemKind::kBlank;
  }
  EXPECT_EQ(records, 200);
  EXPECT_EQ(blanks, static_cast<int>(log->files().size()) - 1);
  EXPECT_EQ(log->position(), store.log->wrote());
  log->Seek(PhysicalOffset(1));
  auto second = log->Next();
  ASSERT_TRUE(second.has_value() && second->has_value());
  EXPECT_EQ((*second)->message.physical_offset, (*second)->position);
  EXPECT_GT((*second)->position.value(), 1);
}

TEST_F(DumpTest, AFlippedByteOfABodyIsNamedWithFileAndByte) {
  Fill();
  Write(LogFile(0), 200, "?");
  const auto faults = Verify();
  ASSERT_TRUE(Says(faults, "I-3", "checksum"));
  EXPECT_EQ(faults.front().file, LogFile(0));
  EXPECT_EQ(faults.front().byte, 0);
}

TEST_F(DumpTest, AnEntryThatPointsElsewhereOrHasAnotherTagIsNamed) {
  Fill();
  Write(QueueFile("A", 0, 0), 7, "\x01");
  Write(QueueFile("B", 1, 0), 20 + 19, "\x01");
  const auto faults = Verify();
  EXPECT_EQ(faults.size(), 2U);
  EXPECT_TRUE(Says(faults, "I-5", "its record is at position"));
  EXPECT_TRUE(Says(faults, "I-5", "tags code"));
}

TEST_F(DumpTest, LostAndSwappedQueueFilesAreNamed) {
  Fill();
  ASSERT_TRUE(RemoveFile(QueueFile("B", 0, 200)).has_value());
  const auto lost = Verify();
  EXPECT_TRUE(Says(lost, "I-1", "is missing"));
  EXPECT_TRUE(Says(lost, "I-8", "missing"));
  ASSERT_EQ(std::rename(QueueFile("A", 0, 0).c_str(), QueueFile("B", 0, 200).c_str()), 0);
  EXPECT_TRUE(Says(Verify(), "I-5", "its record is at position"));
}

TEST_F(DumpTest, ATornTailIsNoRecordAndAFault) {
  Fill(10);
  Write(LogFile(0), store.log->wrote().value(), "half a record");
  EXPECT_TRUE(Says(Verify(), "I-2", "torn tail"));
  auto log = DumpLog::Open(store.layout(), protocol::BodyCheck::kCrc);
  ASSERT_TRUE(log.has_value());
  LogItemKind last = LogItemKind::kRecord;
  for (int i = 0; i < 11; ++i) {
    auto item = log->Next();
    ASSERT_TRUE(item.has_value() && item->has_value());
    last = (*item)->kind;
  }
  EXPECT_EQ(last, LogItemKind::kTornTail);
}

TEST_F(DumpTest, ADamagedHeadIsSteppedOverToTheNextRecord) {
  Fill(10);
  Write(LogFile(0), 0, "\x7f\xff\xff\xff");
  auto log = DumpLog::Open(store.layout(), protocol::BodyCheck::kCrc);
  ASSERT_TRUE(log.has_value());
  auto damage = log->Next();
  ASSERT_TRUE(damage.has_value() && damage->has_value());
  EXPECT_EQ((*damage)->kind, LogItemKind::kDamage);
  auto next = log->Next();
  ASSERT_TRUE(next.has_value() && next->has_value());
  EXPECT_EQ((*next)->kind, LogItemKind::kRecord);
  EXPECT_EQ((*next)->position.value(), (*damage)->bytes);
}

TEST_F(DumpTest, ABlankThatLiesIsDamageAndHidesNothing) {
  for (const int64_t size : {int64_t{8}, int64_t{65536}}) {
    Fill(10);
    store.PutBlank(PhysicalOffset(0), size);
    auto log = DumpLog::Open(store.layout(), protocol::BodyCheck::kCrc);
    ASSERT_TRUE(log.has_value());
    auto item = log->Next();
    ASSERT_TRUE(item.has_value() && item->has_value());
    EXPECT_EQ((*item)->kind, LogItemKind::kDamage);
    int records = 0;
    while ((item = log->Next()).has_value() && item->has_value()) records += (*item)->kind == LogItemKind::kRecord;
    EXPECT_EQ(records, 9);
    EXPECT_TRUE(Says(Verify(), "I-3", "blank"));
    ASSERT_TRUE(RemoveTree(store.options.root).has_value());
    ASSERT_TRUE(store.layout().MakeDirectories().has_value());
  }
}

// bugs 34: a mapping would be SIGBUS here.
TEST_F(DumpTest, AFileCutWhileItIsReadIsAnErrorThatSaysHowFar) {
  Fill();
  auto file = DumpFile::Open(LogFile(0), 4096);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->Read(0, 100).has_value());
  ASSERT_EQ(::truncate(LogFile(0).c_str(), 8192), 0);
  auto cut = file->Read(16384, 100);
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(ExitStatusOf(cut.error()), 8);
  EXPECT_TRUE(Says(Verify(), "I-1", "has 8192 bytes"));
}

TEST_F(DumpTest, WhatRocketmqRefusesIsNamedOnlyForIt) {
  Fill();
  ASSERT_TRUE(WriteFileAtomically(store.layout().CommitLogDir() + "/notes.txt", "x").has_value());
  ASSERT_TRUE(MakeDirectories(store.layout().QueueDir("A", 0) + "/old").has_value());
  EXPECT_TRUE(Verify().empty());
  const auto faults = Verify(true);
  EXPECT_EQ(faults.size(), 2U);
  EXPECT_TRUE(Says(faults, "rocketmq", "would not start"));
  // A queue of placeholders only (offset 0, size 0x7FFFFFFF).
  const std::string directory = store.layout().QueueDir("C", 0);
  ASSERT_TRUE(MakeDirectories(directory).has_value());
  std::string blank(200, '\0');
  StoreQueueEntry(blank.data(), {PhysicalOffset(0), kPreBlankSize, 0});
  ASSERT_TRUE(WriteFileAtomically(directory + "/" + MappedFileName(0), blank).has_value());
  EXPECT_TRUE(Says(Verify(true), "rocketmq", "placeholders only"));
}

TEST_F(DumpTest, AZeroLengthLastFileIsNamed) {
  Fill();
  ASSERT_TRUE(WriteFileAtomically(LogFile(65536 * 40), "").has_value());
  EXPECT_TRUE(Says(Verify(true), "rocketmq", "has 0 bytes"));
}

TEST_F(DumpTest, QueuesBehindTheLogAreAWarningAfterACrashOnly) {
  Fill(20);
  store.Append("A", 0, "not dispatched");
  EXPECT_TRUE(Says(Verify(), "I-7", "the log holds 1 more"));
  ASSERT_TRUE(WriteFileAtomically(store.layout().Abort(), "").has_value());
  const auto faults = Verify();
  EXPECT_TRUE(Says(faults, "abort", "no clean stop"));
  EXPECT_TRUE(Says(faults, "I-7", "the next start adds them"));
  for (const Fault& fault : faults) EXPECT_EQ(fault.severity, Severity::kWarning);
}

TEST_F(DumpTest, ACheckpointAheadOfTheLogIsNamed) {
  Fill(20);
  Write(store.layout().Checkpoint(), 8, std::string("\x7f\0\0\0\0\0\0\0", 8));
  EXPECT_TRUE(Says(Verify(), "I-14", "logicsMsgTimestamp"));
}

TEST_F(DumpTest, RedactedRecordsHaveSizesInPlaceOfContents) {
  EXPECT_EQ(RedactedBody("12345"), "[5 bytes]");
  EXPECT_EQ(RedactProperties("KEYS\x01secret\x02TAGS\x01tag\x02mine\x01value"),
            "KEYS\x01[6 bytes]\x02TAGS\x01tag\x02mine\x01[5 bytes]");
}

TEST_F(DumpTest, FormatsOf5xThatABrokerRefusesAreNamed) {
  Fill(10);
  ASSERT_TRUE(MakeDirectories(store.options.root + "/batchconsumequeue/T/0").has_value());
  EXPECT_TRUE(Says(Verify(), "5.x", "batch consume queues"));
}

}  // namespace
}  // namespace mq::store
