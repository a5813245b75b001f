// RocketMQ's latency fault table.
#include "client/fault_table.h"

#include <gtest/gtest.h>

#include <set>

namespace mq::client {
namespace {

TEST(FaultTableTest, PR_11_LatencyDecidesForHowLongABrokerIsAvoided) {
  const std::pair<int64_t, int64_t> steps[] = {{0, 0},           {49, 0},           {50, 0},          {549, 0},
                                               {550, 30'000},    {999, 30'000},     {1'000, 60'000},  {2'000, 120'000},
                                               {3'000, 180'000}, {14'999, 180'000}, {15'000, 600'000}};
  for (const auto& [latency, avoid] : steps) EXPECT_EQ(FaultTable::NotAvailableFor(latency), avoid) << latency;
}

TEST(FaultTableTest, PR_12_AFailureIsolatesAndAGoodAnswerFreesAgain) {
  FaultTable table;
  EXPECT_TRUE(table.Available("a", 0));
  EXPECT_EQ(table.Update("a", 3, true, 1'000), 600'000);
  EXPECT_FALSE(table.Available("a", 1'000));
  EXPECT_TRUE(table.Available("a", 601'000));
  EXPECT_EQ(table.Update("a", 3, false, 2'000), 0);
  EXPECT_TRUE(table.Available("a", 2'000));
}

TEST(FaultTableTest, TheLeastBadHalfIsUsedInTurn) {
  FaultTable table;
  const std::vector<std::string> brokers = {"a", "b", "c", "d"};
  EXPECT_EQ(table.LeastBad({}, 0), "");
  table.Update("a", 3'000, false, 0);
  table.Update("b", 600, false, 0);
  table.Update("c", 700, false, 0);
  table.Update("d", 16'000, false, 0);
  std::set<std::string> used;
  for (int i = 0; i < 6; ++i) used.insert(table.LeastBad(brokers, 10));
  EXPECT_EQ(used, (std::set<std::string>{"b", "c"}));
  EXPECT_EQ(table.LeastBad(std::vector<std::string>{"d"}, 10), "d");
}

}  // namespace
}  // namespace mq::client
