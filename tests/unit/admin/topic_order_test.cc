// The value of ORDER_TOPIC_CONFIG: what it says about other brokers stays.
#include "admin/topic_order.h"

#include <gtest/gtest.h>

namespace mq::admin {
namespace {

protocol::TopicConfig Ordered(int32_t queues, bool order) {
  protocol::TopicConfig config;
  config.write_queues = queues;
  config.order = order;
  return config;
}

TEST(TopicOrderTest, BrokersAreSetReplacedAndTakenOut) {
  EXPECT_EQ(OrderText("", {{"a", Ordered(4, true)}, {"b", Ordered(8, true)}}), "a:4;b:8");
  EXPECT_EQ(OrderText("a:4;c:2", {{"a", Ordered(6, true)}}), "a:6;c:2");
  EXPECT_EQ(OrderText("a:4;c:2", {{"a", Ordered(4, false)}}), "c:2");
  EXPECT_EQ(OrderText("a:4", {{"a", Ordered(4, false)}}), "");
}

}  // namespace
}  // namespace mq::admin
