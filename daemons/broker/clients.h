// Clients: who is connected, by the heartbeats (34) of producers and consumers.
//
// A member of a group is a connection. It leaves by UNREGISTER_CLIENT (35), when its connection closes, or after 120 s
// of silence (its connection is then closed). The subscriptions of a group are those of its newest heartbeat; pulls
// without a subscription of their own are filtered by them. Memory only. Loop thread only. Spec: protocol 7.1.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/strings.h"
#include "broker/core.h"
#include "protocol/heartbeat.h"
#include "protocol/subscription.h"
#include "remoting/channel.h"

namespace mq::broker {

struct Member {
  remoting::ChannelHandle channel;
  std::string client_id;
  std::string language;
  int32_t version = 0;
  int64_t last_heartbeat_ms = 0;  // monotonic
};

struct ConsumerGroup {
  std::map<uint64_t, Member> members;  // by channel id
  std::map<std::string, protocol::SubscriptionData, std::less<>> subscriptions;
  protocol::ConsumeType consume_type = protocol::ConsumeType::kPassively;
  protocol::MessageModel message_model = protocol::MessageModel::kClustering;
  protocol::ConsumeFromWhere consume_from_where = protocol::ConsumeFromWhere::kLastOffset;
};

struct ProducerGroup {
  std::map<uint64_t, Member> members;
};

class Clients {
 public:
  static constexpr int64_t kSilenceMs = 120000;

  explicit Clients(Core& core) : core_(core) {}

  void ProcessHeartbeat(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessUnregister(remoting::Channel& channel, const protocol::CommandView& request);
  void OnClosed(const remoting::Channel& channel);
  // Closes members that have been silent for too long; every 10 s.
  void Scan(int64_t now_ms);

  const ConsumerGroup* FindConsumers(std::string_view group) const;
  size_t producer_groups() const { return producers_.size(); }
  size_t consumer_groups() const { return consumers_.size(); }

 private:
  template <class Group>
  using Table = std::unordered_map<std::string, Group, StringHash, std::equal_to<>>;
  template <class Group>
  static void Remove(Table<Group>& table, uint64_t channel_id);
  template <class Group>
  static void ScanTable(Table<Group>& table, int64_t now_ms);

  Core& core_;
  Table<ProducerGroup> producers_;
  Table<ConsumerGroup> consumers_;
};

}  // namespace mq::broker
