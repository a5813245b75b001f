// What mq-storedump reads: walks over sound and damaged logs, and that --verify names each kind of damage.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/bytes.h"
#include "store/dump_queue.h"
#include "store/dump_record.h"
#include "store/dump_verify.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

class DumpTest : public ::testing::Test {
 protected:
  // Two topics, enough for three log files, everything dispatched, stopped cleanly.
  void Fill(int messages = 200) {
    store.Boot();
    for (int i = 0; i < messages; ++i) {
      store.Append(i % 3 == 0 ? "A" : "B", i % 2, std::string(900, 'x') + std::to_string(i), "TAGS\x01tag");
    }
    store.DispatchAll();
    store.Configure({"A", "B", "C"});
  }
  std::vector<Fault> Verify(bool for_rocketmq = false) {
    VerifyOptions options;
    options.root = store.options.root;
    options.for_rocketmq = for_rocketmq;
    std::vector<Fault> faults;
    auto report = VerifyStore(options, [&](const Fault& fault) { faults.push_back(fault); });
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().what);
    return faults;
  }
  bool Says(const std::vector<Fault>& faults, std::string_view rule, std::string_view text) {
    return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
      return fault.rule == rule && fault.text.find(text) != std::string::npos;
    });
  }
  void Write(const std::string& path, int64_t at, std::string_view bytes) {
    auto fd = OpenFile(path, O_RDWR);
    ASSERT_TRUE(fd.has_value());
    ASSERT_TRUE(WriteAt(fd->get(), bytes, at, path).has_value());
  }
  std::string LogFile(int64_t start) { return store.layout().CommitLogFile(PhysicalOffset(start)); }
  std::string QueueFile(const std::string& topic, int queue, int64_t start) {
    return store.layout().QueueDir(topic, queue) + "/" + MappedFileName(start);
  }
  TestStore store;
};

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

TEST_F(DumpTest, ACheckpointThatIsAFolderIsNamed) {
  Fill(5);
  ASSERT_TRUE(RemoveTree(store.layout().Checkpoint()).has_value());
  ASSERT_TRUE(MakeDirectories(store.layout().Checkpoint()).has_value());
  EXPECT_TRUE(Says(Verify(), "I-14", "is no file"));
}

TEST_F(DumpTest, MoreThatRocketmqRefusesIsNamedOnlyForIt) {
  Fill(5);
  ASSERT_TRUE(WriteFileAtomically(store.layout().IndexDir() + "/12345", "x").has_value());
  ASSERT_TRUE(MakeDirectories(store.layout().TopicQueuesDir("A") + "/-1/junk").has_value());
  ASSERT_TRUE(MakeDirectories(store.layout().TopicQueuesDir("A") + "/notes").has_value());
  EXPECT_TRUE(Verify().empty());
  const auto faults = Verify(true);
  EXPECT_EQ(faults.size(), 2U);
  EXPECT_TRUE(Says(faults, "rocketmq", "RocketMQ would extend it"));
  EXPECT_TRUE(Says(faults, "rocketmq", "a folder is in this place"));
}

TEST_F(DumpTest, WhatIsNoFileInTheLogIsNamedAndTheRestStillChecked) {
  Fill();
  ASSERT_EQ(::symlink("loop", (store.layout().CommitLogDir() + "/loop").c_str()), 0);
  ASSERT_TRUE(MakeDirectories(LogFile(65536 * 40)).has_value());
  ASSERT_TRUE(RemoveFile(LogFile(65536)).has_value());
  ASSERT_EQ(::mkfifo(LogFile(65536).c_str(), 0600), 0);
  Write(LogFile(0), 200, "?");
  const auto faults = Verify();
  EXPECT_TRUE(Says(faults, "I-1", "a folder has the name"));
  EXPECT_TRUE(Says(faults, "I-1", "a fifo has the name"));
  EXPECT_TRUE(Says(faults, "I-3", "checksum"));
  EXPECT_TRUE(Says(faults, "I-3", "no file holds these 65536 bytes"));
}

TEST_F(DumpTest, AStoreWithoutALogIsAFault) {
  ASSERT_TRUE(RemoveTree(store.layout().CommitLogDir()).has_value());
  EXPECT_TRUE(Says(Verify(), "I-1", "this is no store"));
}

TEST_F(DumpTest, TopicsThatNoConfigurationKnowsAreNamed) {
  Fill(10);
  store.Configure({"A"});
  const auto some = Verify();
  EXPECT_EQ(some.size(), 1U);
  EXPECT_TRUE(Says(some, "config", "no configuration knows the topics of these messages: B"));
  ASSERT_TRUE(RemoveFile(store.layout().ConfigDir() + "/topics.json").has_value());
  EXPECT_TRUE(Says(Verify(), "config", "messages: A, B"));
}

TEST_F(DumpTest, BothBadConfigurationFilesAreNamed) {
  Fill(5);
  const std::string path = store.layout().ConfigDir() + "/subscriptionGroup.json";
  ASSERT_TRUE(WriteFileAtomically(path, "{").has_value());
  EXPECT_TRUE(Says(Verify(), "config", "there is no .bak either"));
  ASSERT_TRUE(WriteFileAtomically(path + ".bak", "[]").has_value());
  const auto faults = Verify();
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].file, path);
  EXPECT_EQ(faults[1].file, path + ".bak");
  ASSERT_TRUE(WriteFileAtomically(path + ".bak", "{}").has_value());
  EXPECT_TRUE(Says(Verify(), "config", "its .bak is sound and will be used"));
}

TEST_F(DumpTest, ConsumerOffsetsThatCannotBeAreNamed) {
  Fill(20);
  const std::string path = store.layout().ConfigDir() + "/consumerOffset.json";
  const auto with = [&](const std::string& table) {
    EXPECT_TRUE(WriteFileAtomically(path, "{\"offsetTable\":{" + table + "}}").has_value());
    return Verify();
  };
  EXPECT_TRUE(with(R"("A@g":{0:3,1:0},"%RETRY%g@g":{0:0})").empty());
  EXPECT_TRUE(Says(with(R"("A@g":{0:-5})"), "offsets", "has offset -5 in A/0"));
  EXPECT_TRUE(Says(with(R"("A@g":{0:"x"})"), "offsets", "that is no number in A/0"));
  EXPECT_TRUE(Says(with(R"("A@g":{"-1":5})"), "offsets", "'-1' is no queue of A"));
  EXPECT_TRUE(Says(with(R"("A@g":{0:5000})"), "offsets", "beyond its end"));
  EXPECT_TRUE(Says(with(R"("A@g":{9:5})"), "offsets", "of which there are no files"));
  EXPECT_TRUE(Says(with(R"("Gone@g":{0:5})"), "offsets", "topic Gone, which there is not"));
  EXPECT_TRUE(Says(with(R"("A":{0:5})"), "offsets", "'A' is no topic@group"));
  EXPECT_TRUE(Says(with(R"("A@g@h":{0:5})"), "offsets", "'A@g@h' is no topic@group"));
  EXPECT_TRUE(Says(with(R"("A@g":[1])"), "offsets", "are no JSON object"));
}

TEST_F(DumpTest, TimesAndPortsThatCannotBeAreNamed) {
  Fill(5);
  const std::string none(8, '\0');
  Write(LogFile(0), protocol::RecordStoreTimeAt(false), none);
  Write(LogFile(0), protocol::kRecordBornTimeAt, "\x80");
  Write(LogFile(0), protocol::kRecordBornHostAt + 4, "\x01");
  const auto faults = Verify();
  EXPECT_TRUE(Says(faults, "times", "store time 0 is none"));
  EXPECT_TRUE(Says(faults, "times", "born time -9223"));
  EXPECT_TRUE(Says(faults, "hosts", "born host has port 16787"));
  Write(LogFile(0), protocol::RecordStoreTimeAt(false), "\x7f");
  EXPECT_TRUE(Says(Verify(), "times", "lies in the future"));
}

TEST_F(DumpTest, AStoreTimeThatGoesBackIsNamed) {
  Fill(5);
  store.clock_ms -= int64_t{2} * 3600 * 1000;
  store.Append("A", 0, "old");
  store.DispatchAll();
  EXPECT_TRUE(Says(Verify(), "times", "more than an hour older"));
}

TEST_F(DumpTest, AnEntryOfAPreparedRecordSaysWhy) {
  Fill(5);
  Write(LogFile(0), protocol::kRecordSysFlagAt + 3, "\x04");
  EXPECT_TRUE(Says(Verify(), "I-5", "whose record is prepared and enters no queue"));
}

TEST_F(DumpTest, ATornTailSaysWhereTheBytesBehindItLie) {
  Fill(5);
  const PhysicalOffset end = store.log->wrote();
  Write(LogFile(0), end.value() + 3000, "garbage");
  EXPECT_TRUE(
      Says(Verify(), "I-2", "bytes that are no record lie from position " + std::to_string(end.value() + 3000)));
}

// Whether a broker runs cannot always be asked: what it wrote since the log was read is no fault.
TEST_F(DumpTest, WhatIsAppendedWhileAnotherUsersStoreIsReadIsNoFault) {
  Fill(20);
  ASSERT_TRUE(WriteFileAtomically(store.layout().Abort(), "").has_value());
  VerifyOptions options;
  options.root = store.options.root;
  bool appended = false;
  std::vector<Fault> faults;
  Write(LogFile(0), 200, "?");
  // Said while the log is walked: the log's window is read by then, the queues are not.
  auto report = VerifyStore(options, [&](const Fault& fault) {
    faults.push_back(fault);
    if (fault.rule != "I-3" || appended) return;
    appended = true;
    for (int i = 0; i < 300; ++i) store.Append("A", 0, std::string(900, 'y'));
    store.DispatchAll();
  });
  ASSERT_TRUE(report.has_value());
  ASSERT_TRUE(appended);
  for (const Fault& fault : faults) {
    const bool of_the_flipped_byte = fault.rule == "I-3" || fault.text.starts_with("entry 0 of A/0 names position 0,");
    EXPECT_TRUE(of_the_flipped_byte || fault.severity == Severity::kWarning) << fault.rule << " " << fault.text;
  }
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
