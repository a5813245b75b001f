// The producer against brokers that store, refuse, freeze and vanish.
#include "client/producer.h"

#include <map>
#include <set>

#include "fake_cluster.h"
#include "protocol/properties.h"

namespace mq::client {
namespace {

class ProducerTest : public ClientTest {
 protected:
  struct Seen {
    SendStatus status;
    std::string msg_id;
    std::string offset_id;
    std::string broker;
    int64_t offset;
    int attempts;
    ErrorCode error;
    std::string what;
  };

  std::unique_ptr<Producer> Make(ProducerOptions options = {}) {
    if (options.name_servers.empty() && options.broker.empty()) options.name_servers = {names_.address};
    ProducerHandler handler;
    handler.on_report = [this](const SendReport& report) {
      EXPECT_FALSE(reports_.contains(report.cookie));
      reports_[report.cookie] = {report.status,
                                 std::string(report.msg_id),
                                 std::string(report.offset_msg_id),
                                 std::string(report.broker_name),
                                 report.queue_offset.value(),
                                 report.attempts,
                                 report.error != nullptr ? report.error->code : ErrorCode::kInternal,
                                 report.error != nullptr ? report.error->what : ""};
    };
    handler.on_ready = [this] { ++ready_; };
    handler.on_warning = [this](std::string_view text) { warnings_.emplace_back(text); };
    handler.on_notice = [this](std::string_view text) { notices_.emplace_back(text); };
    return std::make_unique<Producer>(loop_, std::move(options), std::move(handler));
  }

  Status SendOne(Producer& producer, std::string_view body, uint64_t cookie, std::string_view topic = "T") {
    OutgoingMessage message;
    message.topic = topic;
    message.body = body;
    message.cookie = cookie;
    return producer.Send(message);
  }

  void DrainOf(Producer& producer) {
    bool done = false;
    producer.Drain([&] { done = true; });
    RunUntil([&] { return done; });
  }

  std::map<uint64_t, Seen> reports_;
  std::vector<std::string> warnings_;
  std::vector<std::string> notices_;
  int ready_ = 0;
};

TEST_F(ProducerTest, WhatIsReadyGoesTogether) {
  names_.Add("T", broker_a_, 4);
  auto producer = Make();
  constexpr uint64_t kMessages = 5000;
  for (uint64_t i = 0; i < kMessages; ++i) ASSERT_TRUE(SendOne(*producer, std::to_string(i), i));
  DrainOf(*producer);
  EXPECT_EQ(broker_a_.stored.size(), kMessages);
  EXPECT_EQ(broker_a_.requests, 5);  // 1024 at most in one
  std::set<std::string> ids;
  for (const auto& [cookie, seen] : reports_) {
    EXPECT_TRUE(seen.status == SendStatus::kStored);
    ids.insert(seen.msg_id);
    EXPECT_EQ(broker_a_.stored[static_cast<size_t>(seen.offset)].body, std::to_string(cookie));
    EXPECT_EQ(protocol::ParseOffsetMessageId(seen.offset_id)->offset.value(), seen.offset);
  }
  EXPECT_EQ(ids.size(), kMessages);
  EXPECT_EQ(producer->stats().stored, kMessages);
  EXPECT_EQ(producer->stats().in_flight_messages, 0u);
}

TEST_F(ProducerTest, KeysTagsAndPropertiesArrive) {
  names_.Add("T", broker_a_, 1);
  auto producer = Make();
  const std::vector<std::string> keys = {"k1", "k2"};
  const std::vector<std::pair<std::string, std::string>> pairs = {{"where", "Beijing,China=1"}};
  OutgoingMessage message;
  message.topic = "T";
  message.body = "x";
  message.tag = "TagA";
  message.keys = keys;
  message.properties = pairs;
  ASSERT_TRUE(producer->Send(message));
  DrainOf(*producer);
  ASSERT_EQ(broker_a_.stored.size(), 1u);
  const std::string& properties = broker_a_.stored[0].properties;
  EXPECT_EQ(protocol::FindProperty(properties, "KEYS"), "k1 k2");
  EXPECT_EQ(protocol::FindProperty(properties, "TAGS"), "TagA");
  EXPECT_EQ(protocol::FindProperty(properties, "where"), "Beijing,China=1");
  EXPECT_EQ(protocol::FindProperty(properties, "UNIQ_KEY"), reports_.at(0).msg_id);
  const std::vector<std::pair<std::string, std::string>> evil = {{"a",
                                                                  "1\x02TAGS\x01"
                                                                  "evil"}};
  message.properties = evil;
  const Status refused = producer->Send(message);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("property a"), std::string::npos);
  const std::vector<std::pair<std::string, std::string>> twice = {{"a", "1"}, {"a", "2"}};
  message.properties = twice;
  EXPECT_FALSE(producer->Send(message));
}

TEST_F(ProducerTest, TooLargeIsRefusedWithBothNumbers) {
  ProducerOptions options;
  options.max_message_bytes = 100;
  auto producer = Make(options);
  const Status refused = SendOne(*producer, std::string(101, 'x'), 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("101"), std::string::npos);
  EXPECT_NE(refused.error().what.find("100"), std::string::npos);
}

TEST_F(ProducerTest, AFrozenBrokerCostsAShareOfTheBudgetOnly) {
  names_.Add("T", broker_a_, 2);
  names_.Add("T", broker_b_, 2);
  broker_a_.frozen = true;
  ProducerOptions options;
  options.timeout_ms = 600;
  options.batch_messages = 10;
  auto producer = Make(options);
  for (uint64_t i = 0; i < 200; ++i) ASSERT_TRUE(SendOne(*producer, "m", i));
  DrainOf(*producer);
  EXPECT_EQ(broker_b_.stored.size(), 200u);
  EXPECT_EQ(producer->stats().stored, 200u);
  EXPECT_GT(producer->stats().retried_messages, 0u);
}

TEST_F(ProducerTest, AGoneBrokerIsRetriedElsewhereAndFinallyReported) {
  names_.Add("T", broker_a_, 2);
  names_.Add("T", broker_b_, 2);
  broker_a_.server.Close();
  ProducerOptions options;
  options.timeout_ms = 300;
  auto producer = Make(options);
  for (uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(SendOne(*producer, "m", i));
  DrainOf(*producer);
  EXPECT_EQ(broker_b_.stored.size(), 50u);
  broker_b_.server.Close();
  ASSERT_TRUE(SendOne(*producer, "m", 1000));
  DrainOf(*producer);
  EXPECT_TRUE(reports_.at(1000).status == SendStatus::kFailed);
  EXPECT_TRUE(reports_.at(1000).error == ErrorCode::kUnreachable) << reports_.at(1000).what;
}

TEST_F(ProducerTest, RefusalsForGoodAreNotRetried) {
  names_.Add("T", broker_a_, 2);
  broker_a_.refuse_code = 13;
  auto producer = Make();
  ASSERT_TRUE(SendOne(*producer, "m", 1));
  DrainOf(*producer);
  EXPECT_EQ(broker_a_.requests, 1);
  EXPECT_TRUE(reports_.at(1).error == ErrorCode::kRefused);
  EXPECT_NE(reports_.at(1).what.find("MESSAGE_ILLEGAL: made up"), std::string::npos) << reports_.at(1).what;
  broker_a_.refuse_code = 1;  // may help elsewhere or later: three tries
  ASSERT_TRUE(SendOne(*producer, "m", 2));
  DrainOf(*producer);
  EXPECT_EQ(broker_a_.requests, 4);
  EXPECT_EQ(reports_.at(2).attempts, 3);
}

TEST_F(ProducerTest, StoredButNotFlushedIsSaid) {
  names_.Add("T", broker_a_, 2);
  broker_a_.stored_code = 10;
  auto producer = Make();
  ASSERT_TRUE(SendOne(*producer, "m", 1));
  DrainOf(*producer);
  EXPECT_TRUE(reports_.at(1).status == SendStatus::kStoredNotFlushed);
  EXPECT_TRUE(reports_.at(1).error == ErrorCode::kPartial);
}

TEST_F(ProducerTest, MissingTopics) {
  names_.Add("Other", broker_a_, 2);
  auto producer = Make();
  ASSERT_TRUE(SendOne(*producer, "m", 1, "Nope"));
  DrainOf(*producer);
  EXPECT_TRUE(reports_.at(1).error == ErrorCode::kRefused);
  // Where brokers create topics by themselves the template's route is used, with four queues at most.
  names_.Add("TBW102", broker_a_, 8);
  for (uint64_t i = 10; i < 20; ++i) {
    ASSERT_TRUE(SendOne(*producer, "m", i, "New"));
    DrainOf(*producer);
  }
  EXPECT_EQ(broker_a_.stored.size(), 10u);
  for (const auto& stored : broker_a_.stored) EXPECT_LT(stored.queue_id, 4);
}

TEST_F(ProducerTest, ANameServerWithoutBrokersIsWaitedFor) {
  ProducerOptions options;
  options.timeout_ms = 5000;
  auto producer = Make(options);
  ASSERT_TRUE(SendOne(*producer, "m", 1));
  loop::Timer later(loop_, [&] { names_.Add("T", broker_a_, 1); });
  later.Start(150);
  DrainOf(*producer);
  EXPECT_TRUE(reports_.at(1).status == SendStatus::kStored) << reports_.at(1).what;
}

TEST_F(ProducerTest, ADeadNameServerInTheListDelaysNobody) {
  names_.Add("T", broker_a_, 1);
  ProducerOptions options;
  options.name_servers = {"127.0.0.1:1", names_.address};
  auto producer = Make(options);
  ASSERT_TRUE(SendOne(*producer, "m", 1));
  DrainOf(*producer);
  EXPECT_TRUE(reports_.at(1).status == SendStatus::kStored);
}

TEST_F(ProducerTest, EqualShardsShareAQueueInOrder) {
  names_.Add("T", broker_a_, 4);
  auto producer = Make();
  std::map<std::string, int32_t> queue_of;
  for (uint64_t i = 0; i < 400; ++i) {
    const std::string shard = "shard" + std::to_string(i % 7);
    const std::string body = shard + ":" + std::to_string(i);
    OutgoingMessage message;
    message.topic = "T";
    message.body = body;
    message.shard = shard;
    message.cookie = i;
    ASSERT_TRUE(producer->Send(message));
  }
  DrainOf(*producer);
  std::map<std::string, int> last;
  for (const auto& stored : broker_a_.stored) {
    const std::string shard = stored.body.substr(0, stored.body.find(':'));
    const int number = std::stoi(stored.body.substr(stored.body.find(':') + 1));
    const auto [entry, first] = queue_of.emplace(shard, stored.queue_id);
    EXPECT_EQ(entry->second, stored.queue_id);
    if (!first) {
      EXPECT_GT(number, last[shard]);
    }
    last[shard] = number;
  }
  OutgoingMessage fixed;
  fixed.topic = "T";
  fixed.body = "x";
  fixed.queue_id = 9;
  fixed.cookie = 1000;
  ASSERT_TRUE(producer->Send(fixed));
  DrainOf(*producer);
  EXPECT_TRUE(reports_.at(1000).error == ErrorCode::kRefused);
}

TEST_F(ProducerTest, BackPressureAndReadiness) {
  names_.Add("T", broker_a_, 1);
  broker_a_.frozen = true;
  ProducerOptions options;
  options.window = 1;
  options.batch_messages = 1;
  options.timeout_ms = 300;
  auto producer = Make(options);
  ASSERT_TRUE(SendOne(*producer, "m", 0));
  RunUntil([&] { return broker_a_.requests == 1; });
  uint64_t cookie = 1;
  while (producer->CanSend()) ASSERT_TRUE(SendOne(*producer, "m", cookie++));
  EXPECT_LT(cookie, 20u);
  EXPECT_EQ(ready_, 0);
  broker_a_.frozen = false;
  RunUntil([&] { return ready_ > 0; });
  DrainOf(*producer);
}

TEST_F(ProducerTest, OnewayAndDirectBroker) {
  names_.Add("T", broker_a_, 1);
  ProducerOptions options;
  options.oneway = true;
  auto producer = Make(options);
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(SendOne(*producer, "m", i));
  DrainOf(*producer);
  EXPECT_TRUE(reports_.at(5).status == SendStatus::kSent);
  RunUntil([&] { return broker_a_.stored.size() == 100; });
}

TEST_F(ProducerTest, CompressedBodiesTravelAlone) {
  names_.Add("T", broker_a_, 1);
  ProducerOptions options;
  options.compression = protocol::CompressionType::kZlib;
  options.compress_over = 100;
  auto producer = Make(options);
  ASSERT_TRUE(SendOne(*producer, "small", 1));
  ASSERT_TRUE(SendOne(*producer, std::string(5000, 'x'), 2));
  ASSERT_TRUE(SendOne(*producer, "small", 3));
  DrainOf(*producer);
  ASSERT_EQ(broker_a_.stored.size(), 3u);
  EXPECT_EQ(broker_a_.stored[1].sys_flag, 0x301);
  EXPECT_LT(broker_a_.stored[1].body.size(), 200u);
  EXPECT_EQ(broker_a_.stored[2].body, "small");
}

TEST_F(ProducerTest, ClosingReportsWhatIsOpen) {
  names_.Add("T", broker_a_, 1);
  broker_a_.frozen = true;
  auto producer = Make();
  for (uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(SendOne(*producer, "m", i));
  RunUntil([&] { return broker_a_.requests > 0; });
  ASSERT_TRUE(SendOne(*producer, "m", 10));
  producer->Close();
  EXPECT_EQ(reports_.size(), 11u);
  EXPECT_FALSE(SendOne(*producer, "m", 11));
}

TEST_F(ProducerTest, PR_11_ASlowBrokerIsAvoidedWithFaultDelay) {
  names_.Add("T", broker_a_, 2);
  names_.Add("T", broker_b_, 2);
  broker_a_.delay_ms = 560;
  ProducerOptions options;
  options.fault_delay = true;
  options.window = 1;
  options.batch_messages = 1;
  auto producer = Make(options);
  for (uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(SendOne(*producer, "x", i));
  DrainOf(*producer);
  EXPECT_EQ(broker_a_.stored.size(), 1u);
  EXPECT_EQ(broker_b_.stored.size(), 19u);
  const auto told = [](const std::string& text) {
    return text.starts_with("broker broker-a is avoided for 30 s: it took 5");
  };
  EXPECT_EQ(std::count_if(notices_.begin(), notices_.end(), told), 1);
}

TEST_F(ProducerTest, PR_12_AFailedBrokerIsIsolatedAndTheOnlyOneIsUsedAllTheSame) {
  names_.Add("T", broker_a_, 2);
  broker_a_.refuse_code = 14;
  ProducerOptions options;
  options.fault_delay = true;
  options.window = 1;
  options.retries = 0;
  auto producer = Make(options);
  ASSERT_TRUE(SendOne(*producer, "refused", 1));
  DrainOf(*producer);
  EXPECT_EQ(reports_[1].status, SendStatus::kFailed);
  EXPECT_EQ(notices_.back(), "broker broker-a is avoided for 600 s: isolated after a failure");
  broker_a_.refuse_code = 0;
  ASSERT_TRUE(SendOne(*producer, "taken", 2));
  DrainOf(*producer);
  EXPECT_EQ(reports_[2].status, SendStatus::kStored);
}

TEST_F(ProducerTest, PR_23_EveryMasterHearsOfTheProducer) {
  names_.Add("T", broker_a_, 1);
  names_.Add("T", broker_b_, 1);
  auto producer = Make();
  ASSERT_TRUE(SendOne(*producer, "x", 1));
  RunUntil([&] { return broker_a_.heartbeats.size() == 1 && broker_b_.heartbeats.size() == 1; });
  EXPECT_NE(broker_a_.heartbeats.front().find("\"producerDataSet\":[{\"groupName\":\"CLIENT_INNER_PRODUCER\"}]"),
            std::string::npos);
}

}  // namespace
}  // namespace mq::client
