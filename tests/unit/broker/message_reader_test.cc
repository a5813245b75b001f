// What a pull is given of queue files that are damaged while the log has expired or is not committed yet.
#include "broker/message_reader.h"

#include <unistd.h>

#include <fstream>

#include "../store/test_store.h"
#include "base/clock.h"
#include "loop/loop.h"

namespace mq::broker {
namespace {

using store::PhysicalOffset;
using store::QueueOffset;
using store::testing::TestStore;

class MessageReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log::SetLevel(log::Level::kOff);
    store_.Boot();
    for (int i = 0; i < 200; ++i) {
      store_.Append("T", 0, std::to_string(i) + "." + std::string(1050, 'x'));
      store_.Append("U", 0, "u" + std::to_string(i));
    }
    store_.DispatchAll();
  }
  // What the broker's boot makes of the store.
  void Serve() {
    options_.store = store_.options;
    core_ = std::make_unique<Core>(loop_, options_);
    core_->positions = store_.positions.get();
    core_->queues = std::make_unique<Queues>(store_.table, false, [](Queue&) {});
    core_->queues->RevealAll();
    core_->log = std::move(store_.log);
    core_->log_reader = std::make_unique<store::LogReader>(store_.options, store_.positions.get());
    core_->queue_reader = std::make_unique<store::ConsumeQueueReader>(store_.options, store_.positions.get());
    core_->boot_minimums = std::move(store_.boot_minimums);
    core_->entry_finder = std::make_unique<EntryFinder>(loop_, core_->options.store, *store_.positions);
    core_->entry_finder->SetOnSearchOver([this] { ++searches_; });
    reader_ = std::make_unique<MessageReader>(*core_);
  }
  void TearDown() override {
    reader_.reset();
    core_.reset();
    loop_.Run();
  }
  void Expire() {
    ASSERT_TRUE(RemoveFile(store_.layout().CommitLogFile(PhysicalOffset(0))).has_value());
    store_.Boot();
    store_.DispatchAll();
  }
  std::string PathOf(const std::string& topic, int64_t offset) {
    return store_.layout().QueueDir(topic, 0) + "/" + store::MappedFileName(offset * 20 / 200 * 200);
  }
  void SetPosition(int64_t offset, int64_t position) {
    std::string bytes(8, '\0');
    StoreBe64(bytes.data(), static_cast<uint64_t>(position));
    store_.Corrupt(PathOf("T", offset), offset * 20 % 200, bytes);
  }
  void SetPreBlank(int64_t offset) {
    std::string bytes(store::kQueueEntryBytes, '\0');
    store::StoreQueueEntry(bytes.data(), {PhysicalOffset(0), store::kPreBlankSize, 0});
    store_.Corrupt(PathOf("T", offset), offset * 20 % 200, bytes);
  }
  GetMessageResult& Get(const std::string& topic, int64_t offset, int32_t count = 32) {
    return reader_->Get(core_->queues->GetOrCreate(topic, 0), QueueOffset(offset), count, TagFilter());
  }
  // Numbers of the messages from `offset` on, over as many pulls as it takes; waits for searches.
  std::vector<int> Read(int64_t offset) {
    std::vector<int> numbers;
    for (int pulls = 0; pulls < 1000; ++pulls) {
      const GetMessageResult& result = Get("T", offset);
      if (result.status == GetMessageStatus::kOffsetOverflowOne) return numbers;
      if (result.status == GetMessageStatus::kGap) {
        RunUntilSearches(searches_ + 1);
        continue;
      }
      for (const store::Slice& range : result.ranges) {
        for (std::string_view rest = range.bytes; !rest.empty();) {
          const auto message = protocol::DecodeMessage(rest);
          EXPECT_TRUE(message.has_value());
          if (!message) return numbers;
          numbers.push_back(std::stoi(std::string(message->body)));
          rest.remove_prefix(static_cast<size_t>(message->size));
        }
      }
      offset = result.next.value();
    }
    return numbers;
  }
  void RunUntilSearches(int count) {
    const int64_t deadline = MonotonicMs() + 10000;
    while (searches_ < count && MonotonicMs() < deadline) loop_.RunReady();
    ASSERT_GE(searches_, count);
  }
  static std::vector<int> Numbers(int from) {
    std::vector<int> numbers;
    for (int i = from; i < 200; ++i) numbers.push_back(i);
    return numbers;
  }

  TestStore store_;
  loop::Loop loop_;
  BrokerOptions options_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<MessageReader> reader_;
  int searches_ = 0;
};

TEST_F(MessageReaderTest, AnEntryThatNamesWhatHasExpiredIsLookedFor) {
  Expire();
  SetPosition(120, 100);
  Serve();
  // Also where it is the first of a read.
  for (const int from : {119, 120}) EXPECT_EQ(Read(from), Numbers(from)) << from;
}

TEST_F(MessageReaderTest, WhatHasExpiredIsNotLookedFor) {
  Serve();
  ASSERT_TRUE(RemoveFile(store_.layout().CommitLogFile(PhysicalOffset(0))).has_value());
  store_.positions->own_flushd().min.store(65536);
  const GetMessageResult& result = Get("T", 0);
  EXPECT_EQ(result.status, GetMessageStatus::kOffsetTooSmall);
  EXPECT_EQ(Read(result.next.value()), Numbers(static_cast<int>(result.next.value())));
  EXPECT_EQ(searches_, 0);
}

// With a transient pool more is written than can be read.
TEST_F(MessageReaderTest, AnEntryThatNamesWhatIsNotCommittedIsLookedFor) {
  const int64_t committed = store_.log->wrote().value();
  store_.positions->own_flushd().committed.store(committed);
  store_.Append("Other", 0, std::string(3000, 'o'));
  store_.positions->own_broker().pool.store(1);
  ASSERT_EQ(store::LoadReadable(*store_.positions).value(), committed);
  SetPosition(150, committed + 10);
  Serve();
  for (const int from : {149, 150}) EXPECT_EQ(Read(from), Numbers(from)) << from;
}

// mq-reputd writes entries first, and says so then. A gap it has filled, or damage, may be what is looked at of them.
TEST_F(MessageReaderTest, WhatIsWrittenAndNotPublishedIsWaitedFor) {
  SetPreBlank(199);
  SetPosition(9, 100);
  Serve();
  const int64_t dispatched = core_->dispatched().value();
  auto& published = store_.positions->own_reputd().dispatched;
  for (const int64_t at : {0, 3000}) {
    published.store(at);
    for (const int from : {190, 195, 3, 0}) {
      const GetMessageResult& result = Get("T", from);
      if (at > 0 && from == 0) {
        EXPECT_EQ(result.status, GetMessageStatus::kFound);
        EXPECT_EQ(result.next, QueueOffset(2));
      } else {
        EXPECT_EQ(result.status, GetMessageStatus::kGap) << at << " " << from;
      }
    }
  }
  loop_.Run();  // a search would end here
  EXPECT_EQ(searches_, 0);
  published.store(dispatched);
  std::vector<int> wanted = Numbers(0);
  wanted.pop_back();
  EXPECT_EQ(Read(0), wanted);
}

TEST_F(MessageReaderTest, AFailedSearchHoldsUpNoOtherQueueAndIsMadeAgainLater) {
  for (const std::string topic : {"T", "U"}) store_.Corrupt(PathOf(topic, 10), 0, std::string(200, '\0'));
  Serve();
  // A link is not followed: an error of another kind than that the file is gone.
  const std::string first = store_.layout().CommitLogFile(PhysicalOffset(0));
  ASSERT_EQ(::rename(first.c_str(), (first + "x").c_str()), 0);
  ASSERT_EQ(::symlink((first + "x").c_str(), first.c_str()), 0);
  for (int round = 1; round <= 3; ++round) {
    EXPECT_EQ(Get("T", 10).status, GetMessageStatus::kGap);
    EXPECT_EQ(Get("U", 10).status, GetMessageStatus::kGap);
    if (round < 3) RunUntilSearches(round);
  }
  // Neither is searched again at once.
  for (int i = 0; i < 100; ++i) loop_.RunReady();
  EXPECT_EQ(searches_, 2);
  ASSERT_EQ(::rename((first + "x").c_str(), first.c_str()), 0);
  core_->entry_finder->Tick(MonotonicMs() + 10000);
  EXPECT_EQ(searches_, 3) << "they are woken";
  EXPECT_EQ(Get("T", 10).status, GetMessageStatus::kGap);
  RunUntilSearches(4);
  EXPECT_EQ(Get("T", 10).status, GetMessageStatus::kFound);
}

// A page of another queue's file: each entry is that of a whole record, of another topic.
TEST_F(MessageReaderTest, AnEntryOfAnotherTopicIsLookedFor) {
  std::string entry(store::kQueueEntryBytes, '\0');
  std::ifstream file(store_.layout().QueueDir("U", 0) + "/" + store::MappedFileName(400), std::ios::binary);
  file.read(entry.data(), store::kQueueEntryBytes);
  ASSERT_TRUE(file.good());
  store_.Corrupt(PathOf("T", 20), 0, entry);
  Serve();
  EXPECT_EQ(Read(0), Numbers(0));
  EXPECT_NE(core_->damage_met.Text(DamageMet::Kind::kEntry), "");
}

// Not expired: whoever reads them waits, and nobody is told that they are gone.
TEST_F(MessageReaderTest, MessagesOfAMissingFileAreWaitedFor) {
  Serve();
  const std::string first = store_.layout().CommitLogFile(PhysicalOffset(0));
  ASSERT_EQ(::rename(first.c_str(), (first + "x").c_str()), 0);
  EXPECT_EQ(Get("T", 0).status, GetMessageStatus::kGap);
  EXPECT_NE(core_->LogUnreadable().find(first), std::string::npos);
  ASSERT_EQ(::rename((first + "x").c_str(), first.c_str()), 0);
  ASSERT_EQ(::truncate(first.c_str(), 30000), 0);
  EXPECT_EQ(Get("T", 0).status, GetMessageStatus::kGap);
  EXPECT_NE(core_->LogUnreadable(), "");
  ASSERT_EQ(::truncate(first.c_str(), 65536), 0);
  EXPECT_EQ(core_->LogUnreadable(), "") << "also when nobody asks for its messages any more";
  EXPECT_EQ(Get("T", 0).status, GetMessageStatus::kFound);
}

// What lies in the ring was appended, whatever the files say of it: a gap may be filled there.
TEST_F(MessageReaderTest, AGapOfTheFilesHidesNothingOfTheRing) {
  for (int64_t offset = 195; offset < 198; ++offset) SetPreBlank(offset);
  std::vector<store::RecentEntry> entries;
  store::LogReader log(store_.options, store_.positions.get());
  store::ConsumeQueueReader files(store_.options, store_.positions.get());
  for (int64_t offset = 198; offset < 200; ++offset) {
    const auto span = files.Read("T", 0, QueueOffset(offset), 1);
    entries.push_back({(*span)[0].physical_offset, 0, (*span)[0].bytes});
    SetPreBlank(offset);
  }
  Serve();
  Queue& queue = core_->queues->GetOrCreate("T", 0);
  for (int64_t i = 0; i < 2; ++i)
    core_->queues->PushRecent(queue, QueueOffset(198 + i), entries[static_cast<size_t>(i)]);
  EXPECT_EQ(Read(194), (std::vector<int>{194, 198, 199}));
}

// Files that are derived again begin with what is not there yet.
TEST_F(MessageReaderTest, AQueueNeverSeemsToBeginBelowItsFirstMessage) {
  Expire();
  Serve();
  const auto first = core_->MinOffset(core_->queues->GetOrCreate("T", 0));
  ASSERT_TRUE(first.has_value());
  ASSERT_GT(first->value() % 10, 0) << "inside of a queue file";
  reader_.reset();
  core_.reset();
  ASSERT_TRUE(RemoveFile(store_.layout().Dispatched()).has_value());
  store_.Boot(false);
  ASSERT_TRUE(RemoveTree(store_.layout().QueueDir("T", 0)).has_value());
  auto reput = store_.OpenReput();
  Serve();
  Queue& queue = core_->queues->GetOrCreate("T", 0);
  EXPECT_EQ(core_->MinOffset(queue), first);
  while (core_->dispatched().value() < store_.positions->broker().recovered_end.load()) {
    ASSERT_TRUE(reput->Step(1, 1).has_value());
    ASSERT_EQ(core_->MinOffset(queue), first);
  }
}

}  // namespace
}  // namespace mq::broker
