// The pull consumer: reading to a fixed end, staying at the tail, moved offsets, filters, outages.
#include "client/consumer.h"

#include "fake_cluster.h"
#include "protocol/compress.h"

namespace mq::client {
namespace {

class ConsumerTest : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    names_.Add("T", broker_a_, 1);
    for (int i = 0; i < 10; ++i) {
      broker_a_.stored.push_back({0, "m" + std::to_string(i),
                                  i % 2 == 0 ? "TAGS\x01"
                                               "even"
                                             : "TAGS\x01odd",
                                  0});
    }
  }

  std::unique_ptr<PullConsumer> Make(PullConsumerOptions options = {}) {
    options.name_servers = {names_.address};
    ConsumerHandler handler;
    handler.on_messages = [this](const MessageQueue&, std::span<const PulledMessage> messages) {
      for (const PulledMessage& message : messages) bodies_.emplace_back(message.body);
      return pause_after_ == 0 || bodies_.size() < pause_after_;
    };
    handler.on_end = [this](const MessageQueue&, protocol::QueueOffset next) {
      ++ends_;
      end_ = next.value();
    };
    handler.on_error = [this](const MessageQueue&, const Error& error) { error_ = error.what; };
    handler.on_notice = [this](std::string_view text) { notices_.emplace_back(text); };
    return std::make_unique<PullConsumer>(loop_, std::move(options), std::move(handler));
  }

  MessageQueue FindOne(PullConsumer& consumer) {
    MessageQueue queue;
    bool done = false;
    consumer.FindQueues("T", [&](Result<std::vector<MessageQueue>> queues) {
      ASSERT_TRUE(queues) << queues.error().what;
      ASSERT_EQ(queues->size(), 1u);
      queue = queues->front();
      done = true;
    });
    RunUntil([&] { return done; });
    return queue;
  }

  std::vector<std::string> bodies_;
  std::vector<std::string> notices_;
  std::string error_;
  int ends_ = 0;
  int64_t end_ = -1;
  size_t pause_after_ = 0;
};

TEST_F(ConsumerTest, ReadsToAFixedEndOnce) {
  auto consumer = Make();
  const MessageQueue queue = FindOne(*consumer);
  consumer->Start(queue, protocol::QueueOffset(0), protocol::QueueOffset(8));
  RunUntil([&] { return ends_ > 0; });
  EXPECT_EQ(bodies_.size(), 8u);
  EXPECT_EQ(bodies_.front(), "m0");
  EXPECT_EQ(bodies_.back(), "m7");
  EXPECT_EQ(ends_, 1);
}

TEST_F(ConsumerTest, AsksForOffsetsAndTellsTheTail) {
  auto consumer = Make();
  const MessageQueue queue = FindOne(*consumer);
  int64_t max = -1;
  consumer->AskOffset(queue, OffsetQuestion::Max(), [&](Result<protocol::QueueOffset> offset) {
    ASSERT_TRUE(offset);
    max = offset->value();
  });
  RunUntil([&] { return max >= 0; });
  EXPECT_EQ(max, 10);
  consumer->Start(queue, protocol::QueueOffset(10));
  RunUntil([&] { return ends_ == 1; });  // known at once, although later pulls wait at the broker
  EXPECT_EQ(end_, 10);
}

TEST_F(ConsumerTest, DeletedOffsetsMoveWithANotice) {
  broker_a_.min_offset = 4;
  auto consumer = Make();
  consumer->Start(FindOne(*consumer), protocol::QueueOffset(0), protocol::QueueOffset(10));
  RunUntil([&] { return ends_ > 0; });
  EXPECT_EQ(bodies_.size(), 6u);
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_NE(notices_[0].find("offset 0 is not there; going on at 4"), std::string::npos);
}

TEST_F(ConsumerTest, FiltersByTagText) {
  PullConsumerOptions options;
  options.tags = "even || other";
  auto consumer = Make(options);
  consumer->Start(FindOne(*consumer), protocol::QueueOffset(0), protocol::QueueOffset(10));
  RunUntil([&] { return ends_ > 0; });
  EXPECT_EQ(bodies_, (std::vector<std::string>{"m0", "m2", "m4", "m6", "m8"}));
}

TEST_F(ConsumerTest, PausesWithoutLosingWhatIsOnItsWay) {
  pause_after_ = 3;
  auto consumer = Make();
  const MessageQueue queue = FindOne(*consumer);
  consumer->Start(queue, protocol::QueueOffset(0), protocol::QueueOffset(10));
  RunUntil([&] { return bodies_.size() == 3 && broker_a_.pulls == 2; });
  EXPECT_EQ(ends_, 0);
  pause_after_ = 0;
  consumer->Resume(queue);
  RunUntil([&] { return ends_ > 0; });
  EXPECT_EQ(bodies_.size(), 10u);
  EXPECT_EQ(bodies_.back(), "m9");
}

TEST_F(ConsumerTest, InflatesBodies) {
  broker_a_.stored.clear();
  const auto type = protocol::CompressionType::kLz4;
  broker_a_.stored.push_back(
      {0, *protocol::Compress(type, std::string(9000, 'z')), "", protocol::CompressionFlags(type)});
  auto consumer = Make();
  consumer->Start(FindOne(*consumer), protocol::QueueOffset(0), protocol::QueueOffset(1));
  RunUntil([&] { return ends_ > 0; });
  EXPECT_EQ(bodies_, (std::vector<std::string>{std::string(9000, 'z')}));
}

TEST_F(ConsumerTest, AnUnreachableBrokerIsAskedAgain) {
  broker_a_.server.Close();
  auto consumer = Make();
  const MessageQueue queue = FindOne(*consumer);
  consumer->Start(queue, protocol::QueueOffset(0), protocol::QueueOffset(10));
  RunUntil([&] { return !notices_.empty(); });
  FakeBroker again(loop_, "broker-a");
  again.stored = broker_a_.stored;
  names_.routes.clear();
  names_.Add("T", again, 1);
  RunUntil([&] { return ends_ > 0; });
  EXPECT_EQ(bodies_.size(), 10u);
}

TEST_F(ConsumerTest, NoOutageLastsForEverForAQueueThatIsReadToAnEnd) {
  broker_a_.server.Close();
  PullConsumerOptions options;
  options.give_up_ms = 300;
  auto consumer = Make(options);
  const MessageQueue queue = FindOne(*consumer);
  consumer->Start(queue, protocol::QueueOffset(0), protocol::QueueOffset(10));
  RunUntil([&] { return !error_.empty(); });
  EXPECT_EQ(ends_, 0);
}

TEST_F(ConsumerTest, MissingTopicIsNotFound) {
  auto consumer = Make();
  bool missing = false;
  consumer->FindQueues("Nope", [&](Result<std::vector<MessageQueue>> queues) {
    missing = !queues && queues.error().code == ErrorCode::kNotFound;
  });
  RunUntil([&] { return missing; });
}

}  // namespace
}  // namespace mq::client
