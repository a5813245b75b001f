// A plan says what the next start does; the start then does exactly that.
#include "store/dump_plan.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "dump_fixture.h"
#include "store/pool_name.h"

namespace mq::store::testing {
namespace {

class PlanTest : public DumpTest {
 protected:
  RecoveryPlan Plan() {
    auto plan = PlanRecovery(store.options);
    EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().what);
    return plan ? *plan : RecoveryPlan();
  }
  const PlanStep* Find(const RecoveryPlan& plan, std::string_view action, std::string_view text) {
    for (const PlanStep& step : plan.steps) {
      if (step.action == action && step.text.find(text) != std::string::npos) return &step;
    }
    return nullptr;
  }
  std::map<std::string, std::string> AllBytes() {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store.options.root)) {
      if (entry.is_regular_file()) all[entry.path()] = store.Bytes(entry.path());
    }
    return all;
  }
};

TEST_F(PlanTest, OfACleanStoreIsEmptyAndChangesNothing) {
  Fill();
  const auto before = AllBytes();
  const RecoveryPlan plan = Plan();
  EXPECT_FALSE(plan.anything_lost);
  for (const PlanStep& step : plan.steps) ADD_FAILURE() << step.action << ": " << step.text;
  EXPECT_EQ(plan.log.end, store.log->wrote());
  EXPECT_EQ(AllBytes(), before);
}

TEST_F(PlanTest, NamesWhatIsCutAndTheStartCutsIt) {
  Fill();
  const AppendResult torn = store.Append("A", 0, "torn");
  const AppendResult behind = store.Append("A", 0, "whole but behind it");
  store.Corrupt(LogFile(torn.physical_offset.value() / 65536 * 65536), torn.physical_offset.value() % 65536 + 90,
                "???");
  ASSERT_TRUE(CreateAbort(store.layout()).has_value());
  const auto before = AllBytes();
  const RecoveryPlan plan = Plan();
  EXPECT_TRUE(plan.anything_lost);
  const PlanStep* cut = Find(plan, "cut", "1 whole record among them");
  ASSERT_NE(cut, nullptr);
  EXPECT_EQ(cut->byte, torn.physical_offset.value() % 65536);
  EXPECT_EQ(plan.log.end, torn.physical_offset);
  EXPECT_GT(plan.log.bytes_dropped, behind.physical_offset - torn.physical_offset);
  EXPECT_EQ(AllBytes(), before);
  store.Boot(false);
  EXPECT_EQ(store.recovered.end, plan.log.end);
  EXPECT_EQ(store.recovered.bytes_dropped, plan.log.bytes_dropped);
  EXPECT_EQ(store.recovered.records_dropped, plan.log.records_dropped);
}

TEST_F(PlanTest, ARecordWithADamagedBodyIsNotCalledSkipped) {
  store.Boot();
  store.Append("A", 0, "a body that is hit");
  store.Append("A", 0, "next");
  store.DispatchAll();
  store.Corrupt(LogFile(0), 90, "X");
  const RecoveryPlan plan = Plan();
  EXPECT_NE(Find(plan, "keep", "served as it is: body does not match its checksum"), nullptr);
  EXPECT_EQ(Find(plan, "keep", "skipped"), nullptr);
}

TEST_F(PlanTest, NamesDamageThatIsKept) {
  Fill();
  store.Corrupt(LogFile(131072), 1000, "garbage garbage");
  const RecoveryPlan plan = Plan();
  const PlanStep* keep = Find(plan, "keep", "skipped");
  ASSERT_NE(keep, nullptr);
  EXPECT_TRUE(plan.anything_lost);
  EXPECT_EQ(keep->file, LogFile(131072));
}

// Recovery of a clean stop does not look that far back; the derivation of lost queues does.
TEST_F(PlanTest, NamesDamageThatIsSkippedWhileLostQueuesAreDerived) {
  Fill(350);
  store.Corrupt(LogFile(0), 10000, std::string(4096, '\0'));
  EXPECT_FALSE(Plan().anything_lost);
  ASSERT_TRUE(RemoveTree(store.layout().QueueDir("B", 1)).has_value());
  const RecoveryPlan plan = Plan();
  const PlanStep* keep = Find(plan, "keep", "damaged bytes skipped: ");
  ASSERT_NE(keep, nullptr);
  EXPECT_TRUE(plan.anything_lost);
  EXPECT_EQ(keep->file, LogFile(0));
  EXPECT_LE(keep->byte, 10000);
  EXPECT_EQ(std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) { return step.of_log; }), 1);
}

TEST_F(PlanTest, NamesUnitsAndKeysBehindTheEndOfTheLog) {
  Fill();
  for (int i = 0; i < 3; ++i)
    store.Append("A", 0, "later",
                 "UNIQ_KEY\x01"
                 "later" +
                     std::to_string(i));
  store.DispatchAll();
  // The log loses what its queues and index have.
  const PhysicalOffset end = store.log->wrote();
  auto length = ::truncate(LogFile(end.value() / 65536 * 65536).c_str(), end.value() % 65536 - 100);
  ASSERT_EQ(length, 0);
  ASSERT_TRUE(CreateAbort(store.layout()).has_value());
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  {
    const RecoveryPlan kept = Plan();
    EXPECT_NE(Find(kept, "fill", "too short"), nullptr);
    EXPECT_NE(Find(kept, "keep", "damaged bytes skipped"), nullptr);
    EXPECT_EQ(Find(kept, "cut", ""), nullptr);
  }
  store.ForgetFlushes();
  const RecoveryPlan plan = Plan();
  EXPECT_NE(Find(plan, "fill", "too short"), nullptr);
  EXPECT_NE(Find(plan, "cut", "1 queue unit behind the end of the log"), nullptr);
  EXPECT_NE(Find(plan, "cut", "1 key of records behind the end of the log"), nullptr);
  EXPECT_NE(Find(plan, "derive", "from position 0 on"), nullptr);
}

TEST_F(PlanTest, NamesLostQueues) {
  Fill();
  ASSERT_TRUE(RemoveTree(store.layout().QueueDir("B", 1)).has_value());
  const RecoveryPlan plan = Plan();
  EXPECT_NE(Find(plan, "derive", "because 1 queue lost files or entries"), nullptr);
  EXPECT_FALSE(plan.anything_lost);
}

TEST_F(PlanTest, NamesConfigurationThatIsDamaged) {
  Fill();
  const std::string topics = store.layout().ConfigDir() + "/topics.json";
  store.Corrupt(topics, 0, "not json");
  EXPECT_NE(Find(Plan(), "refuse", "topics.json.bak"), nullptr);
  ASSERT_TRUE(WriteFileAtomically(topics + ".bak", "{}").has_value());
  EXPECT_NE(Find(Plan(), "fall-back", "takes its place"), nullptr);
}

TEST_F(PlanTest, NamesAPoolThatKilledProcessesLeft) {
  Fill();
  PoolName name = *MakePoolName(store.layout());
  name.path = store.options.root + "/pool";
  ASSERT_TRUE(WritePoolName(store.layout(), name).has_value());
  EXPECT_EQ(Find(Plan(), "commit", "transient pool"), nullptr);
  ASSERT_TRUE(WriteFileAtomically(name.path, "held").has_value());
  const RecoveryPlan plan = Plan();
  const PlanStep* strange = Find(plan, "distrust", "transient pool");
  ASSERT_NE(strange, nullptr);
  EXPECT_EQ(strange->file, name.path);
}

TEST_F(PlanTest, IsTheErrorThatStopsTheStart) {
  Fill();
  ASSERT_EQ(::unlink(LogFile(65536).c_str()), 0);
  const auto plan = PlanRecovery(store.options);
  ASSERT_FALSE(plan.has_value());
  const auto start = RecoverCommitLog(store.options, true, nullptr);
  ASSERT_FALSE(start.has_value());
  EXPECT_EQ(plan.error().what, start.error().what);
}

TEST_F(PlanTest, SizesAreThoseOfTheFiles) {
  Fill();
  StoreOptions options;
  options.root = store.options.root;
  ASSERT_TRUE(TakeSizesFromFiles(options).has_value());
  EXPECT_EQ(options.commit_log_file_bytes, store.options.commit_log_file_bytes);
  EXPECT_EQ(options.consume_queue_file_bytes, store.options.consume_queue_file_bytes);
}

TEST_F(PlanTest, WhatIsDoneToADamagedIndexIsSaid) {
  Fill();
  for (int i = 0; i < 10; ++i) store.Append("A", 0, "keyed", "UNIQ_KEY\x01ID" + std::to_string(i));
  store.DispatchAll();
  const auto files = ListIndexFiles(store.layout());
  ASSERT_TRUE(files.has_value());
  ASSERT_FALSE(files->empty());
  const std::string path = store.layout().IndexFile(files->front().name);
  const std::string whole = store.Bytes(path);
  EXPECT_EQ(Find(Plan(), "derive", "keys are put anew"), nullptr);
  store.Corrupt(path, static_cast<int64_t>(40 + store.options.index_slots * 4 + 25), std::string(100, '\x11'));
  EXPECT_NE(Find(Plan(), "derive", "damaged"), nullptr);
  ASSERT_TRUE(RemoveFile(path).has_value());
  EXPECT_NE(Find(Plan(), "derive", "is missing: its keys are put anew"), nullptr);
}

}  // namespace
}  // namespace mq::store::testing
