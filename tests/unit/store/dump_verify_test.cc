// What --verify names besides records and their entries: folders and files, configuration, times, and what a store that
// is in use must not be blamed for.
#include <sys/stat.h>
#include <unistd.h>

#include "dump_fixture.h"
#include "store/checkpoint.h"
#include "store/dump_verify_files.h"

namespace mq::store {
namespace {

class DumpVerifyTest : public testing::DumpTest {};

TEST_F(DumpVerifyTest, ACheckpointThatIsAFolderIsNamed) {
  Fill(5);
  ASSERT_TRUE(RemoveTree(store.layout().Checkpoint()).has_value());
  ASSERT_TRUE(MakeDirectories(store.layout().Checkpoint()).has_value());
  EXPECT_TRUE(Says(Verify(), "I-14", "is no file"));
}

TEST_F(DumpVerifyTest, MoreThatRocketmqRefusesIsNamedOnlyForIt) {
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

TEST_F(DumpVerifyTest, WhatIsNoFileInTheLogIsNamedAndTheRestStillChecked) {
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

// The folders of a live store are listed one after the other: when the sizes were looked at there was no queue file
// yet.
TEST_F(DumpVerifyTest, TheFirstFilesOfALiveStoreMayComeWhileFoldersAreListed) {
  Fill();
  const std::string directory = store.layout().QueueDir("B", 1);
  std::vector<Fault> faults;
  const auto sink = [&](const Fault& fault) { faults.push_back(fault); };
  ASSERT_TRUE(VerifyFolder({&directory, 1}, 0, false, sink).has_value());
  EXPECT_TRUE(faults.empty()) << faults.front().text;
  ASSERT_TRUE(VerifyFolder({&directory, 1}, store.options.consume_queue_file_bytes, false, sink).has_value());
  EXPECT_TRUE(faults.empty()) << faults.front().text;
  ASSERT_TRUE(VerifyFolder({&directory, 1}, 400, false, sink).has_value());
  EXPECT_FALSE(faults.empty());
}

TEST_F(DumpVerifyTest, AStoreWithoutALogIsAFault) {
  ASSERT_TRUE(RemoveTree(store.layout().CommitLogDir()).has_value());
  EXPECT_TRUE(Says(Verify(), "I-1", "this is no store"));
}

TEST_F(DumpVerifyTest, ACheckpointThatIsNoneIsNamedWithoutALogToo) {
  Fill(5);
  ASSERT_TRUE(
      WriteFileAtomically(store.layout().Checkpoint(), "write /some/where\nread /some/where/else\n").has_value());
  EXPECT_TRUE(Says(Verify(), "I-14", "is later than the newest record"));
  ASSERT_TRUE(RemoveTree(store.layout().CommitLogDir()).has_value());
  EXPECT_TRUE(Says(Verify(), "I-14", "is in the future"));
  ASSERT_TRUE(WriteFileAtomically(store.layout().CommitLogDir(), "no folder").has_value());
  VerifyOptions options;
  options.root = store.options.root;
  std::vector<Fault> faults;
  VerifyStore(options, [&](const Fault& fault) { faults.push_back(fault); }).Ignore("what it named counts");
  EXPECT_TRUE(Says(faults, "I-14", "is in the future"));
}

TEST_F(DumpVerifyTest, TopicsThatNoConfigurationKnowsAreNamed) {
  Fill(10);
  store.Configure({"A"});
  const auto some = Verify();
  EXPECT_EQ(some.size(), 1U);
  EXPECT_TRUE(Says(some, "config", "no configuration knows the topics of these messages: B"));
  ASSERT_TRUE(RemoveFile(store.layout().ConfigDir() + "/topics.json").has_value());
  EXPECT_TRUE(Says(Verify(), "config", "messages: A, B"));
}

TEST_F(DumpVerifyTest, BothBadConfigurationFilesAreNamed) {
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

TEST_F(DumpVerifyTest, ConsumerOffsetsThatCannotBeAreNamed) {
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

TEST_F(DumpVerifyTest, TimesAndPortsThatCannotBeAreNamed) {
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

TEST_F(DumpVerifyTest, AStoreTimeThatGoesBackIsNamed) {
  Fill(5);
  store.clock_ms -= int64_t{2} * 3600 * 1000;
  store.Append("A", 0, "old");
  store.DispatchAll();
  EXPECT_TRUE(Says(Verify(), "times", "more than an hour older"));
}

TEST_F(DumpVerifyTest, AnEntryOfAPreparedRecordSaysWhy) {
  Fill(5);
  Write(LogFile(0), protocol::kRecordSysFlagAt + 3, "\x04");
  EXPECT_TRUE(Says(Verify(), "I-5", "whose record is prepared and enters no queue"));
}

TEST_F(DumpVerifyTest, ATornTailSaysWhereTheBytesBehindItLie) {
  Fill(5);
  const PhysicalOffset end = store.log->wrote();
  Write(LogFile(0), end.value() + 3000, "garbage");
  EXPECT_TRUE(
      Says(Verify(), "I-2", "bytes that are no record lie from position " + std::to_string(end.value() + 3000)));
}

// A broker goes on while its store is read, and whether one runs cannot always be asked: what it wrote since the log
// was read is no fault, and neither is a checkpoint that knows of it.
TEST_F(DumpVerifyTest, WhatIsWrittenWhileTheStoreIsReadIsNoFault) {
  for (const bool live : {false, true}) {
    SCOPED_TRACE(live);
    ASSERT_TRUE(RemoveTree(store.options.root).has_value());
    ASSERT_TRUE(store.layout().MakeDirectories().has_value());
    Fill(20);
    ASSERT_TRUE(WriteFileAtomically(store.layout().Abort(), "").has_value());
    VerifyOptions options;
    options.root = store.options.root;
    if (live) options.positions = store.positions.get();
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
      auto checkpoint = CheckpointFile::Open(store.layout().Checkpoint());
      ASSERT_TRUE(checkpoint.has_value());
      ASSERT_TRUE(checkpoint->Write({store.clock_ms - 1, store.clock_ms - 1, 0, PhysicalOffset(0)}).has_value());
    });
    ASSERT_TRUE(report.has_value());
    ASSERT_TRUE(appended);
    for (const Fault& fault : faults) {
      const bool of_the_flipped_byte =
          fault.rule == "I-3" || fault.text.starts_with("entry 0 of A/0 names position 0,");
      EXPECT_TRUE(of_the_flipped_byte || fault.severity == Severity::kWarning) << fault.rule << " " << fault.text;
    }
  }
}

TEST_F(DumpVerifyTest, WithoutALogTheSmallFilesAreLookedAtAllTheSame) {
  ASSERT_TRUE(RemoveTree(store.layout().CommitLogDir()).has_value());
  ASSERT_TRUE(WriteFileAtomically(store.layout().MqDir() + "/log-paths", "nothing\n").has_value());
  ASSERT_TRUE(WriteFileAtomically(store.layout().MqDir() + "/tombstones", "nothing\n").has_value());
  VerifyOptions options;
  options.root = store.options.root;
  std::string found;
  ASSERT_TRUE(VerifyStore(options, [&](const Fault& fault) { found += fault.file + " "; }).has_value());
  for (const char* name : {"/mq/log-paths ", "/mq/tombstones ", "/commitlog "}) {
    EXPECT_NE(found.find(name), std::string::npos) << name << ": " << found;
  }
}

// A whole record that is missing at the end leaves no other trace.
TEST_F(DumpVerifyTest, ALogThatEndsInFrontOfItsLastFlushIsTold) {
  Fill(20);
  const PhysicalOffset end = store.log->wrote();
  for (const int64_t beyond : {0, 1}) {
    ASSERT_TRUE(
        CheckpointFile::Open(store.layout().Checkpoint())->Write({store.clock_ms, 0, 0, end + beyond}).has_value());
    VerifyOptions options;
    options.root = store.options.root;
    std::string found;
    ASSERT_TRUE(VerifyStore(options, [&](const Fault& fault) {
                  if (fault.rule == "I-14") found += fault.text;
                }).has_value());
    EXPECT_EQ(found.find("was durable up to position") != std::string::npos, beyond == 1) << found;
  }
}

}  // namespace
}  // namespace mq::store
