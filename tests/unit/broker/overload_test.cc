// Refusals before the store: what waited too long in its turn, and what may not be held any more.
#include <poll.h>

#include "broker/append_gate.h"
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

TEST(AppendGateTest, HeldSendsAreBoundedInBytesAndThoseHeldKeepTheirPlace) {
  loop::Loop loop;
  const BrokerOptions options;
  Core core(loop, options);
  const auto channel = std::make_shared<remoting::Channel>(loop, nullptr, remoting::ChannelOptions{});
  AppendGate* self = nullptr;
  bool may_go = false;
  int handled = 0;
  int refused = 0;
  AppendGate gate(
      core,
      [&](remoting::Channel& from, const protocol::CommandView& request) {
        ++handled;
        if (!may_go && !self->Hold(from, request, HeldFor::kFile)) ++refused;
      },
      [&](remoting::Channel&, const protocol::CommandView&, ResponseCode, const std::string&) { ++refused; });
  self = &gate;
  constexpr size_t kBody = size_t{4} << 20;
  std::string frame;
  protocol::EncodeCommand(Send("T", 0, std::string(kBody, 'b')), frame);
  protocol::CommandView request;
  ASSERT_TRUE(protocol::DecodeCommand(frame, request));
  size_t held = 0;
  for (; gate.Hold(*channel, request, HeldFor::kFile); ++held) ASSERT_LT(held, 100u);
  EXPECT_EQ(gate.held(), held);
  EXPECT_EQ(held, bounds::kMaxHeldSendBytes / kBody - 1) << "frames are a little larger than their bodies";
  // Looked at in vain: at the bound too the first one is held again, not refused.
  gate.Release();
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(gate.held(), held);
  may_go = true;
  gate.Release();
  EXPECT_EQ(gate.held(), 0u);
  EXPECT_TRUE(gate.Hold(*channel, request, HeldFor::kFile)) << "what went is not counted any more";
}

TEST(QueuesTest, RecentEntriesOfAllQueuesTogetherAreBounded) {
  store::QueueTable table;
  Queues queues(table, false, [](Queue&) {});
  size_t kept = 0;
  constexpr int kQueues = 100;
  for (int id = 0; id < kQueues; ++id) {
    Queue& queue = queues.GetOrCreate("T", id);
    for (int64_t i = 0; i < 10000; ++i) {
      queues.PushRecent(queue, store::QueueOffset(i), {store::PhysicalOffset(i), 0, 100});
    }
    const auto entries = static_cast<size_t>(queue.ring.end() - queue.ring.begin());
    EXPECT_GE(entries, store::RecentRing::kFirstEntries);
    kept += entries;
  }
  EXPECT_LE(kept, bounds::kRingEntries + kQueues * store::RecentRing::kFirstEntries);
  EXPECT_GT(kept, bounds::kRingEntries / 2) << "what may be used is used";
  // What a deleted topic gives back is what it had taken.
  queues.ResetTopic("T", 1);
  Queue& other = queues.GetOrCreate("U", 0);
  for (int64_t i = 0; i < 10000; ++i) {
    queues.PushRecent(other, store::QueueOffset(i), {store::PhysicalOffset(i), 0, 100});
  }
  EXPECT_EQ(other.ring.end() - other.ring.begin(), static_cast<int64_t>(store::RecentRing::kMaxEntries));
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
