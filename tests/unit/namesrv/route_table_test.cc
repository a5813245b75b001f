// The name server's table: registration, leave, loss, expiry, and the disputes between old and new identities.
#include "namesrv/route_table.h"

#include <gtest/gtest.h>

namespace mq::namesrv {
namespace {

Registration Broker(std::string name, std::string address, std::vector<std::string> topics, int64_t counter = 1) {
  Registration registration;
  registration.broker_name = std::move(name);
  registration.address = std::move(address);
  registration.cluster = "C";
  registration.ha_address = "ha-of-" + registration.address;
  registration.version = 409;
  registration.connection = 1;
  registration.body.topics.data_version = {1700000000000, counter};
  for (const std::string& topic : topics) {
    protocol::TopicConfig config;
    config.name = topic;
    config.read_queues = config.write_queues = 4;
    registration.body.topics.topics[topic] = config;
  }
  return registration;
}

TEST(RouteTableTest, RegistersAndAnswersRoutes) {
  RouteTable table;
  EXPECT_FALSE(table.Route("T"));
  EXPECT_TRUE(table.Register(Broker("a", "A:1", {"T", "a"}), 0).first);
  EXPECT_FALSE(table.Register(Broker("a", "A:1", {"T", "a"}), 1).first);
  const auto route = table.Route("T");
  ASSERT_TRUE(route);
  EXPECT_EQ(route->queues.size(), 1u);
  EXPECT_EQ(route->brokers[0].master(), "A:1");
  EXPECT_EQ(table.Topics(), (std::vector<std::string>{"T", "a"}));
  EXPECT_EQ(table.Cluster().clusters.at("C"), (std::vector<std::string>{"a"}));
}

TEST(RouteTableTest, LateLeaveOfTheOldMasterKeepsTheNewOne) {
  RouteTable table;
  table.Register(Broker("X", "P:1", {"T"}), 0);
  Registration successor = Broker("X", "Q:1", {"T"});
  successor.connection = 2;
  table.Register(successor, 0);
  table.Unregister("X", "P:1", 0);
  const auto route = table.Route("T");
  ASSERT_TRUE(route);
  EXPECT_EQ(route->brokers[0].master(), "Q:1");
  EXPECT_EQ(route->brokers[0].addresses.size(), 1u);
  EXPECT_EQ(table.live_brokers(), 1u);
}

TEST(RouteTableTest, ARenamedBrokerLeavesItsOldName) {
  RouteTable table;
  table.Register(Broker("broker-a", "A:1", {"T"}), 0);
  table.Register(Broker("broker-b", "A:1", {"T"}), 0);
  const auto route = table.Route("T");
  ASSERT_TRUE(route);
  ASSERT_EQ(route->brokers.size(), 1u);
  EXPECT_EQ(route->brokers[0].broker_name, "broker-b");
  EXPECT_EQ(table.Cluster().brokers.size(), 1u);
  table.Unregister("broker-a", "A:1", 0);  // the old process's goodbye comes late
  EXPECT_TRUE(table.Route("T"));
  EXPECT_EQ(table.live_brokers(), 1u);
}

TEST(RouteTableTest, ATopicDeletedOnOneBrokerKeepsTheOther) {
  RouteTable table;
  table.Register(Broker("a", "A:1", {"T", "U", "a"}), 0);
  table.Register(Broker("b", "B:1", {"T", "b"}), 0);
  table.Register(Broker("a", "A:1", {"U", "a"}, 2), 0);
  const auto route = table.Route("T");
  ASSERT_TRUE(route);
  ASSERT_EQ(route->queues.size(), 1u);
  EXPECT_EQ(route->queues[0].broker_name, "b");
  table.Register(Broker("b", "B:1", {"b"}, 2), 0);
  EXPECT_FALSE(table.Route("T"));
}

TEST(RouteTableTest, APartialRegistrationRemovesNothing) {
  RouteTable table;
  table.Register(Broker("a", "A:1", {"T", "a"}), 0);
  table.Register(Broker("a", "A:1", {"New"}, 2), 0);  // one topic, as after its creation
  EXPECT_TRUE(table.Route("T"));
  EXPECT_TRUE(table.Route("New"));
  Registration five = Broker("a", "A:1", {"a"}, 3);
  five.version = 479;
  table.Register(five, 0);
  EXPECT_TRUE(table.Route("T"));
}

TEST(RouteTableTest, OnlyItsLastConnectionTakesABrokerAway) {
  RouteTable table;
  table.Register(Broker("a", "A:1", {"T"}), 0);
  Registration again = Broker("a", "A:1", {"T"});
  again.connection = 2;
  table.Register(again, 0);
  EXPECT_TRUE(table.ConnectionClosed(1).empty());
  EXPECT_TRUE(table.Route("T"));
  EXPECT_EQ(table.ConnectionClosed(2), (std::vector<std::string>{"A:1"}));
  EXPECT_FALSE(table.Route("T"));
  EXPECT_TRUE(table.Topics().empty());
  EXPECT_TRUE(table.Cluster().clusters.empty());
}

TEST(RouteTableTest, SilenceExpires) {
  RouteTable table;
  table.Register(Broker("a", "A:1", {"T"}), 1000);
  EXPECT_TRUE(table.Expire(121000).empty());
  const auto version = table.QueryDataVersion("a", "A:1", {1700000000000, 1}, 100000);
  EXPECT_TRUE(version);
  EXPECT_TRUE(table.Expire(121001).empty());  // an equal version refreshed it
  EXPECT_EQ(table.Expire(220001).size(), 1u);
  EXPECT_FALSE(table.Route("T"));
  EXPECT_FALSE(table.QueryDataVersion("a", "A:1", {}, 0));
}

TEST(RouteTableTest, SlavesLearnTheirMasterAndKeepTopicsAlive) {
  RouteTable table;
  Registration slave = Broker("a", "S:1", {"T"});
  slave.broker_id = 1;
  slave.connection = 2;
  EXPECT_EQ(table.Register(slave, 0).master_address, "");
  EXPECT_FALSE(table.Route("T"));  // a slave's topics do not count
  table.Register(Broker("a", "A:1", {"T"}), 0);
  const RegistrationAnswer answer = table.Register(slave, 0);
  EXPECT_EQ(answer.master_address, "A:1");
  EXPECT_EQ(answer.ha_address, "ha-of-A:1");
  table.ConnectionClosed(1);
  const auto route = table.Route("T");
  ASSERT_TRUE(route);  // master gone, slave still answers
  EXPECT_EQ(route->brokers[0].master(), "");
}

TEST(RouteTableTest, RoleChangeAtOneAddress) {
  RouteTable table;
  table.Register(Broker("a", "A:1", {"T"}), 0);
  Registration slave = Broker("a", "A:1", {"T"});
  slave.broker_id = 1;
  table.Register(slave, 0);
  EXPECT_EQ(table.Route("T")->brokers[0].addresses, (std::map<int64_t, std::string>{{1, "A:1"}}));
}

TEST(RouteTableTest, TopicsAreDeletedEverywhereOrInOneCluster) {
  RouteTable table;
  table.Register(Broker("a", "A:1", {"T"}), 0);
  Registration other = Broker("b", "B:1", {"T"});
  other.cluster = "D";
  table.Register(other, 0);
  table.DeleteTopic("T", "C");
  ASSERT_EQ(table.Route("T")->queues.size(), 1u);
  table.DeleteTopic("T", "");
  EXPECT_FALSE(table.Route("T"));
}

}  // namespace
}  // namespace mq::namesrv
