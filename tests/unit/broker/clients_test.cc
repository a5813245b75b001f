// Members that say nothing any more, with a clock of the test's own.
#include "broker/clients.h"

#include "broker_fixture.h"
#include "remoting/server.h"

namespace mq::broker::testing {
namespace {

using protocol::RequestCode;

class ClientsTest : public BrokerFixture {
 protected:
  void SetUp() override {
    core_.topics = std::make_unique<Topics>(loop, std::string(root_) + "/topics.json",
                                            Topics::Identity{"DefaultCluster", "broker-a", true, 8}, queues_);
    core_.groups = std::make_unique<SubscriptionGroups>(loop, std::string(root_) + "/groups.json", options);
    ASSERT_TRUE(core_.topics->Load());
    ASSERT_TRUE(core_.groups->Load());
    auto table = std::make_shared<remoting::ProcessorTable>();
    table->Register(RequestCode::kHeartBeat, [this](remoting::Channel& channel, const protocol::CommandView& request) {
      clients_.ProcessHeartbeat(channel, request);
    });
    server_.SetOnClosed([this](remoting::Channel& channel) { clients_.OnClosed(channel); });
    const auto bound = server_.Listen(*loop::Address::Parse("127.0.0.1:0"), table);
    ASSERT_TRUE(bound);
    address = bound->ToString();
  }

  store::QueueTable table_;
  Queues queues_{table_, false, [](Queue&) {}};
  Core core_{loop, options};
  Clients clients_{core_};
  remoting::Server server_{loop};
};

TEST_F(ClientsTest, AMemberThatIsSilentFor120SecondsIsClosedAndTheOthersAreTold) {
  RawClient silent = Connect();
  RawClient alive = Connect();
  silent.Ask(Heartbeat("silent", "G", "T"));
  alive.Ask(Heartbeat("alive", "G", "T"));
  RunUntil([&] { return alive.Asked(RequestCode::kNotifyConsumerIdsChanged) == 1; });
  const int64_t now = MonotonicMs();
  clients_.Scan(now + Clients::kSilenceMs - 60000);
  ASSERT_EQ(clients_.FindConsumers("G")->members.size(), 2u);
  clients_.Scan(now + Clients::kSilenceMs + 60000);
  EXPECT_EQ(clients_.FindConsumers("G"), nullptr) << "both have said nothing by that clock";
  // Whoever lives connects again with its next heartbeat.
  RawClient back = Connect();
  back.Ask(Heartbeat("alive", "G", "T"));
  ASSERT_NE(clients_.FindConsumers("G"), nullptr);
  EXPECT_EQ(clients_.FindConsumers("G")->members.size(), 1u);
}

TEST_F(ClientsTest, AThousandChangesOfOneTurnAreOneNotice) {
  RawClient client = Connect();
  client.Ask(Heartbeat("c", "G", "T0"));
  RunUntil([&] { return client.Asked(RequestCode::kNotifyConsumerIdsChanged) == 1; });
  protocol::HeartbeatData data;
  data.client_id = "c";
  for (int i = 1; i <= 1000; ++i) {
    protocol::ConsumerData consumer;
    consumer.group = "G";
    consumer.subscriptions.push_back(*protocol::BuildSubscription("T" + std::to_string(i), "*", 1));
    data.consumers.push_back(consumer);
  }
  protocol::Command heartbeat(RequestCode::kHeartBeat);
  heartbeat.body = protocol::EncodeHeartbeat(data);
  client.Ask(heartbeat);
  client.Ask(Heartbeat("c", "G", "T1000"));
  EXPECT_EQ(client.Asked(RequestCode::kNotifyConsumerIdsChanged), 2);
}

}  // namespace
}  // namespace mq::broker::testing
