// Members of a group against brokers of the test's own: who reads what, what is committed, and what happens when
// members and brokers come and go. Times are shortened; nothing waits for a clock that does not have to.
#include "client/group_consumer.h"

#include <set>

#include "fake_cluster.h"
#include "fake_group_broker.h"
#include "protocol/offset_bodies.h"
#include "protocol/running_info.h"

namespace mq::client {
namespace {

constexpr int64_t kLong = 600'000;  // of timers a test does not want

class GroupTest : public ClientTest {
 protected:
  struct Seen {
    std::string topic;
    std::string broker;
    int32_t queue;
    int64_t offset;
    std::string body;
  };
  // One member and what it saw. `acknowledge` false: it prints, but its output is stuck.
  struct Member {
    std::vector<Seen> seen;
    std::vector<std::pair<MessageQueue, protocol::QueueOffset>> pending;
    std::vector<std::string> warnings;
    std::vector<std::string> notes;
    std::set<std::string> given_up;
    std::string error;
    bool acknowledge = true;
    bool all_read = false;
    bool left = false;
    std::unique_ptr<GroupConsumer> consumer;

    std::multiset<std::string> Bodies() const {
      std::multiset<std::string> bodies;
      for (const Seen& one : seen) bodies.insert(one.body);
      return bodies;
    }
    size_t owned(const std::string& topic = "T") const {
      const auto queues = consumer->Owned();
      return static_cast<size_t>(
          std::count_if(queues.begin(), queues.end(), [&](const MessageQueue& queue) { return queue.topic == topic; }));
    }
    void Flush() {
      for (const auto& [queue, next] : std::exchange(pending, {})) consumer->Done(queue, next);
    }
  };

  void SetUp() override {
    ClientTest::SetUp();
    names_.Add("T", one_, 4);
  }

  GroupConsumerOptions Options() {
    GroupConsumerOptions options;
    options.pull.name_servers = {names_.address};
    options.group = "G";
    options.topics = {"T"};
    options.rebalance_ms = kLong;
    options.commit_ms = kLong;
    options.settle_ms = 30;
    options.release_ms = kLong;
    return options;
  }

  std::unique_ptr<Member> Make(GroupConsumerOptions options) {
    auto member = std::make_unique<Member>();
    Member* m = member.get();
    GroupConsumerHandler handler;
    handler.on_messages = [m](const MessageQueue& queue, std::span<const PulledMessage> messages) {
      for (const PulledMessage& message : messages) {
        m->seen.push_back({std::string(message.record.topic), queue.broker_name, queue.queue_id,
                           message.record.queue_offset.value(), std::string(message.body)});
      }
      return true;
    };
    handler.on_progress = [m](const MessageQueue& queue, protocol::QueueOffset next) {
      if (m->acknowledge) return m->consumer->Done(queue, next);
      m->pending.emplace_back(queue, next);
    };
    handler.on_all_read = [m] { m->all_read = true; };
    handler.on_queue_error = [m](const MessageQueue& queue, const Error& /*error*/) {
      m->given_up.insert(queue.broker_name + " " + std::to_string(queue.queue_id));
    };
    handler.on_error = [m](const Error& error) { m->error = error.what; };
    handler.on_notice = [m](std::string_view text, bool important) {
      (important ? m->warnings : m->notes).emplace_back(text);
    };
    m->consumer = std::make_unique<GroupConsumer>(loop_, std::move(options), std::move(handler));
    return member;
  }
  std::unique_ptr<Member> Join(GroupConsumerOptions options) {
    auto member = Make(std::move(options));
    member->consumer->Join();
    return member;
  }
  std::unique_ptr<Member> Join() { return Join(Options()); }

  void Leave(Member& member) {
    member.consumer->Leave([&] { member.left = true; });
    RunUntil([&] { return member.left; });
    member.consumer->Close();
  }

  void Fill(FakeGroupBroker& broker, int queues, int messages, const std::string& prefix = "") {
    for (int i = 0; i < messages; ++i) {
      broker.Push("T", i % queues, prefix + std::to_string(i));
    }
  }

  FakeGroupBroker one_{loop_, "broker-a"};
};

TEST_F(GroupTest, CO_02_CN_08_OneMemberReadsEverythingCommitsItAndSaysGoodBye) {
  Fill(one_, 4, 40);
  auto member = Join();
  RunUntil([&] { return member->seen.size() == 40; });
  EXPECT_EQ(one_.Ids(), std::vector<std::string>{member->consumer->client_id()});
  Leave(*member);
  for (int32_t queue = 0; queue < 4; ++queue) EXPECT_EQ(one_.Stored("T", queue), 10);
  EXPECT_EQ(one_.unregistered, 1);
  EXPECT_TRUE(one_.members.empty());
  EXPECT_TRUE(member->warnings.empty());
}

TEST_F(GroupTest, Bug_131_OnlyWhatIsDoneIsCommitted) {
  Fill(one_, 1, 9);
  auto member = Join();
  member->acknowledge = false;
  RunUntil([&] { return member->seen.size() == 9; });
  member->consumer->Done({"T", "broker-a", 0}, protocol::QueueOffset(4));
  member->consumer->Done({"T", "broker-a", 0}, protocol::QueueOffset(2));   // never back
  member->consumer->Done({"T", "broker-a", 0}, protocol::QueueOffset(77));  // was never handed over
  Leave(*member);
  EXPECT_EQ(one_.Stored("T", 0), 4);
}

TEST_F(GroupTest, CN_06_OffsetsGoEveryPeriodOnlyWhenTheyMovedAndOneWay) {
  GroupConsumerOptions options = Options();
  options.commit_ms = 20;
  Fill(one_, 4, 4);
  auto member = Join(options);
  RunUntil([&] { return one_.Stored("T", 0) == 1 && one_.Stored("T", 3) == 1; });
  const size_t commits = one_.commits.size();
  one_.Push("T", 2, "more");
  RunUntil([&] { return one_.Stored("T", 2) == 2; });
  EXPECT_EQ(one_.commits.size(), commits + 1);
  for (const auto& commit : one_.commits) EXPECT_NE(commit.how, FakeGroupBroker::How::kTwoWay);
}

TEST_F(GroupTest, CN_07_APullCarriesTheOffset) {
  Fill(one_, 1, 9);
  auto member = Join();
  const auto with_pull = [](const FakeGroupBroker::Commit& commit) {
    return commit.how == FakeGroupBroker::How::kPull && commit.offset > 0;
  };
  RunUntil([&] { return std::any_of(one_.commits.begin(), one_.commits.end(), with_pull); });
}

TEST_F(GroupTest, AckNoneCommitsNothing) {
  GroupConsumerOptions options = Options();
  options.commit = false;
  options.commit_ms = 10;
  Fill(one_, 4, 40);
  auto member = Join(options);
  RunUntil([&] { return member->seen.size() == 40; });
  Leave(*member);
  EXPECT_TRUE(one_.commits.empty());
  EXPECT_EQ(one_.unregistered, 1);
}

TEST_F(GroupTest, RB_04_CO_02_AJoinAndALeaveMoveQueuesAndDeliverNothingTwice) {
  Fill(one_, 4, 40, "a");
  auto first = Join();
  RunUntil([&] { return first->seen.size() == 40; });
  auto second = Join();
  RunUntil([&] { return first->owned() == 2 && second->owned() == 2; });
  Fill(one_, 4, 40, "b");
  RunUntil([&] { return first->seen.size() + second->seen.size() >= 80; });
  EXPECT_EQ(second->seen.size(), 20u);
  Leave(*second);
  RunUntil([&] { return first->owned() == 4; });
  Fill(one_, 4, 40, "c");
  RunUntil([&] { return first->seen.size() >= 100; });
  std::multiset<std::string> all = first->Bodies();
  all.merge(second->Bodies());
  EXPECT_EQ(all.size(), 120u);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 120u);
}

TEST_F(GroupTest, AKilledMembersQueuesAreTakenOverAndOnlyTheUncommittedComeAgain) {
  auto first = Join();
  auto second = Join();
  RunUntil([&] { return first->owned() == 2 && second->owned() == 2; });
  RunUntil([&] { return one_.held.size() == 4; });
  second->acknowledge = false;
  Fill(one_, 4, 40);
  RunUntil([&] { return first->seen.size() + second->seen.size() == 40; });
  const MessageQueue half = second->consumer->Owned().front();
  second->consumer->Done(half, protocol::QueueOffset(5));
  one_.Store({"T", half.queue_id}, 5, FakeGroupBroker::How::kOneway);  // as its next commit would
  second->consumer->Close();
  RunUntil([&] { return first->seen.size() == 20 + 20 - 5; });
  EXPECT_EQ(first->owned(), 4u);
}

TEST_F(GroupTest, Bug_102_AQueueIsGivenAwayAfterWhatWasReadIsDoneAndNeverCommittedLater) {
  Fill(one_, 4, 40);
  auto first = Join();
  first->acknowledge = false;
  RunUntil([&] { return first->seen.size() == 40; });
  GroupConsumerOptions patient = Options();
  patient.settle_ms = 200;
  auto second = Join(patient);
  RunUntil([&] { return first->owned() == 2; });
  first->Flush();  // its output got through
  RunUntil([&] { return second->owned() == 2 && one_.held.size() >= 2; });
  RunUntil([&] {
    return std::count_if(one_.offsets.begin(), one_.offsets.end(), [](const auto& o) { return o.second == 10; }) >= 2;
  });
  EXPECT_TRUE(second->seen.empty());
  // What comes later about a queue that is no longer ours changes nothing.
  const size_t commits = one_.commits.size();
  for (const MessageQueue& queue : second->consumer->Owned()) {
    first->consumer->Done(queue, protocol::QueueOffset(1));
  }
  Leave(*first);
  for (size_t i = commits; i < one_.commits.size(); ++i) {
    for (const MessageQueue& queue : second->consumer->Owned()) {
      if (queue.queue_id == one_.commits[i].place.second) {
        EXPECT_EQ(one_.commits[i].offset, 10);
      }
    }
  }
}

TEST_F(GroupTest, AStuckMemberGivesItsQueuesAwayAllTheSame) {
  GroupConsumerOptions options = Options();
  options.release_ms = 50;
  Fill(one_, 4, 40);
  auto first = Join(options);
  first->acknowledge = false;
  RunUntil([&] { return first->seen.size() == 40; });
  auto second = Join();
  RunUntil([&] { return second->seen.size() == 20 && first->warnings.size() == 2; });
  EXPECT_NE(first->warnings.front().find("may come again"), std::string::npos);
}

TEST_F(GroupTest, Bug_88_WhereAGroupBegins) {
  Fill(one_, 4, 40);
  GroupConsumerOptions options = Options();
  options.from = OffsetQuestion::Max();
  auto member = Join(options);
  RunUntil([&] { return one_.held.size() == 4; });
  // The beginning is the group's from now on, although nothing was read.
  RunUntil([&] { return one_.Stored("T", 3) == 10; });
  one_.Push("T", 1, "new");
  RunUntil([&] { return member->seen.size() == 1; });
  EXPECT_EQ(member->seen.front().body, "new");
  Leave(*member);

  one_.offsets.clear();
  options.from = OffsetQuestion::AtTime(1);
  auto by_time = Join(options);
  RunUntil([&] { return by_time->seen.size() == 33; });  // the search answers 2
  Leave(*by_time);
}

TEST_F(GroupTest, APlaceThatABrokerCannotTellYetIsAskedForAgain) {
  Fill(one_, 4, 40);
  GroupConsumerOptions options = Options();
  options.from = OffsetQuestion::AtTime(1);
  options.to_end = true;
  one_.busy_searches = 6;
  auto member = Join(options);
  RunUntil([&] { return member->all_read; });
  EXPECT_EQ(member->seen.size(), 32u);
  EXPECT_TRUE(member->given_up.empty());
  Leave(*member);

  one_.offsets.clear();
  options.to_end = false;
  options.pull.timeout_ms = 100;
  one_.unanswered_searches = 4;
  auto other = Join(options);
  RunUntil([&] { return other->seen.size() == 32; });
  Leave(*other);
  for (const Seen& one : other->seen) EXPECT_GE(one.offset, 2);
  for (const auto& commit : one_.commits) EXPECT_GE(commit.offset, commit.place.first == "T" ? 2 : 0);
}

TEST_F(GroupTest, QueuesThatWereKnownBeforeTheMemberJoinedAreNotYoung) {
  Fill(one_, 4, 40);
  GroupConsumerOptions options = Options();
  options.from = OffsetQuestion::AtTime(1);
  auto member = Make(options);
  bool found = false;
  member->consumer->questions().FindQueues("T", [&](const auto& queues) { found = queues.has_value(); });
  RunUntil([&] { return found; });
  names_.routes.clear();  // a name server that has been started anew
  member->consumer->Join();
  RunUntil([&] { return member->seen.size() >= 32 && one_.held.size() == 4; });
  EXPECT_EQ(member->seen.size(), 32u);
  Leave(*member);
}

TEST_F(GroupTest, Bug_88_AnOffsetBeyondTheEndDoesNotBecomeTheGroups) {
  Fill(one_, 4, 40);
  GroupConsumerOptions options = Options();
  options.from_offset = 9999;
  auto member = Join(options);
  RunUntil([&] { return one_.Stored("T", 0) == 10 && one_.Stored("T", 3) == 10 && !member->warnings.empty(); });
  EXPECT_EQ(member->warnings, std::vector<std::string>{NoQueueReaches(9999, 10)});
  for (const auto& commit : one_.commits) EXPECT_LE(commit.offset, 10);
  one_.Push("T", 1, "new");
  RunUntil([&] { return member->seen.size() == 1; });
  Leave(*member);

  // One queue reaches it: then it was meant.
  one_.offsets.clear();
  for (int i = 0; i < 5; ++i) one_.Push("T", 2, "more");
  options.from_offset = 13;
  auto other = Join(options);
  RunUntil([&] { return other->seen.size() == 2; });
  RunUntil([&] { return one_.Stored("T", 0) == 10; });
  EXPECT_TRUE(other->warnings.empty());
  Leave(*other);
}

TEST_F(GroupTest, AFrozenBrokersQueuesAreGivenUpAtTheEndAndTheOthersRead) {
  FakeGroupBroker two(loop_, "broker-b");
  names_.Add("T", two, 2);
  Fill(one_, 4, 40);
  two.frozen = true;
  GroupConsumerOptions options = Options();
  options.to_end = true;
  options.pull.timeout_ms = 200;
  auto member = Join(options);
  RunUntil([&] { return member->all_read; });
  EXPECT_EQ(member->seen.size(), 40u);
  EXPECT_EQ(member->given_up, (std::set<std::string>{"broker-b 0", "broker-b 1"}));
  EXPECT_TRUE(member->error.empty());
  Leave(*member);
}

TEST_F(GroupTest, Bug_88_AQueueThatAppearsLaterIsReadFromItsStart) {
  GroupConsumerOptions options = Options();
  options.from = OffsetQuestion::Max();
  options.rebalance_ms = 50;
  Fill(one_, 4, 4);
  auto member = Join(options);
  RunUntil([&] { return one_.held.size() == 4; });
  one_.Push("T", 4, "first of a new queue");
  names_.routes["T"].queues.front().read_queues = 5;
  RunUntil([&] { return !member->seen.empty(); });
  EXPECT_EQ(member->seen.front().body, "first of a new queue");
}

TEST_F(GroupTest, CO_12_MessagesThatWereHandedBackComeUnderTheirFirstTopic) {
  names_.Add("%RETRY%G", one_, 1);
  one_.Push("%RETRY%G", 0, "again", "RETRY_TOPIC\x01T\x02TAGS\x01x");
  one_.Push("%RETRY%G", 0, "bare");
  GroupConsumerOptions options = Options();
  options.pull.tags = "y";  // the retry topic is read whole
  auto member = Join(options);
  RunUntil([&] { return member->seen.size() == 2; });
  EXPECT_EQ(member->seen[0].topic, "T");
  EXPECT_EQ(member->seen[1].topic, "%RETRY%G");
  EXPECT_EQ(one_.subscriptions["%RETRY%G"].sub_string, "*");
  EXPECT_EQ(one_.subscriptions["T"].sub_string, "y");
}

TEST_F(GroupTest, ReadsToTheEndThatWasAndTellsOnce) {
  Fill(one_, 3, 30);  // queue 3 is empty
  GroupConsumerOptions options = Options();
  options.to_end = true;
  auto member = Join(options);
  RunUntil([&] { return member->all_read; });
  EXPECT_EQ(member->seen.size(), 30u);
}

TEST_F(GroupTest, Bug_82_AnotherFilterInTheGroupIsToldOnce) {
  auto first = Join();
  RunUntil([&] { return first->owned() == 4; });
  GroupConsumerOptions options = Options();
  options.pull.tags = "a";
  options.rebalance_ms = 20;
  auto second = Join(options);
  RunUntil([&] { return !second->warnings.empty(); });
  RunUntil([&] { return one_.id_questions > 20; });
  ASSERT_EQ(second->warnings.size(), 1u);
  EXPECT_NE(second->warnings.front().find("with tags '*', this one with 'a'"), std::string::npos);
  // The one that was there first hears of it too, from the notification that the members have changed.
  RunUntil([&] { return !first->warnings.empty(); });
  ASSERT_EQ(first->warnings.size(), 1u);
  EXPECT_NE(first->warnings.front().find("with tags 'a', this one with '*'"), std::string::npos);
}

TEST_F(GroupTest, RB_18_TheIdsComeFromAnotherBrokerWhenTheFirstIsGone) {
  FakeGroupBroker two(loop_, "broker-b");
  names_.Add("T", two, 4);
  one_.server.Close();
  Fill(two, 4, 40);
  auto member = Join();
  RunUntil([&] { return member->seen.size() == 40; });
  EXPECT_GT(two.id_questions, 0);
}

TEST_F(GroupTest, Bug_90_ABrokerThatComesBackIsTakenUpAgain) {
  const std::string address = one_.address;
  auto broker = std::make_unique<FakeGroupBroker>(loop_, "broker-b");
  names_.routes.clear();
  names_.Add("T", *broker, 2);
  Fill(*broker, 2, 10);
  auto member = Join();
  RunUntil([&] { return member->seen.size() == 10; });
  RunUntil([&] { return broker->held.size() == 2; });
  const std::string at = broker->address;
  broker->server.Close();
  broker.reset();
  RunUntil([&] { return !member->warnings.empty(); });
  // It lost the offsets of the last seconds, as a killed broker does.
  FakeGroupBroker again(loop_, "broker-b", at);
  Fill(again, 2, 10);
  again.Push("T", 1, "after");
  RunUntil([&] { return member->seen.size() == 11; });
  EXPECT_EQ(member->seen.back().body, "after");
  RunUntil([&] { return again.Ids().size() == 1; });
  Leave(*member);
  EXPECT_EQ(again.Stored("T", 0), 5);
  EXPECT_EQ(again.Stored("T", 1), 6);
}

TEST_F(GroupTest, Bug_91_ABrokerUnderAnotherAddressIsFoundAtTheNextRound) {
  GroupConsumerOptions options = Options();
  options.rebalance_ms = 50;
  Fill(one_, 4, 8);
  auto member = Join(options);
  RunUntil([&] { return member->seen.size() == 8 && one_.held.size() == 4; });
  FakeGroupBroker moved(loop_, "broker-a");
  moved.queues = one_.queues;
  moved.offsets = one_.offsets;
  one_.frozen = true;  // a black hole: nothing there answers, nothing there closes
  names_.routes.clear();
  names_.Add("T", moved, 4);
  moved.Push("T", 0, "moved");
  RunUntil([&] { return member->seen.size() >= 9; });
  EXPECT_EQ(member->seen.back().body, "moved");
}

TEST_F(GroupTest, RB_02_WithoutNotificationsTheTimerFindsTheOthers) {
  one_.notify = false;
  GroupConsumerOptions options = Options();
  options.rebalance_ms = 50;
  auto first = Join(options);
  auto second = Join(options);
  RunUntil([&] { return first->owned() == 2 && second->owned() == 2; });
}

TEST_F(GroupTest, CO_07_MoreMembersThanQueuesLeaveOneIdle) {
  std::vector<std::unique_ptr<Member>> members;
  for (int i = 0; i < 5; ++i) members.push_back(Join());
  RunUntil([&] {
    std::multiset<size_t> owned;
    for (const auto& member : members) owned.insert(member->owned());
    return owned == std::multiset<size_t>{0, 1, 1, 1, 1};
  });
}

TEST_F(GroupTest, AnOffsetBeyondTheQueueIsCorrectedTwoWay) {
  Fill(one_, 1, 3);
  one_.offsets[{"T", 0}] = 1000;
  names_.routes.clear();
  names_.Add("T", one_, 1);
  auto member = Join();
  RunUntil([&] { return one_.Stored("T", 0) == 3; });
  EXPECT_EQ(one_.commits.back().how, FakeGroupBroker::How::kTwoWay);
  one_.Push("T", 0, "next");
  RunUntil([&] { return !member->seen.empty(); });
  EXPECT_EQ(member->seen.front().body, "next");
  EXPECT_EQ(member->warnings.size(), 1u);
}

TEST_F(GroupTest, AResetMovesAMemberAndIsCommittedTwoWay) {
  Fill(one_, 1, 9);
  auto member = Join();
  RunUntil([&] { return member->seen.size() == 9 && one_.Stored("T", 0) >= 6; });
  protocol::Command reset(protocol::RequestCode::kResetConsumerClientOffset);
  reset.Set("topic", "T").Set("group", "G").Set("timestamp", int64_t{1}).Set("isForce", "false");
  reset.body = protocol::EncodeResetOffset({{{"T", "broker-a", 0}, 2}}, protocol::ResetForm::kMap);
  one_.members.front().channel.lock()->SendOneway(reset);
  RunUntil([&] { return member->seen.size() == 9 + 7; });
  EXPECT_EQ(member->seen[9].offset, 2);
  const auto corrected = [](const FakeGroupBroker::Commit& commit) {
    return commit.how == FakeGroupBroker::How::kTwoWay && commit.offset == 2;
  };
  EXPECT_EQ(std::count_if(one_.commits.begin(), one_.commits.end(), corrected), 1);
}

TEST_F(GroupTest, AMemberAnswersWhatABrokerAsks) {
  Fill(one_, 4, 40);
  auto member = Join();
  RunUntil([&] { return member->seen.size() == 40; });
  const auto channel = one_.members.front().channel.lock();
  protocol::Command status(protocol::RequestCode::kGetConsumerStatusFromClient);
  status.Set("topic", "T").Set("group", "G");
  int64_t place = -1;
  channel->Call(status, 3000, [&](const remoting::CallResult& result) {
    ASSERT_TRUE(result.ok());
    place = protocol::DecodeConsumerStatus(result.reply->body)->queues.at({"T", "broker-a", 3});
  });
  protocol::Command running(protocol::RequestCode::kGetConsumerRunningInfo);
  running.Set("clientId", member->consumer->client_id()).Set("consumerGroup", "G");
  size_t queues = 0;
  channel->Call(running, 3000, [&](const remoting::CallResult& result) {
    ASSERT_TRUE(result.ok());
    queues = protocol::DecodeRunningInfo(result.reply->body)->queues.size();
  });
  RunUntil([&] { return place == 10 && queues == 4; });
}

}  // namespace
}  // namespace mq::client
