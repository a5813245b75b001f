// Refusals before the store: what waited too long in its turn, and what may not be held any more.
#include <poll.h>

#include "broker/pull_hold.h"
#include "broker_fixture.h"

namespace mq::broker::testing {
namespace {

using protocol::RequestCode;
using protocol::ResponseCode;

int32_t Code(ResponseCode code) { return static_cast<int32_t>(code); }

// Posts a function when the turn ends: in the next turn it runs between what was written before and after.
struct PostAtTurnEnd : loop::TurnEndHook {
  PostAtTurnEnd(loop::Loop& l, std::function<void()> f) : loop(l), function(std::move(f)) {}
  ~PostAtTurnEnd() override { loop.CancelTurnEnd(this); }
  void OnTurnEnd() override { loop.Post(function); }
  loop::Loop& loop;
  std::function<void()> function;
};

class OverloadTest : public BrokerFixture {
 protected:
  void SetUp() override {
    Start();
    for (auto* client : {&one_, &two_}) {
      bool connected = false;
      client->Connect(address, [&](const auto& channel, std::string_view) { connected = channel != nullptr; });
      RunUntil([&] { return connected; });
    }
    RawClient admin = Connect();
    ASSERT_EQ(admin.Ask(MakeTopic("T", 1)).code, 0);
    ASSERT_EQ(admin.Ask(Send("T", 0, "first")).code, 0);
  }
  void Call(remoting::Client& client, protocol::Command command, protocol::Command* reply) {
    client.Call(address, std::move(command), 10000, [this, reply](const remoting::CallResult& result) {
      ASSERT_EQ(result.outcome, remoting::CallOutcome::kReply) << result.error;
      *reply = protocol::CopyCommand(*result.reply);
      ++replies_;
    });
  }
  // Both calls arrive in one turn, and something that takes 80 ms happens between them.
  void CallAroundASlowStep(protocol::Command before, protocol::Command after) {
    replies_ = 0;
    PostAtTurnEnd slow(loop, [] { ::poll(nullptr, 0, 80); });
    Call(one_, std::move(before), &before_);
    loop.AtTurnEnd(&slow);
    Call(two_, std::move(after), &after_);
    RunUntil([&] { return replies_ == 2; });
  }
  int64_t Stored() {
    RawClient client = Connect();
    protocol::Command ask(RequestCode::kGetMaxOffset);
    return OffsetOf(client.Ask(ask.Set("topic", "T").Set("queueId", "0")));
  }

  remoting::Client one_{loop};
  remoting::Client two_{loop};
  protocol::Command before_;
  protocol::Command after_;
  int replies_ = 0;
};

class FastFailureTest : public OverloadTest {
 protected:
  FastFailureTest() {
    options.fast_failure = true;
    options.wait_send_ms = 40;
  }
};

TEST_F(FastFailureTest, ASendThatWaitedTooLongInItsTurnIsRefusedAndNotStored) {
  CallAroundASlowStep(Send("T", 0, "in time"), Send("T", 0, "late"));
  EXPECT_EQ(before_.code, 0);
  EXPECT_EQ(after_.code, Code(ResponseCode::kSystemBusy));
  EXPECT_NE(after_.remark.find("[TIMEOUT_CLEAN_QUEUE]broker busy"), std::string::npos) << after_.remark;
  EXPECT_NE(after_.remark.find("period in queue: "), std::string::npos);
  EXPECT_EQ(Stored(), 2);
  // The next turn is a new one.
  RawClient client = Connect();
  EXPECT_EQ(client.Ask(Send("T", 0, "again")).code, 0);
}

TEST_F(FastFailureTest, PullsAndHeartbeatsMayWaitLonger) {
  CallAroundASlowStep(Send("T", 0, "in time"), Heartbeat("c1", "G", "T"));
  EXPECT_EQ(after_.code, 0);
}

class HeartbeatFailureTest : public OverloadTest {
 protected:
  HeartbeatFailureTest() {
    options.fast_failure = true;
    options.wait_send_ms = 5000;
    options.wait_heartbeat_ms = 40;
  }
};

TEST_F(HeartbeatFailureTest, AHeartbeatHasALimitOfItsOwn) {
  CallAroundASlowStep(Send("T", 0, "in time"), Heartbeat("c1", "G", "T"));
  EXPECT_EQ(after_.code, Code(ResponseCode::kSystemBusy));
}

TEST_F(OverloadTest, WithoutFastFailureASendIsLateAndStored) {
  CallAroundASlowStep(Send("T", 0, "in time"), Send("T", 0, "late"));
  EXPECT_EQ(after_.code, 0);
  EXPECT_EQ(Stored(), 3);
}

class PageCacheTest : public OverloadTest {
 protected:
  PageCacheTest() { options.page_cache_busy_ms = 40; }
};

TEST_F(PageCacheTest, AStepThatTookTooLongRefusesWhatCameMeanwhileAlsoWithoutFastFailure) {
  CallAroundASlowStep(Send("T", 0, "slow"), Send("T", 0, "meanwhile"));
  EXPECT_EQ(before_.code, 0);
  EXPECT_EQ(after_.code, Code(ResponseCode::kSystemBusy));
  EXPECT_EQ(Stored(), 2);
}

TEST(PullHoldTest, HeldPullsAreBoundedInBytes) {
  loop::Loop loop;
  store::QueueTable table;
  Queues queues(table, false, [](Queue&) {});
  PullHold hold(loop, [](HeldPull&, bool) { return true; });
  Queue& queue = queues.GetOrCreate("T", 0);
  size_t parked = 0;
  for (;; ++parked) {
    auto pull = std::make_unique<HeldPull>();
    pull->queue = &queue;
    pull->group = std::string(1 << 20, 'g');
    if (!hold.Park(std::move(pull))) break;
    ASSERT_LT(parked, 100u);
  }
  EXPECT_EQ(hold.held(), parked);
  EXPECT_LE(hold.held_bytes(), bounds::kMaxHeldPullBytes);
  EXPECT_GT(hold.held_bytes(), bounds::kMaxHeldPullBytes - (2 << 20));
  hold.AnswerAll();
  EXPECT_EQ(hold.held_bytes(), 0u);
}

TEST(PullHoldTest, HeldPullsAreBoundedInNumber) {
  loop::Loop loop;
  store::QueueTable table;
  Queues queues(table, false, [](Queue&) {});
  PullHold hold(loop, [](HeldPull&, bool) { return true; });
  Queue& queue = queues.GetOrCreate("T", 0);
  size_t parked = 0;
  for (; parked <= bounds::kMaxHeldPulls; ++parked) {
    auto pull = std::make_unique<HeldPull>();
    pull->queue = &queue;
    if (!hold.Park(std::move(pull))) break;
  }
  EXPECT_EQ(parked, bounds::kMaxHeldPulls);
  hold.AnswerAll();
}

}  // namespace
}  // namespace mq::broker::testing
