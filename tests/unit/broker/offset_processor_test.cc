// The offset of a time while mq-reputd is still on its way through the log: the right one, or none yet.
#include "broker/offset_processor.h"

#include "../store/test_store.h"
#include "loop/loop.h"

namespace mq::broker {
namespace {

using store::QueueOffset;
using store::testing::TestStore;

constexpr int kMessages = 40;
constexpr int64_t kFirstTime = 1000;

class OffsetProcessorTest : public ::testing::Test {
 protected:
  // A store whose queues nobody has derived, as its next broker finds it.
  void SetUp() override {
    log::SetLevel(log::Level::kOff);
    store_.clock_ms = kFirstTime;
    store_.Boot();
    for (int i = 0; i < kMessages; ++i) store_.Append("T", 0, "x");
    store_.Boot();
    options_.store = store_.options;
    core_ = std::make_unique<Core>(loop_, options_);
    core_->positions = store_.positions.get();
    core_->queues = std::make_unique<Queues>(store_.table, false, [](Queue&) {});
    core_->queues->RevealAll();
    core_->log_reader = std::make_unique<store::LogReader>(store_.options, store_.positions.get());
    core_->queue_reader = std::make_unique<store::ConsumeQueueReader>(store_.options, store_.positions.get());
    core_->boot_minimums = std::move(store_.boot_minimums);
    processor_ = std::make_unique<OffsetProcessor>(*core_);
  }
  void TearDown() override {
    processor_.reset();
    core_.reset();
  }
  Queue& queue() { return core_->queues->GetOrCreate("T", 0); }
  // Of the message with that number; -1: to be asked again.
  int64_t OffsetOf(int64_t number) {
    const auto offset = processor_->OffsetAt(queue(), kFirstTime + number);
    if (offset) return offset->value();
    EXPECT_EQ(offset.error().code, ErrorCode::kBusy) << offset.error().what;
    return -1;
  }
  void Send() {
    const store::AppendResult result = store_.Append("T", 0, "x");
    core_->queues->PushRecent(queue(), queue().visible_max,
                              {result.physical_offset, 0, static_cast<int32_t>(result.bytes)});
    core_->queues->Appended(queue(), store_.log->wrote());
  }

  TestStore store_;
  loop::Loop loop_;
  BrokerOptions options_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<OffsetProcessor> processor_;
};

TEST_F(OffsetProcessorTest, WhereReputdHasComeToIsNoAnswer) {
  for (const int64_t number : {0, 10, kMessages}) EXPECT_EQ(OffsetOf(number), -1) << number;
  const auto reput = store_.OpenReput();
  ASSERT_TRUE(core_->QueueFilesAreChecked());
  for (const int64_t number : {0, 10, kMessages}) EXPECT_EQ(OffsetOf(number), -1) << number;
  ASSERT_TRUE(reput->DispatchStep(0, 15).has_value());
  ASSERT_TRUE(reput->behind());
  EXPECT_EQ(OffsetOf(0), 0);
  EXPECT_EQ(OffsetOf(10), 10);
  for (const int64_t number : {15, 30, kMessages}) EXPECT_EQ(OffsetOf(number), -1) << number;
  ASSERT_TRUE(reput->DispatchStep(0, 1000).has_value());
  ASSERT_FALSE(reput->behind());
  for (const int64_t number : {0, 10, 15, 30, kMessages - 1, kMessages}) EXPECT_EQ(OffsetOf(number), number);
}

TEST_F(OffsetProcessorTest, NewMessagesAreFoundAtOnceAndOlderOnesWhenTheyAreInTheFiles) {
  for (int i = 0; i < 5; ++i) Send();
  const auto reput = store_.OpenReput();
  EXPECT_EQ(OffsetOf(kMessages + 2), kMessages + 2);
  for (const int64_t number : {0, 30, kMessages}) EXPECT_EQ(OffsetOf(number), -1) << number;
  // All before the ring, nothing of it.
  ASSERT_TRUE(reput->DispatchStep(0, kMessages).has_value());
  ASSERT_TRUE(reput->behind());
  for (const int64_t number : {0, 30, kMessages - 1, kMessages, kMessages + 2}) EXPECT_EQ(OffsetOf(number), number);
}

}  // namespace
}  // namespace mq::broker
