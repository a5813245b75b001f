#include "store/recent_ring.h"

#include <gtest/gtest.h>

namespace mq::store {
namespace {

RecentEntry At(int64_t position) { return {PhysicalOffset(position), 0, 100}; }

TEST(RecentRingTest, HoldsTheNewestContiguousRun) {
  RingBudget budget(1 << 20);
  RecentRing ring;
  EXPECT_FALSE(ring.Covers(QueueOffset(0)));
  for (int64_t i = 5; i < 20000; ++i) ring.Push(QueueOffset(i), At(i * 100), budget);
  EXPECT_EQ(ring.end(), QueueOffset(20000));
  EXPECT_EQ(ring.begin(), QueueOffset(20000 - static_cast<int64_t>(RecentRing::kMaxEntries)));
  for (QueueOffset o = ring.begin(); o < ring.end(); ++o) ASSERT_EQ(ring[o].physical_offset.value(), o.value() * 100);
}

TEST(RecentRingTest, StartsAgainAfterAGap) {
  RingBudget budget(1 << 20);
  RecentRing ring;
  ring.Push(QueueOffset(0), At(0), budget);
  ring.Push(QueueOffset(7), At(700), budget);
  EXPECT_FALSE(ring.Covers(QueueOffset(0)));
  EXPECT_TRUE(ring.Covers(QueueOffset(7)));
  EXPECT_EQ(ring.begin(), QueueOffset(7));
}

TEST(RecentRingTest, StaysSmallWhenTheBudgetIsSpent) {
  RingBudget budget(RecentRing::kFirstEntries + 8);
  RecentRing ring;
  for (int64_t i = 0; i < 100; ++i) ring.Push(QueueOffset(i), At(i), budget);
  EXPECT_EQ(ring.end() - ring.begin(), static_cast<int64_t>(RecentRing::kFirstEntries));
  RecentRing second;
  second.Push(QueueOffset(3), At(3), budget);
  EXPECT_TRUE(second.Covers(QueueOffset(3))) << "the first entries of a ring are never refused";
  // They were not taken from the budget, and are not given back to it.
  second.Clear(budget);
  EXPECT_TRUE(budget.Take(8));
  EXPECT_FALSE(budget.Take(1));
}

}  // namespace
}  // namespace mq::store
