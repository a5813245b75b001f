// Coroutines over the loop: order, answers at once and later, and flows that are dropped while they wait.
#include "loop/task.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"

namespace mq::loop {
namespace {

using Done = Await<int>::Done;

struct Flows {
  std::vector<int> seen;
  Done pending;

  Task<int> Double(int value) {
    Await<int> answer([this](Done done) { pending = std::move(done); });
    const int got = co_await answer;
    co_return got * 2 + value;
  }
  Task<void> Outer() {
    seen.push_back(1);
    Task<int> inner = Double(10);
    seen.push_back(co_await inner);
    Await<int> at_once([](const Done& done) { done(7); });
    seen.push_back(co_await at_once);
  }
  Task<void> Holds(std::shared_ptr<int> held) {
    Await<int> answer([this](Done done) { pending = std::move(done); });
    seen.push_back(co_await answer + *held);
  }
};

TEST(TaskTest, GoesOnWhereItWaitedAndHandsValuesUp) {
  Flows flows;
  Task<void> task = flows.Outer();
  EXPECT_TRUE(flows.seen.empty());
  task.Start();
  EXPECT_EQ(flows.seen, std::vector<int>{1});
  EXPECT_TRUE(task.running());
  flows.pending(16);
  EXPECT_EQ(flows.seen, (std::vector<int>{1, 42, 7}));
  EXPECT_FALSE(task.running());
}

TEST(TaskTest, OnlyTheFirstAnswerCounts) {
  Flows flows;
  Task<void> task = flows.Outer();
  task.Start();
  const Done answer = flows.pending;
  answer(1);
  answer(2);
  EXPECT_EQ(flows.seen, (std::vector<int>{1, 12, 7}));
}

TEST(TaskTest, ADroppedFlowFreesItsLocalsAndALateAnswerFindsNobody) {
  Flows flows;
  auto held = std::make_shared<int>(1);
  Task<void> task = flows.Holds(held);
  task.Start();
  EXPECT_EQ(held.use_count(), 2);
  task.Reset();
  EXPECT_EQ(held.use_count(), 1);
  flows.pending(5);
  EXPECT_TRUE(flows.seen.empty());
}

TEST(TaskTest, WaitsForTheLoop) {
  Loop loop;
  std::vector<int> seen;
  const auto flow = [&]() -> Task<void> {
    for (int i = 0; i < 3; ++i) {
      Await<int> next([&loop, i](const Done& done) { loop.Post([done, i] { done(i); }); });
      seen.push_back(co_await next);
    }
    loop.Stop();
  };
  Task<void> task = flow();
  task.Start();
  loop.Run();
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace mq::loop
