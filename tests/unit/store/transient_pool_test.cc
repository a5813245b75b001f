#include "store/transient_pool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "store/dump_plan.h"
#include "store/pool_name.h"
#include "store/store_lock.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

// A store whose appends go to a pool, as the broker and mq-flushd have it.
class PoolTest : public ::testing::Test {
 protected:
  PoolTest() {
    store.options.pool_slots = 3;
    RemovePools();
  }
  ~PoolTest() override { RemovePools(); }

  // Before it too: the number of a directory is used again, and who had it may have been killed.
  void RemovePools() {
    const auto name = MakePoolName(store.layout());
    if (!name) return;
    ::unlink(name->path.c_str());
    for (int i = 1; i < 10; ++i) ::unlink((name->path + ".aside" + (i == 1 ? "" : "." + std::to_string(i))).c_str());
  }

  void Boot(bool clean = false) {
    auto committed = CommitLeftPool(store.options, clean);
    ASSERT_TRUE(committed.has_value()) << committed.error().what;
    left = *committed;
    store.Boot(clean && !left.found, PhysicalOffset(left.to));
    ASSERT_TRUE(RemovePool(store.layout()).has_value());
    auto made = TransientPool::Create(store.options);
    ASSERT_TRUE(made.has_value()) << made.error().what;
    pool = std::move(*made);
    store.positions->own_broker().pool.store(1);
    auto log = CommitLog::Open(store.options, *store.positions, store.recovered.end, pool.get());
    ASSERT_TRUE(log.has_value()) << log.error().what;
    store.log = std::move(*log);
  }
  // Everything that runs is killed: what is left is the store and the pool.
  void Kill() {
    store.log.reset();
    pool.reset();
    store.positions.reset();
  }
  std::unique_ptr<Flusher> OpenFlusher() {
    auto flusher = Flusher::Open(store.options, *store.positions);
    EXPECT_TRUE(flusher.has_value()) << flusher.error().what;
    return std::move(*flusher);
  }
  AppendStatus TryAppend(std::string_view body) {
    return store.log->Append(TestStore::Message("T", 0, body), store.table.GetOrCreate("T", 0), store.clock_ms++)
        .status;
  }
  const PlanStep* FindStep(const RecoveryPlan& plan, std::string_view action) {
    for (const PlanStep& step : plan.steps) {
      if (step.action == action) return &step;
    }
    return nullptr;
  }
  int64_t Readable() { return LoadReadable(*store.positions).value(); }

  TestStore store;
  std::unique_ptr<TransientPool> pool;
  LeftPool left;
};

TEST_F(PoolTest, FL04_AppendsAreAcknowledgedBeforeTheyAreInTheFileAndReadOnlyAfter) {
  Boot();
  const auto result = store.Append("T", 0, "held");
  EXPECT_EQ(store.positions->broker().wrote.load(), result.bytes);
  EXPECT_EQ(Readable(), 0);
  const std::string file = store.layout().CommitLogFile(PhysicalOffset(0));
  EXPECT_EQ(store.Bytes(file).find("held"), std::string::npos);
  LogReader reader(store.options, store.positions.get());
  EXPECT_FALSE(reader.Read(PhysicalOffset(0), result.bytes).has_value());
  auto reput = store.OpenReput();
  EXPECT_FALSE(reput->behind());

  auto flusher = OpenFlusher();
  const auto outcome = flusher->Step(1000);
  EXPECT_TRUE(outcome.committed);
  EXPECT_EQ(Readable(), result.bytes);
  EXPECT_NE(store.Bytes(file).find("held"), std::string::npos);
  EXPECT_TRUE(reader.Read(PhysicalOffset(0), result.bytes).has_value());
  EXPECT_TRUE(reput->behind());
}

TEST_F(PoolTest, FL05_CommitWaitsForIntervalAndPagesUnlessAReaderWaits) {
  store.options.commit_thorough_interval_ms = 10000;
  Boot();
  auto flusher = OpenFlusher();
  store.Append("T", 0, "a");
  EXPECT_TRUE(flusher->Step(100000).committed);  // the first one is thorough
  store.Append("T", 0, "b");
  EXPECT_FALSE(flusher->Step(100100).committed);  // not yet time
  EXPECT_FALSE(flusher->Step(100300).committed);  // fewer than 4 pages
  store.positions->own_broker().wanted_commit.store(store.log->wrote().value());
  EXPECT_TRUE(flusher->Step(100301).committed);
  store.Append("T", 0, std::string(20000, 'x'));
  EXPECT_FALSE(flusher->Step(100302).committed);
  EXPECT_TRUE(flusher->Step(100600).committed);
  store.Append("T", 0, "c");
  EXPECT_TRUE(flusher->Step(111000).committed);  // thorough
}

TEST_F(PoolTest, OnlyWhatIsCommittedIsFlushed) {
  Boot();
  auto flusher = OpenFlusher();
  store.Append("T", 0, "a");
  flusher->Step(100000);
  const int64_t committed = Readable();
  EXPECT_EQ(store.positions->flushd().flushed.load(), committed);
  store.Append("T", 0, "b");
  EXPECT_FALSE(*flusher->FlushStep());
  EXPECT_EQ(store.positions->flushd().flushed.load(), committed);
  ASSERT_TRUE(flusher->FlushAll().has_value());
  EXPECT_EQ(store.positions->flushd().flushed.load(), store.log->wrote().value());
}

TEST_F(PoolTest, ReadersSeeWholeRecordsInOrderOverManyFiles) {
  Boot();
  auto flusher = OpenFlusher();
  int64_t now = 1000;
  std::vector<std::string> sent;
  for (int i = 0; i < 500; ++i) {
    sent.push_back(std::to_string(i) + std::string(static_cast<size_t>(i) * 7 % 3000, 'x'));
    while (TryAppend(sent.back()) != AppendStatus::kOk) flusher->Step(now += 200);
  }
  while (flusher->Step(now += 200).more) {
  }
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0), sent);
}

TEST_F(PoolTest, WithoutAFreeSlotAppendChangesNothingAndGoesOnAfterACommit) {
  Boot();
  while (TryAppend(std::string(20000, 'x')) == AppendStatus::kOk) {
  }
  EXPECT_EQ(TryAppend("y"), AppendStatus::kNoBuffer);
  EXPECT_EQ(pool->free_slots(), 0);
  const auto next = store.table.GetOrCreate("T", 0).next;
  EXPECT_EQ(next, QueueOffset(9));  // 3 records in each of 3 files
  EXPECT_NE(store.positions->broker().waits_for_file.load(), 0u);
  auto flusher = OpenFlusher();
  while (flusher->Step(1000).more) {
  }
  EXPECT_EQ(TryAppend("y"), AppendStatus::kOk);
  EXPECT_EQ(pool->free_slots(), 2);
  EXPECT_EQ(store.positions->broker().waits_for_file.load(), 0u);
}

TEST_F(PoolTest, ABlankBringsNoBytesOfAnEarlierFileIntoTheLog) {
  store.options.pool_slots = 1;
  Boot();
  auto flusher = OpenFlusher();
  const auto append = [&](std::string_view body) {
    while (TryAppend(body) != AppendStatus::kOk) flusher->Step(store.clock_ms);
  };
  append(std::string(60000, 'a'));
  append(std::string(60000, 'b'));  // into the same slot, over the first
  append(std::string(30000, 'c'));
  append(std::string(60000, 'd'));  // a blank from the middle of the file on
  ASSERT_TRUE(flusher->FlushAll().has_value());
  const std::string file = store.Bytes(store.layout().CommitLogFile(PhysicalOffset(2 * 65536)));
  EXPECT_NE(file.find("cccc"), std::string::npos);
  EXPECT_EQ(file.find("bbbb"), std::string::npos);
}

// A disk that takes so many writes and then none.
class FullDisk : public FileOps {
 public:
  Status Write(int fd, std::string_view bytes, int64_t offset, std::string_view name) override {
    if (writes_left == 0) return ErrnoError(ErrorCode::kIo, "write " + std::string(name), ENOSPC);
    --writes_left;
    return FileOps::Write(fd, bytes, offset, name);
  }
  Status Sync(int fd, std::string_view name) override {
    ++syncs;
    return FileOps::Sync(fd, name);
  }
  int writes_left = 0;
  int syncs = 0;
};

TEST_F(PoolTest, ACommitThatCannotBeWrittenPublishesNothingAndIsTriedAgain) {
  Boot();
  for (int i = 0; i < 60; ++i) store.Append("T", 0, std::string(2000, 'x'));  // two files
  FullDisk disk;
  auto flusher = Flusher::Open(store.options, *store.positions, disk);
  ASSERT_TRUE(flusher.has_value());
  disk.writes_left = 1;
  for (int i = 0; i < 3; ++i) (*flusher)->Step(1000);
  EXPECT_EQ(Readable(), 65536);
  EXPECT_EQ(store.positions->flushd().commit_failed_errno.load(), ENOSPC);
  EXPECT_LE(store.positions->flushd().flushed.load(), 65536);
  disk.writes_left = 100;
  while ((*flusher)->Step(3000).more) {
  }
  EXPECT_EQ(Readable(), store.log->wrote().value());
  EXPECT_EQ(store.positions->flushd().commit_failed_errno.load(), 0);
}

TEST_F(PoolTest, ALeftPoolThatCannotBeWrittenStaysForTheNextStart) {
  Boot();
  for (int i = 0; i < 60; ++i) store.Append("T", 0, std::string(2000, 'x'));
  const int64_t wrote = store.log->wrote().value();
  const std::string path = pool->path();
  Kill();
  FullDisk disk;
  disk.writes_left = 1;
  auto refused = CommitLeftPool(store.options, false, disk);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().sys_errno, ENOSPC);
  EXPECT_TRUE(PathExists(path));
  disk.writes_left = 100;
  disk.syncs = 0;
  auto taken = CommitLeftPool(store.options, false, disk);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->to, wrote);
  EXPECT_EQ(disk.syncs, 2);  // each file, also the one that was written before
}

TEST_F(PoolTest, KilledProcessesLoseNothing) {
  Boot();
  std::vector<std::string> sent;
  for (int i = 0; i < 100; ++i) {
    sent.push_back(std::to_string(i) + std::string(1500, 'x'));
    if (TryAppend(sent.back()) != AppendStatus::kOk) break;
    if (i == 20) OpenFlusher()->Step(1000);
  }
  ASSERT_EQ(sent.size(), 100u);
  const int64_t wrote = store.log->wrote().value();
  Kill();
  Boot();
  EXPECT_TRUE(left.found);
  EXPECT_GT(left.bytes, 0);
  EXPECT_EQ(left.to, wrote);
  EXPECT_EQ(store.recovered.end.value(), wrote);
  EXPECT_EQ(store.Append("T", 0, "next").queue_offset, QueueOffset(100));
  sent.emplace_back("next");
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("T", 0), sent);
}

TEST_F(PoolTest, APoolThatTheStoreDoesNotNameTakesNoMemory) {
  Boot();
  const std::string path = pool->path();
  Kill();
  ASSERT_TRUE(RemoveFile(store.layout().Pool()).has_value());
  auto taken = CommitLeftPool(store.options, false);
  ASSERT_TRUE(taken.has_value());
  EXPECT_FALSE(taken->found);
  EXPECT_FALSE(PathExists(path));
}

TEST_F(PoolTest, APoolWhoseNameIsGoneOrDamagedIsFoundAtItsPlaceAndTaken) {
  for (const char* name : {"", "garbage", "/dev/shm/mq-pool-0-0\n0123456789ABCDEF0123456789ABCDEF\nno-boot\n"}) {
    SCOPED_TRACE(name);
    Boot();
    store.Append("T", 0, "held");
    const int64_t wrote = store.log->wrote().value();
    Kill();
    ASSERT_TRUE(CreateAbort(store.layout()).has_value());
    ASSERT_TRUE(RemoveFile(store.layout().Pool()).has_value());
    if (*name != 0) {
      ASSERT_TRUE(WriteFileAtomically(store.layout().Pool(), name).has_value());
    }
    auto plan = PlanRecovery(store.options);
    ASSERT_TRUE(plan.has_value());
    EXPECT_NE(FindStep(*plan, "commit"), nullptr);
    EXPECT_FALSE(plan->anything_lost);
    Boot();
    EXPECT_EQ(left.loss, "");
    EXPECT_EQ(store.recovered.end.value(), wrote);
  }
}

TEST_F(PoolTest, APoolWithoutANameThatMayBeAnothersIsSetAsideAndNothingIsOverwritten) {
  Boot();
  const std::string path = pool->path();
  Kill();
  ASSERT_TRUE(WriteFileAtomically(path + ".aside", "earlier").has_value());
  ASSERT_TRUE(CreateAbort(store.layout()).has_value());
  const auto lose = [&](bool clean) {
    ASSERT_TRUE(RemoveFile(store.layout().Pool()).has_value());
    auto plan = PlanRecovery(store.options);
    ASSERT_TRUE(plan.has_value());
    EXPECT_TRUE(clean || FindStep(*plan, "distrust") != nullptr);
    EXPECT_TRUE(clean || plan->anything_lost);
    Boot(clean);
    EXPECT_FALSE(left.found);
    EXPECT_EQ(store.recovered.end, PhysicalOffset(0));
  };
  // The directory's number was used before, by another one.
  Boot();
  store.Append("T", 0, "x");
  Kill();
  store.Corrupt(path, offsetof(PoolHeader, born_ns), "\x01\x02\x03");
  lose(false);
  EXPECT_TRUE(PathExists(path + ".aside.2")) << left.loss;
  // A clean stop came after it.
  store.Append("T", 0, "x");
  Kill();
  lose(true);
  EXPECT_TRUE(PathExists(path + ".aside.3")) << left.loss;
  EXPECT_EQ(store.Bytes(path + ".aside"), "earlier");
  for (const char* end : {".aside.2", ".aside.3"}) ::unlink((path + end).c_str());
}

// The log's whole record wins over a damaged copy of it.
TEST_F(PoolTest, ADamagedCopyOfWhatIsCommittedIsNotTaken) {
  for (const bool head : {false, true}) {
    Boot();
    store.Append("T", 0, "first");
    const AppendResult second = store.Append("T", 0, std::string(100, 'x'));
    OpenFlusher()->Step(1000);
    const AppendResult held = store.Append("T", 0, "held");
    const std::string path = pool->path();
    Kill();
    store.Corrupt(path, kPoolHeaderBytes + second.physical_offset.value() + (head ? 80 : 100), "\xff\xff\xff\xff");
    Boot();
    EXPECT_EQ(left.loss, "");
    EXPECT_EQ(left.damage, "");
    EXPECT_EQ(store.recovered.end, held.end());
    EXPECT_TRUE(store.recovered.kept_damage.empty());
    RemovePools();
    ASSERT_TRUE(RemoveTree(store.options.root).has_value());
    ASSERT_TRUE(store.layout().MakeDirectories().has_value());
  }
}

TEST_F(PoolTest, ASlotOfALogFileThatWasRemovedSinceIsPassedOver) {
  Boot();
  for (int i = 0; i < 100; ++i) store.Append("T", 0, std::string(1000, 'x'));
  store.FlushAll();
  store.DispatchAll();
  const PhysicalOffset end = store.log->wrote();
  Kill();
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  Boot();
  EXPECT_EQ(left.loss, "");
  EXPECT_EQ(store.recovered.end, end);
}

TEST_F(PoolTest, AMissingFileThatItHoldsRecordsForRefusesTheStart) {
  Boot();
  for (int i = 0; i < 100; ++i) store.Append("T", 0, std::string(1000, 'x'));
  Kill();
  const std::string path = store.layout().CommitLogFile(PhysicalOffset(65536));
  ASSERT_TRUE(RemoveFile(path).has_value());
  const auto refused = CommitLeftPool(store.options, false);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kCorruption);
  EXPECT_NE(refused.error().what.find(path + " is missing"), std::string::npos) << refused.error().what;
  const auto plan = PlanRecovery(store.options);
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().what, refused.error().what);
}

TEST_F(PoolTest, WithoutALogItIsSetAsideUnlessItHoldsNothing) {
  for (const bool held : {true, false}) {
    Boot();
    const std::string path = pool->path();
    if (held) store.Append("T", 0, "held");
    Kill();
    ASSERT_TRUE(RemoveTree(store.layout().CommitLogDir()).has_value());
    ASSERT_TRUE(MakeDirectories(store.layout().CommitLogDir()).has_value());
    Boot();
    EXPECT_EQ(left.loss.find("is gone") != std::string::npos, held) << left.loss;
    EXPECT_EQ(::unlink((path + ".aside").c_str()) == 0, held);
    EXPECT_EQ(store.recovered.end, PhysicalOffset(0));
  }
}

// RocketMQ was started on the store after the kill, and knows no pool.
TEST_F(PoolTest, WhatAnotherBrokerHasWrittenSinceIsNotOverwritten) {
  std::vector<std::string> expected;
  for (const int committed : {0, 1}) {
    SCOPED_TRACE(committed);
    Boot();
    const std::string path = pool->path();
    store.Append("T", 0, "committed");
    if (committed != 0) {
      OpenFlusher()->Step(1000);
      expected.emplace_back("committed");
    }
    store.Append("T", 0, "held");
    Kill();
    store.Boot(false);
    store.Append("T", 0, "of another");
    expected.emplace_back("of another");
    Kill();
    ASSERT_TRUE(CreateAbort(store.layout()).has_value());
    const auto plan = PlanRecovery(store.options);
    ASSERT_TRUE(plan.has_value());
    EXPECT_NE(FindStep(*plan, "distrust"), nullptr);
    Boot();
    EXPECT_FALSE(left.found);
    EXPECT_NE(left.loss.find("another broker has gone on with the log"), std::string::npos) << left.loss;
    EXPECT_TRUE(PathExists(path + ".aside")) << left.loss;
    ::unlink((path + ".aside").c_str());
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("T", 0), expected);
  }
}

// A damaged byte of what was committed makes no other record.
TEST_F(PoolTest, DamageInTheLogDoesNotKeepTheRestOfAPoolOut) {
  Boot();
  store.Append("T", 0, "committed");
  OpenFlusher()->Step(1000);
  const AppendResult held = store.Append("T", 0, "held");
  Kill();
  constexpr int kStoreTimestamp = 56;
  store.Corrupt(store.layout().CommitLogFile(PhysicalOffset(0)), kStoreTimestamp + 6, "\x11");
  Boot();
  EXPECT_EQ(left.loss, "");
  EXPECT_EQ(store.recovered.end, held.end());
}

TEST_F(PoolTest, WhatIsLostOfAPoolIsTold) {
  const auto damage = [&](const std::function<void(const std::string&)>& harm, std::string_view told) {
    Boot();
    store.Append("T", 0, "held");
    const std::string path = pool->path();
    Kill();
    harm(path);
    ASSERT_TRUE(CreateAbort(store.layout()).has_value());
    auto plan = PlanRecovery(store.options);
    ASSERT_TRUE(plan.has_value());
    EXPECT_TRUE(plan->anything_lost);
    Boot();
    EXPECT_NE(left.loss.find(told), std::string::npos) << left.loss;
    ::unlink((path + ".aside").c_str());
  };
  damage([](const std::string& path) { ::unlink(path.c_str()); }, "is gone");
  damage([](const std::string& path) { ASSERT_EQ(::truncate(path.c_str(), 100), 0); }, "was cut");
  damage([](const std::string& path) { ASSERT_EQ(::truncate(path.c_str(), 70000), 0); }, "wrong size");
  damage([this](const std::string& path) { store.Corrupt(path, offsetof(PoolHeader, slot), "\x07"); }, "damaged head");
}

TEST_F(PoolTest, CommittingALeftPoolMayBeKilledAndDoneAgain) {
  Boot();
  for (int i = 0; i < 50; ++i) store.Append("T", 0, std::string(2000, 'x'));
  const int64_t wrote = store.log->wrote().value();
  Kill();
  ASSERT_TRUE(CommitLeftPool(store.options, false).has_value());
  auto again = CommitLeftPool(store.options, false);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->bytes, 0);  // all of it is there
  EXPECT_EQ(again->to, wrote);
  Boot();
  EXPECT_EQ(store.recovered.end.value(), wrote);
}

// It costs what it hit, as in the log: there it is met by recovery.
TEST_F(PoolTest, DamageGoesIntoTheLogAndTheRecordsBehindItToo) {
  for (const bool body : {true, false}) {
    for (const bool last : {true, false}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(body)) + std::to_string(static_cast<int>(last)));
      Boot();
      store.Append("T", 0, "first");
      const AppendResult second = store.Append("T", 0, std::string(100, 'x'));
      if (!last) store.Append("T", 0, "third");
      const PhysicalOffset end = store.log->wrote();
      const std::string path = pool->path();
      Kill();
      const int64_t at = kPoolHeaderBytes + second.physical_offset.value();
      store.Corrupt(path, body ? at + 100 : at, body ? "\xff" : std::string(80, '\0'));
      ASSERT_TRUE(CreateAbort(store.layout()).has_value());
      const auto plan = PlanRecovery(store.options);
      ASSERT_TRUE(plan.has_value());
      EXPECT_NE(FindStep(*plan, "keep"), nullptr);
      EXPECT_TRUE(plan->anything_lost);
      Boot();
      EXPECT_EQ(left.loss, "");
      EXPECT_NE(left.damage.find("is damaged at position " + std::to_string(second.physical_offset.value())),
                std::string::npos);
      EXPECT_EQ(store.recovered.end, end);
      ASSERT_EQ(store.recovered.kept_damage.size(), 1U);
      EXPECT_EQ(store.recovered.kept_damage[0].served, body);
      if (!last) {
        store.DispatchAll();
        EXPECT_EQ(store.Bodies("T", 0).back(), "third");
      }
      RemovePools();
      ASSERT_TRUE(RemoveTree(store.options.root).has_value());
      ASSERT_TRUE(store.layout().MakeDirectories().has_value());
    }
  }
}

TEST_F(PoolTest, APoolOfAnotherBootStoreOrVersionIsSetAside) {
  struct Case {
    const char* name;
    size_t at;
    const char* bytes;
  };
  const Case cases[] = {{"boot", offsetof(PoolHeader, boot_id), "x"},
                        {"id", offsetof(PoolHeader, id), "x"},
                        {"store", offsetof(PoolHeader, inode), "\xff"},
                        {"version", offsetof(PoolHeader, version), "\x63"},
                        {"size", offsetof(PoolHeader, slots), "\x02"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Boot();
    const int64_t before = store.recovered.end.value();
    store.Append("T", 0, "lost with its pool");
    const std::string path = pool->path();
    Kill();
    store.Corrupt(path, static_cast<int64_t>(c.at), std::string_view(c.bytes, 1));
    Boot();
    EXPECT_FALSE(left.found);
    EXPECT_NE(left.loss.find("set aside as " + path + ".aside"), std::string::npos) << left.loss;
    EXPECT_TRUE(PathExists(path + ".aside"));
    EXPECT_EQ(store.recovered.end.value(), before);
    ::unlink((path + ".aside").c_str());
  }
}

TEST_F(PoolTest, ACopyOfAStoreLeavesThePoolOfItsOriginalAlone) {
  Boot();
  store.Append("T", 0, "x");
  TestStore copy;
  ASSERT_TRUE(WriteFileAtomically(copy.layout().Pool(), store.Bytes(store.layout().Pool())).has_value());
  auto taken = CommitLeftPool(copy.options, false);
  ASSERT_TRUE(taken.has_value());
  EXPECT_FALSE(taken->found);
  EXPECT_TRUE(PathExists(pool->path()));
  EXPECT_FALSE(PathExists(copy.layout().Pool()));
}

TEST_F(PoolTest, ST32_ThePoolIsPrivateAllocatedAndLocked) {
  Boot();
  struct stat status {};
  ASSERT_EQ(::stat(pool->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_GE(status.st_blocks * 512, 3 * 65536);  // no page is left to be found missing at its first use
  const std::string text = store.Bytes("/proc/self/status");
  const size_t at = text.find("VmLck:");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(std::atoll(text.c_str() + at + 6) * 1024, 3 * 65536);
}

TEST_F(PoolTest, WithoutRoomTheRefusalNamesFileAndSetting) {
  store.Boot();
  store.options.pool_slots = kMaxPoolSlots;
  store.options.commit_log_file_bytes = (int64_t{1} << 31) - 4096;
  auto made = TransientPool::Create(store.options);
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().what.find("/dev/shm/mq-pool-"), std::string::npos) << made.error().what;
  EXPECT_NE(made.error().hint.find("transientStorePoolSize"), std::string::npos);
  EXPECT_FALSE(PathExists(MakePoolName(store.layout())->path));
}

TEST_F(PoolTest, APlanCountsWhatALeftPoolHolds) {
  Boot();
  for (int i = 0; i < 10; ++i) ASSERT_EQ(TryAppend("committed"), AppendStatus::kOk);
  ASSERT_TRUE(OpenFlusher()->FlushAll().has_value());
  const int64_t committed = store.log->wrote().value();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(TryAppend("in the pool alone"), AppendStatus::kOk);
  const int64_t end = store.log->wrote().value();
  ASSERT_TRUE(CreateAbort(store.layout()).has_value());
  Kill();
  auto plan = PlanRecovery(store.options);
  ASSERT_TRUE(plan.has_value()) << plan.error().what;
  const PlanStep* commit = FindStep(*plan, "commit");
  ASSERT_NE(commit, nullptr);
  EXPECT_EQ(commit->text.find("7 messages that killed processes left"), 0u) << commit->text;
  EXPECT_NE(commit->text.find("up to position " + std::to_string(end)), std::string::npos) << commit->text;
  EXPECT_EQ(plan->log.end.value(), end);
  EXPECT_FALSE(plan->anything_lost);
  // Nothing was changed, and the start does what was said.
  EXPECT_EQ(LookAtLeftPool(store.options, PhysicalOffset(committed))->records, 7);
  Boot();
  EXPECT_EQ(store.log->wrote().value(), end);
}

}  // namespace
}  // namespace mq::store
