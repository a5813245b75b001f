#include "store/log_cleaner.h"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>

#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

constexpr int64_t kHour = 3600 * 1000;

// A disk of a hundred parts, and removals that can be made to wait or to fail.
class FakeDisk : public FileOps {
 public:
  Result<DiskSpace> Space(const std::string&) override {
    ++looks;
    return DiskSpace{100 << 20, (100 - used) << 20, (100 - used) << 20};
  }
  Status Unlink(const std::string& path) override {
    std::unique_lock<std::mutex> lock(mutex);
    ready.wait(lock, [this] { return !hold; });
    if (fail) return MakeError(ErrorCode::kIo, "remove " + path + ": not permitted");
    used -= per_file;
    return FileOps::Unlink(path);
  }
  Status SyncDirectory(const std::string& path) override {
    Status synced = FileOps::SyncDirectory(path);
    const std::lock_guard<std::mutex> lock(mutex);
    ready.notify_all();
    return synced;
  }
  void Release() {
    const std::lock_guard<std::mutex> lock(mutex);
    hold = false;
    ready.notify_all();
  }
  // A moment for the thread that removes.
  void LetWork() {
    std::unique_lock<std::mutex> lock(mutex);
    if (!hold) ready.wait_for(lock, std::chrono::milliseconds(20));
  }
  std::atomic<int64_t> used{10};
  int64_t per_file = 0;
  int looks = 0;
  bool fail = false;
  bool hold = false;
  std::mutex mutex;
  std::condition_variable ready;
};

class LogCleanerTest : public ::testing::Test {
 protected:
  // `files` log files, all flushed and dispatched; the hours are never now.
  void Fill(int files, bool dispatch = true) {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    store.options.clean.hours = {(Hour(wall) + 12) % 24};
    store.Boot();
    while (Count() < files) store.Append("T", 0, std::string(10000, 'x'));
    if (dispatch) {
      store.DispatchAll();
    } else {
      store.FlushAll();
    }
    flusher = std::move(*Flusher::Open(store.options, *store.positions));
  }
  void Open() { cleaner = std::make_unique<LogCleaner>(store.options, *store.positions, now, disk); }
  static int Hour(int64_t ms) { return static_cast<int>(ms / kHour % 24); }
  int Count() const { return static_cast<int>(ListLogFiles(store.layout())->size()); }
  std::string File(int i) const { return store.layout().CommitLogFile(PhysicalOffset(i * int64_t{65536})); }
  void Age(int i, int64_t hours) {
    timespec times[2] = {{(wall / 1000) - hours * 3600, 0}, {(wall / 1000) - hours * 3600, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, File(i).c_str(), times, 0), 0);
  }
  // Time passes; a removal on its thread gets its moment.
  void Pass(int64_t ms) {
    for (const int64_t end = now + ms; now < end;) {
      const CleanOutcome outcome = cleaner->Step(now, wall);
      rings += outcome.min_moved;
      const int64_t step = std::clamp<int64_t>(outcome.next_step_ms, 1, end - now);
      now += step;
      wall += step;
      const bool waits_for_marker = page().wanted_marker.load() != 0;
      if (outcome.next_step_ms <= 10 && !waits_for_marker) disk.LetWork();
    }
  }
  void Ask() { store.positions->own_broker().clean_log_requests.fetch_add(1); }
  FlushdPage& page() { return store.positions->own_flushd(); }

  TestStore store;
  FakeDisk disk;
  std::unique_ptr<Flusher> flusher;
  std::unique_ptr<LogCleaner> cleaner;
  int64_t now = 1000000;
  int64_t wall = NowMs() / kHour * kHour + kHour / 2;
  int rings = 0;
};

TEST_F(LogCleanerTest, Ex04KeepsFilesForTheReservedTimeAndNeverTheLast) {
  Fill(5);
  Age(0, 73);
  Age(1, 73);
  Age(2, 71);
  Open();
  Ask();
  Pass(5000);
  EXPECT_EQ(Count(), 3);
  EXPECT_FALSE(PathExists(File(1)));
  EXPECT_EQ(LoadLogMin(*store.positions).value(), 2 * 65536);
  EXPECT_EQ(page().removed_files.load(), 2u);
  EXPECT_EQ(page().removed_to.load(), 2 * 65536);
  EXPECT_EQ(rings, 2);
  for (int i = 2; i < 5; ++i) Age(i, 100);
  Ask();
  Pass(5000);
  EXPECT_EQ(Count(), 1);  // the newest record's
}

TEST_F(LogCleanerTest, Ex06CleansInTheHoursOfTheLocalZoneOnly) {
  Fill(3);
  Age(0, 100);
  ::setenv("TZ", "Asia/Shanghai", 1);
  ::tzset();
  store.options.clean.hours = {(Hour(wall) + 8 + 1) % 24};  // the hour after this one, there
  Open();
  // First after a minute, then every ten seconds.
  const int64_t left = kHour - wall % kHour;
  Pass(left - 5000);
  EXPECT_EQ(Count(), 3);
  EXPECT_EQ(page().next_clean_time.load() / kHour, wall / kHour + 1);
  Pass(20000);
  EXPECT_EQ(Count(), 2);
  ::setenv("TZ", "UTC", 1);
  ::tzset();
}

TEST_F(LogCleanerTest, TheFirstRunComesAfterAMinute) {
  Fill(3);
  Age(0, 100);
  store.options.clean.hours = {Hour(wall), Hour(wall + 300000)};
  Open();
  Pass(59000);
  EXPECT_EQ(Count(), 3);
  Pass(2000);
  EXPECT_EQ(Count(), 2);
}

TEST_F(LogCleanerTest, StopsAtTheFirstFileThatMustStay) {
  Fill(5);
  Age(0, 100);
  Age(2, 1);
  Open();
  // No file is younger than one that was written after it, so 1 goes by its own time and 3 and 4 are too young.
  Ask();
  Pass(3000);
  EXPECT_EQ(Count(), 4);
  EXPECT_TRUE(PathExists(File(1)));
}

TEST_F(LogCleanerTest, TenFilesARunTwentyRunsARequest) {
  Fill(14);
  for (int i = 0; i < 14; ++i) Age(i, 100);
  store.options.clean.hours = {Hour(wall), Hour(wall + 300000)};
  Open();
  Pass(60000 + 5000);
  EXPECT_EQ(Count(), 4);
  Pass(10000);
  EXPECT_EQ(Count(), 1);
}

TEST_F(LogCleanerTest, Ex08ARequestGoesOnUntilNothingIsLeft) {
  Fill(25);
  for (int i = 0; i < 25; ++i) Age(i, 100);
  Open();
  Ask();
  Pass(8000);
  EXPECT_EQ(Count(), 1);
}

TEST_F(LogCleanerTest, NeverBeyondWhatIsDispatchedOrIndexed) {
  Fill(5, false);
  for (int i = 0; i < 5; ++i) Age(i, 100);
  Open();
  store.positions->own_reputd().dispatched.store(2 * 65536 + 5);
  store.positions->own_reputd().durable_dispatched.store(2 * 65536 + 5);
  store.positions->own_reputd().indexed.store(65536);
  Ask();
  Pass(3000);
  EXPECT_EQ(LoadLogMin(*store.positions).value(), 65536);
  // An index that cannot be written does not keep the disk full.
  store.positions->own_reputd().index_failing.store(1);
  Ask();
  Pass(3000);
  EXPECT_EQ(LoadLogMin(*store.positions).value(), 2 * 65536);
  EXPECT_EQ(Count(), 3);
}

TEST_F(LogCleanerTest, MinMovesBeforeTheFileGoes) {
  Fill(3);
  Age(0, 100);
  Open();
  Ask();
  EXPECT_TRUE(cleaner->Step(now, wall).min_moved);
  EXPECT_EQ(LoadLogMin(*store.positions).value(), 65536);
  EXPECT_TRUE(PathExists(File(0)));
  cleaner->Step(now + 50, wall + 50);
  cleaner->Finish();  // no thread is at work
  EXPECT_TRUE(PathExists(File(0)));
  // Killed here: the next one finds the file below the minimum, which is not lowered.
  cleaner.reset();
  flusher = std::move(*Flusher::Open(store.options, *store.positions));
  EXPECT_EQ(LoadLogMin(*store.positions).value(), 65536);
  Open();
  Pass(1000);
  EXPECT_FALSE(PathExists(File(0)));
}

TEST_F(LogCleanerTest, ARequestIsCarriedOutOnceHoweverOftenFlushdIsKilled) {
  const auto next_flushd = [this] {
    cleaner.reset();
    flusher = std::move(*Flusher::Open(store.options, *store.positions));
    Open();
  };
  Fill(6);
  Age(0, 100);
  Open();
  Ask();
  Pass(1000);
  EXPECT_EQ(Count(), 5);
  // Its later runs are still due.
  next_flushd();
  Age(1, 100);
  Pass(LogCleaner::kFirstRunIntervals * store.options.clean.interval_ms + 2000);
  EXPECT_EQ(Count(), 4);
  Pass((LogCleaner::kRunsPerRequest + 1) * store.options.clean.interval_ms);
  // And then it is over, for everybody.
  next_flushd();
  Age(2, 100);
  Pass((LogCleaner::kFirstRunIntervals + 2) * store.options.clean.interval_ms);
  EXPECT_EQ(Count(), 4);
  Ask();
  Pass(2000);
  EXPECT_EQ(Count(), 3);
}

TEST_F(LogCleanerTest, Ex07ForcedAboveTheForceLevelUntilThereIsSpace) {
  Fill(6);
  disk.used = 88;
  disk.per_file = 2;
  Open();
  Pass(2000);
  EXPECT_EQ(Count(), 4);  // 86, 84
  EXPECT_EQ(page().disk_full.load(), 0u);
  EXPECT_EQ(page().removed_by_force.load(), 1u);
  EXPECT_EQ(page().log_disk_percent.load(), 84);
}

TEST_F(LogCleanerTest, Ex07EarlyAboveTheFirstLevelByAgeOnly) {
  Fill(3);
  Age(0, 100);
  disk.used = 76;
  Open();
  Pass(59000);
  EXPECT_EQ(Count(), 3);
  Pass(3000);
  EXPECT_EQ(Count(), 2);
}

TEST_F(LogCleanerTest, AFullDiskRefusesAndServesAgain) {
  Fill(4);
  store.options.clean.forcibly = false;
  disk.used = 91;
  Open();
  EXPECT_TRUE(cleaner->Step(now, wall).disk_changed);
  EXPECT_EQ(page().disk_full.load(), 1u);
  Pass(30000);
  EXPECT_EQ(Count(), 4);  // nothing unread goes
  disk.used = 90;
  Pass(2000);
  EXPECT_EQ(page().disk_full.load(), 0u);
}

TEST_F(LogCleanerTest, NoFileIsMadeAheadOnAFullDisk) {
  store.options.self_allocate = false;
  Fill(1);
  store.Append("T", 0, "x");
  page().disk_full.store(1);
  bool more = false;
  EXPECT_FALSE(*flusher->stock().MakeStep(now, &more));
  EXPECT_FALSE(more);
  page().disk_full.store(0);
  more = false;
  ASSERT_TRUE(flusher->stock().MakeStep(now, &more).has_value());
  EXPECT_TRUE(more);
}

TEST_F(LogCleanerTest, Bug61TheDiskIsMeasuredWhileARemovalTakesLong) {
  Fill(4);
  for (int i = 0; i < 4; ++i) Age(i, 100);
  disk.hold = true;
  Open();
  Ask();
  Pass(2000);
  EXPECT_EQ(page().disk_full.load(), 0u);
  disk.used = 95;
  Pass(1100);
  EXPECT_EQ(page().disk_full.load(), 1u);
  EXPECT_TRUE(PathExists(File(0)));
  disk.Release();
  disk.used = 20;
  Pass(3000);
  EXPECT_EQ(page().disk_full.load(), 0u);
  EXPECT_EQ(Count(), 1);
}

TEST_F(LogCleanerTest, AFileThatCannotBeRemovedIsTriedAgainLater) {
  Fill(3);
  Age(0, 100);
  disk.fail = true;
  Open();
  Ask();
  Pass(5000);
  EXPECT_TRUE(PathExists(File(0)));
  EXPECT_EQ(LoadLogMin(*store.positions).value(), 65536);
  disk.fail = false;
  Pass(15000);
  EXPECT_FALSE(PathExists(File(0)));
}

// After a power cut the marker is all that knows the numbers of a queue without messages.
TEST_F(LogCleanerTest, NoFileGoesBeforeMqReputdsMarkerIsBehindIt) {
  Fill(4);
  for (int i = 0; i < 4; ++i) Age(i, 100);
  const int64_t marked = store.positions->reputd().durable_dispatched.load();
  EXPECT_GT(marked, 3 * 65536);
  store.positions->own_reputd().durable_dispatched.store(65536);
  Open();
  Ask();
  Pass(2000);
  EXPECT_EQ(Count(), 4);
  EXPECT_EQ(page().wanted_marker.load(), 65537);
  EXPECT_EQ(rings, 0);
  store.positions->own_reputd().durable_dispatched.store(65537);
  Pass(2000);
  EXPECT_EQ(Count(), 3);
  EXPECT_EQ(page().wanted_marker.load(), 2 * 65536 + 1);
  // Nobody writes it: the run is given up, and nothing is asked for any more.
  Pass(60000);
  EXPECT_EQ(Count(), 3);
  store.positions->own_reputd().durable_dispatched.store(marked);
  Ask();
  Pass(5000);
  EXPECT_EQ(Count(), 1);
  EXPECT_EQ(page().wanted_marker.load(), 0);
}

TEST_F(LogCleanerTest, Ex07OnADiskThatIsNearlyFullTheMarkerIsNotWaitedForLong) {
  Fill(4);
  store.positions->own_reputd().durable_dispatched.store(0);
  disk.used = 88;
  disk.per_file = 5;
  Open();
  Pass(500);
  EXPECT_EQ(Count(), 4);
  Pass(5000);
  EXPECT_EQ(Count(), 3);
}

TEST_F(LogCleanerTest, Bug64AClockThatJumpsAheadWipesNothing) {
  Fill(4);
  Open();
  Ask();
  Pass(1000);
  wall += 365 * 24 * kHour;
  Ask();
  Pass(120000);
  EXPECT_EQ(Count(), 4);
  wall -= 365 * 24 * kHour;
  Ask();
  Pass(120000);
  EXPECT_EQ(Count(), 4);
}

TEST_F(LogCleanerTest, Bug64AClockThatIsAheadAtTheStartIsBelievedAfterAnHour) {
  Fill(4);
  wall += 365 * 24 * kHour;
  Open();
  Ask();
  Pass(120000);
  EXPECT_EQ(Count(), 4);
  Pass(kHour);
  Ask();
  Pass(5000);
  EXPECT_EQ(Count(), 1);
}

TEST_F(LogCleanerTest, Bug64AClockThatWasAheadDoesNotStopCleaning) {
  Fill(4);
  Age(0, -365 * 24);  // written while the clock was a year ahead
  for (int i = 1; i < 4; ++i) Age(i, 80);
  Open();
  Ask();
  Pass(3000);
  EXPECT_EQ(Count(), 1);
}

TEST(CleaningHours, NextTimeFollowsTheZone) {
  const int64_t noon = 1795953600000;  // 2026-11-29T12:00:00Z
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(NextCleaningTime({4}, noon), noon + 16 * kHour);
  EXPECT_EQ(NextCleaningTime({4, 13}, noon), noon + kHour);
  EXPECT_EQ(NextCleaningTime({12}, noon), noon);
  ::setenv("TZ", "Asia/Kathmandu", 1);  // five and three quarter hours ahead
  ::tzset();
  EXPECT_EQ(NextCleaningTime({18}, noon), noon + 15 * 60 * 1000);
  // The night in which the hour from two to three is left out.
  ::setenv("TZ", "Europe/Berlin", 1);
  ::tzset();
  const int64_t march = 1774659600000;  // 2026-03-28T02:00 there
  EXPECT_EQ(NextCleaningTime({2}, march + kHour), march + 48 * kHour - kHour);
  ::setenv("TZ", "UTC", 1);
  ::tzset();
}

TEST(ExpiryTest, QueueAndIndexFilesFollowTheLog) {
  TestStore store;
  store.Boot();
  while (ListLogFiles(store.layout())->size() < 5) {
    store.Append("A", 0, std::string(5000, 'a'), "KEYS\x01k\x02");
    store.Append("B", 0, std::string(5000, 'b'), "KEYS\x01k\x02");
  }
  store.FlushAll();
  auto reput = store.OpenReput();
  ASSERT_TRUE(reput->Finish().has_value());
  const size_t before = ListMappedFiles(store.layout().QueueDir("A", 0))->size();
  ASSERT_GE(before, 3u);
  const int64_t min = 3 * 65536;
  store.positions->own_flushd().min.store(min);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reput->Step(900000 + i, 100).has_value());
  // A file that is below the minimum and still there keeps its entries and keys.
  EXPECT_EQ(ListMappedFiles(store.layout().QueueDir("A", 0))->size(), before);
  store.positions->own_flushd().removed_to.store(min);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(i * int64_t{65536}))).has_value());
  }
  bool trimmed = false;
  for (int i = 0; i < 5; ++i) trimmed |= reput->Step(1000000 + i, 100)->trimmed;
  EXPECT_TRUE(trimmed);
  EXPECT_EQ(store.positions->reputd().trimmed.load(), min);
  auto files = ListMappedFiles(store.layout().QueueDir("A", 0));
  EXPECT_LT(files->size(), before);
  ConsumeQueueReader queues(store.options, store.positions.get());
  const QueueOffset first = **queues.MinOffset("A", 0);
  // Everything from the minimum on can be read, nothing below it is promised.
  auto span = queues.Read("A", 0, first, 1);
  ASSERT_EQ(span->count, 1);
  EXPECT_GE((*span)[0].physical_offset.value(), min);
  EXPECT_LT((*span)[0].physical_offset.value(), min + 15000);
  EXPECT_GE(first.value() * 20, files->front().start);
  // Numbering and what is left survive a restart, with the marker that was written before the files went and without.
  const auto bodies = store.Bodies("A", 0);
  const QueueOffset next = store.table.Find("A", 0)->next;
  reput.reset();
  for (const bool with_marker : {true, false}) {
    if (!with_marker) {
      ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
    }
    store.Boot();
    EXPECT_EQ(store.recovered.min.value(), min);
    EXPECT_EQ(store.table.Find("A", 0)->next, next);
    store.DispatchAll();
    EXPECT_EQ(store.Bodies("A", 0), bodies) << with_marker;
    ConsumeQueueReader again(store.options, store.positions.get());
    EXPECT_EQ(*again.MinOffset("A", 0), first);
  }
}

TEST(ExpiryTest, AMarkerThatTheLogCleanerWaitsForIsWrittenAtOnce) {
  TestStore store;
  store.options.queue_flush_thorough_interval_ms = 60000;
  store.Boot();
  store.Append("T", 0, "x");
  auto reput = store.OpenReput();
  ASSERT_TRUE(reput->Step(70000, 100).has_value());  // the first one is thorough
  store.FlushAll();
  ASSERT_TRUE(reput->Step(70001, 100).has_value());
  const int64_t first = store.positions->reputd().durable_dispatched.load();
  EXPECT_EQ(first, store.log->wrote().value());
  store.Append("T", 0, "y");
  store.FlushAll();
  ASSERT_TRUE(reput->Step(71000, 100).has_value());
  EXPECT_EQ(store.positions->reputd().durable_dispatched.load(), first);
  store.positions->own_flushd().wanted_marker.store(first + 1);
  ASSERT_TRUE(reput->Step(71001, 100).has_value());
  ASSERT_TRUE(reput->Step(71002, 100).has_value());
  EXPECT_EQ(store.positions->reputd().durable_dispatched.load(), store.log->wrote().value());
  reput.reset();
  // The next mq-reputd knows of it from the start, also in another life.
  store.Boot(false);
  reput = store.OpenReput();
  EXPECT_EQ(store.positions->reputd().durable_dispatched.load(), store.log->wrote().value());
}

TEST(ExpiryTest, Bug59AQueueOfWhichEverythingHasExpiredKeepsItsNumber) {
  TestStore store;
  store.Boot();
  for (int i = 0; i < 25; ++i) store.Append("Old", 0, "x");
  while (ListLogFiles(store.layout())->size() < 3) store.Append("New", 0, std::string(5000, 'n'));
  store.FlushAll();
  auto reput = store.OpenReput();
  ASSERT_TRUE(reput->Finish().has_value());
  store.positions->own_flushd().min.store(65536);
  store.positions->own_flushd().removed_to.store(65536);
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  ASSERT_TRUE(reput->Step(1000000, 100).has_value());
  reput.reset();
  ConsumeQueueReader queues(store.options, store.positions.get());
  EXPECT_EQ(*queues.MinOffset("Old", 0), QueueOffset(25));
  EXPECT_EQ(*queues.MaxOffset("Old", 0), QueueOffset(25));
  store.Boot();
  EXPECT_EQ(store.Append("Old", 0, "after").queue_offset, QueueOffset(25));
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("Old", 0), std::vector<std::string>{"after"});
}

// Found by power cuts: the broker refused to start.
TEST(ExpiryTest, AQueueFileThatLostItsSizeCostsNoNumberAndNoStart) {
  TestStore store;
  store.Boot();
  for (int i = 0; i < 25; ++i) store.Append("Old", 0, "x");
  while (ListLogFiles(store.layout())->size() < 3) store.Append("New", 0, std::string(5000, 'n'));
  store.DispatchAll();
  ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
  ASSERT_TRUE(WriteFileAtomically(store.layout().QueueDir("Old", 0) + "/" + MappedFileName(600), "").has_value());
  store.Boot(false);
  EXPECT_EQ(store.Append("Old", 0, "after").queue_offset, QueueOffset(25));
  store.DispatchAll();
  EXPECT_EQ(store.Bodies("Old", 0), std::vector<std::string>{"after"});
}

TEST(ExpiryTest, ADispatchThatIsStillBelowTheMinimumGoesOnAtIt) {
  TestStore store;
  store.Boot();
  while (ListLogFiles(store.layout())->size() < 4) store.Append("T", 0, std::string(10000, 'x'));
  store.FlushAll();
  auto reput = store.OpenReput();
  store.positions->own_flushd().min.store(2 * 65536);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(RemoveFile(store.layout().CommitLogFile(PhysicalOffset(i * int64_t{65536}))).has_value());
  }
  ASSERT_TRUE(reput->Finish().has_value());
  EXPECT_EQ(reput->dispatched(), store.log->wrote());
  ConsumeQueueReader queues(store.options, store.positions.get());
  const QueueOffset min = **queues.MinOffset("T", 0);
  EXPECT_EQ(static_cast<int64_t>(store.Bodies("T", 0).size()), store.table.Find("T", 0)->next - min);
}

}  // namespace
}  // namespace mq::store
