// Random damage to any file of a store: opening it never crashes, never lies, and what is not damaged is read.
#include <algorithm>
#include <random>
#include <set>

#include "store/checkpoint.h"
#include "test_store.h"

namespace mq::store {
namespace {

using testing::TestStore;

struct Damage {
  std::string file;
  std::string what;
};

std::vector<std::string> AllFiles(TestStore& store) {
  std::vector<std::string> files;
  auto log = ListMappedFiles(store.layout().CommitLogDir());
  for (const FileEntry& file : *log) files.push_back(store.layout().CommitLogFile(PhysicalOffset(file.start)));
  for (const auto& [name, bytes] : store.QueueBytes()) files.push_back(store.layout().ConsumeQueueDir() + "/" + name);
  for (const std::string& file : {store.layout().Checkpoint(), store.layout().Dispatched()}) {
    if (PathExists(file)) files.push_back(file);
  }
  return files;
}

Damage DamageOne(TestStore& store, std::mt19937& random) {
  const auto files = AllFiles(store);
  const std::string& path = files[random() % files.size()];
  const int64_t size = *FileSize(path);
  const int64_t at = size > 0 ? static_cast<int64_t>(random() % static_cast<uint64_t>(size)) : 0;
  const int64_t length = std::min<int64_t>(static_cast<int64_t>(1 + random() % 300), size - at);
  switch (random() % 4) {
    case 0:
      store.Corrupt(path, at, std::string(static_cast<size_t>(length), '\0'));
      return {path, "zeroed"};
    case 1: {
      std::string noise(static_cast<size_t>(length), '\0');
      for (char& c : noise) c = static_cast<char>(random());
      store.Corrupt(path, at, noise);
      return {path, "noise"};
    }
    case 2:
      EXPECT_EQ(::truncate(path.c_str(), at), 0);
      return {path, "truncated"};
    default:
      EXPECT_TRUE(RemoveFile(path).has_value());
      return {path, "removed"};
  }
}

// One boot with everything a broker and its helpers do; false when the store was refused.
bool OpenAndUse(TestStore& store, bool clean) {
  auto recovered = RecoverCommitLog(store.options, clean, nullptr);
  if (!recovered) {
    EXPECT_EQ(recovered.error().code, ErrorCode::kCorruption) << recovered.error().what;
    return false;
  }
  store.Boot(clean);
  if (::testing::Test::HasFatalFailure()) return false;
  store.DispatchAll();
  return true;
}

TEST(DamageTest, NeverCrashesAndNeverLies) {
  const bool under_sanitizer = std::getenv("ASAN_OPTIONS") != nullptr;
  const int rounds = under_sanitizer ? 30 : 60;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(static_cast<uint32_t>(1000 + round));
    TestStore store;
    store.Boot();
    const int count = 120 + static_cast<int>(random() % 200);
    std::set<std::string> sent;
    for (int i = 0; i < count; ++i) {
      const std::string body = std::to_string(round) + "/" + std::to_string(i) + std::string(random() % 700, 'b');
      store.Append(i % 7 == 0 ? "U" : "T", i % 2, body, "TAGS\x01x");
      sent.insert(body);
      if (i == count / 2) store.DispatchAll();
    }
    if (round % 2 == 0) store.DispatchAll();
    store.log.reset();
    const Damage damage = DamageOne(store, random);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + damage.what + " " + damage.file);
    if (!OpenAndUse(store, round % 3 == 0)) continue;
    // Damage inside a durable queue file is found by looking at all of it, which is what a rebuild is for.
    const bool log_hit = damage.file.find("/commitlog/") != std::string::npos;
    const bool queue_hit = damage.file.find("/consumequeue/") != std::string::npos;
    if (queue_hit && (damage.what == "zeroed" || damage.what == "noise")) {
      store.Boot();
      store.DispatchAll(true);
    }
    std::set<std::string> read;
    for (const char* topic : {"T", "U"}) {
      for (int queue : {0, 1}) {
        for (const std::string& body : store.Bodies(topic, queue)) read.insert(body);
      }
    }
    size_t invented = 0;
    for (const std::string& body : read) invented += sent.count(body) == 0 ? 1 : 0;
    // A body hit by noise in a record that is kept may differ; nothing else is made up.
    EXPECT_LE(invented, log_hit ? 3u : 0u);
    if (!log_hit) {
      EXPECT_EQ(read.size(), sent.size());
    }
    store.Append("T", 0, "after");
    store.DispatchAll();
    const auto bodies = store.Bodies("T", 0);
    EXPECT_TRUE(!bodies.empty() && bodies.back() == "after");
  }
}

// Whatever is lost from some place on, over several files even: positions and numbers go on behind it.
TEST(DamageTest, LosesTheEndOfTheLogAndNotItsNumbers) {
  for (uint32_t round = 0; round < 24; ++round) {
    SCOPED_TRACE(round);
    std::mt19937 random(round);
    TestStore store;
    store.Boot();
    std::vector<AppendResult> sent;
    std::vector<int> queues;
    for (int i = 0; i < 300; ++i) {
      queues.push_back(static_cast<int>(random() % 3));
      sent.push_back(store.Append("T", queues.back(), std::string(random() % 1000, 'b')));
    }
    store.DispatchAll();
    const PhysicalOffset end = store.log->wrote();
    store.log.reset();
    // Then only the checkpoint knows the positions, and only the queue files know the numbers.
    if (round % 5 >= 3) {
      ASSERT_TRUE(CheckpointFile::Open(store.layout().Checkpoint())->Write({store.clock_ms, 0, 0, end}).has_value());
      ASSERT_TRUE(RemoveFile(store.layout().Dispatched()).has_value());
    }
    const size_t first = 100 + random() % 200;
    for (PhysicalOffset at = sent[first].physical_offset; at < end;) {
      const int64_t length = std::min(store.RestOfFile(at), end - at);
      std::string bytes(static_cast<size_t>(length), '\0');
      if (round % 2 == 0) std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
      const int64_t in_file = at.value() % store.options.commit_log_file_bytes;
      store.Corrupt(store.layout().CommitLogFile(at - in_file), in_file, bytes);
      at += length;
    }
    store.Boot(round % 3 == 0);
    EXPECT_EQ(store.recovered.end, end);
    ASSERT_FALSE(store.recovered.kept_damage.empty());
    EXPECT_EQ(store.recovered.kept_damage.front().from, sent[first].physical_offset);
    EXPECT_EQ(store.recovered.kept_damage.back().to, end);
    if (round % 4 < 2) store.Append("T", 0, "after");
    store.DispatchAll(round % 4 == 1);         // or derived anew from the whole log
    for (int again = 0; again < 3; ++again) {  // stops and starts change nothing, with queues nobody sends to
      store.Boot(again == 1);
      store.DispatchAll();
    }
    store.Boot(false);
    std::vector<int64_t> next(3);
    for (size_t i = 0; i < sent.size(); ++i) {
      next[static_cast<size_t>(queues[i])] = sent[i].queue_offset.value() + 1;
    }
    if (round % 4 < 2) ++next[0];
    for (int queue = 0; queue < 3; ++queue) {
      EXPECT_EQ(store.table.Find("T", queue)->next, QueueOffset(next[static_cast<size_t>(queue)])) << queue;
    }
  }
}

// Five log files, and recovery of a clean stop looks at the last three: two stretches of which it knows nothing, one of
// which runs on into the second file, and one that it tells itself.
class SkippedTest : public ::testing::Test {
 protected:
  static constexpr int64_t kFile = 65536;
  void SetUp() override {
    store_.Boot();
    while (store_.log->wrote() < PhysicalOffset(4 * kFile + kFile / 2))
      records_.push_back(store_.Append("T", 0, kBody));
    store_.DispatchAll();
    first_ = records_[20].physical_offset;
    second_ = LastOfFirstFile();
    Zero(first_, 2 * kRecord);
    Zero(second_, PhysicalOffset(kFile) - second_ + kRecord / 2);
    Zero(PhysicalOffset(3 * kFile), kRecord / 2);
    EXPECT_TRUE(RemoveTree(store_.layout().ConsumeQueueDir()).has_value());
  }
  PhysicalOffset LastOfFirstFile() const {
    PhysicalOffset last;
    for (const AppendResult& record : records_) {
      if (record.end() < PhysicalOffset(kFile)) last = record.physical_offset;
    }
    return last;
  }
  void Zero(PhysicalOffset from, int64_t bytes) {
    for (int64_t at = from.value(); at < from.value() + bytes; ++at) {
      store_.Corrupt(store_.layout().CommitLogFile(PhysicalOffset(at / kFile * kFile)), at % kFile,
                     std::string(1, '\0'));
    }
  }
  void ExpectTold(uint32_t stretches, PhysicalOffset last) {
    EXPECT_EQ(store_.positions->reputd().log_skipped.load(), stretches);
    if (stretches > 0) {
      EXPECT_EQ(store_.positions->reputd().log_skipped_at.load(), last.value());
    }
  }

  const std::string kBody = std::string(300, 'x');
  static constexpr int64_t kRecord = 392;
  TestStore store_;
  std::vector<AppendResult> records_;
  PhysicalOffset first_, second_;
};

TEST_F(SkippedTest, DamageBelowWhereRecoveryBeganIsPublishedOnceByDispatch) {
  for (const bool marker : {true, false}) {
    if (!marker) {
      ASSERT_TRUE(RemoveFile(store_.layout().Dispatched()).has_value());
    }
    ASSERT_EQ(records_[0].bytes, kRecord);
    store_.Boot();
    ASSERT_GT(store_.recovered.scanned_from, second_ + kRecord);
    ASSERT_EQ(store_.recovered.kept_damage.size(), 1u);
    ExpectTold(0, PhysicalOffset(0));
    // A kill between the two, and another one behind them, while no marker names them.
    {
      auto reput = store_.OpenReput();
      ASSERT_TRUE(reput->DispatchStep(0, 50).has_value());
      ExpectTold(1, first_);
    }
    for (int start = 0; start < 2; ++start) {
      auto reput = store_.OpenReput();
      while (reput->behind()) ASSERT_TRUE(reput->DispatchStep(0, 1000).has_value());
      ExpectTold(2, second_);
    }
    // With the second walk of the index.
    store_.DispatchAll();
    ExpectTold(2, second_);
    EXPECT_EQ(store_.Bodies("T", 0).size(), records_.size() - 5);
    ASSERT_TRUE(RemoveTree(store_.layout().IndexDir()).has_value());
    store_.Boot();
    store_.DispatchAll();
    ExpectTold(0, PhysicalOffset(0));
  }
}

// What is damaged behind the recovered end, while mq-reputd is away, recovery has not seen either.
TEST_F(SkippedTest, DamageUnderARunningBrokerIsPublishedByDispatch) {
  store_.Boot();
  store_.DispatchAll();
  const AppendResult hit = store_.Append("T", 0, kBody);
  store_.Append("T", 0, kBody);
  Zero(hit.physical_offset, kRecord);
  store_.DispatchAll();
  ExpectTold(3, hit.physical_offset);
}

}  // namespace
}  // namespace mq::store
