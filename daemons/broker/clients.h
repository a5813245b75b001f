// Clients: who is connected, by the heartbeats (34) of producers and consumers.
//
// A member of a group is a connection. It leaves by UNREGISTER_CLIENT (35), when its connection closes, or after 120 s
// of silence (its connection is then closed). The subscriptions of a group are those of its newest heartbeat; pulls
// without a subscription of their own are filtered by them. When members or topics of a group change, every member is
// told (40) at the end of the loop turn, however much has changed in it, unless the group or the broker is set not to.
// Memory only. Loop thread only. Spec: protocol 7.1.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/log.h"
#include "base/strings.h"
#include "broker/core.h"
#include "protocol/heartbeat.h"
#include "protocol/subscription.h"
#include "remoting/channel.h"

namespace mq::broker {

struct Member {
  remoting::ChannelHandle channel;
  std::string client_id;
  std::string address;   // of the connection
  std::string language;  // as it was sent, known or not
  int32_t version = 0;
  int64_t last_heartbeat_ms = 0;         // monotonic
  int64_t last_heartbeat_timestamp = 0;  // of the clock
  // What this consumer itself wants, by topic: its subscription as text. A group's filters are those of one heartbeat,
  // so members that differ take messages from each other.
  std::map<std::string, std::string, std::less<>> wants;
};

using Members = std::map<uint64_t, Member>;  // by channel id

struct ConsumerGroup {
  Members members;
  std::map<std::string, protocol::SubscriptionData, std::less<>> subscriptions;
  protocol::ConsumeType consume_type = protocol::ConsumeType::kPassively;
  protocol::MessageModel message_model = protocol::MessageModel::kClustering;
  protocol::ConsumeFromWhere consume_from_where = protocol::ConsumeFromWhere::kLastOffset;
};

struct ProducerGroup {
  Members members;
};

class Clients : public loop::TurnEndHook {
 public:
  static constexpr int64_t kSilenceMs = 120000;
  // Consumers in one heartbeat; each may make a group and a topic. A process has a handful.
  static constexpr size_t kMaxConsumers = 1024;

  explicit Clients(Core& core) : core_(core) {}
  ~Clients() override;

  void ProcessHeartbeat(remoting::Channel& channel, const protocol::CommandView& request);
  void ProcessUnregister(remoting::Channel& channel, const protocol::CommandView& request);
  void OnClosed(const remoting::Channel& channel);
  // Closes members that have been silent for too long; every 10 s.
  void Scan(int64_t now_ms);

  template <class Group>
  using Table = std::unordered_map<std::string, Group, StringHash, std::equal_to<>>;
  const ConsumerGroup* FindConsumers(std::string_view group) const;
  const ProducerGroup* FindProducers(std::string_view group) const;
  const Table<ConsumerGroup>& consumers() const { return consumers_; }
  const Table<ProducerGroup>& producers() const { return producers_; }

  void OnTurnEnd() override;

 private:
  void Join(const Member& member, uint64_t channel_id, protocol::ConsumerData& consumer);
  void FlagDifferentWants(std::string_view name, const ConsumerGroup& group, uint64_t channel_id);
  void LeaveConsumers(Table<ConsumerGroup>::iterator& group, uint64_t channel_id);
  void NotifyLater(std::string_view group);
  template <class Group>
  static void ScanTable(Table<Group>& table, int64_t now_ms);

  Core& core_;
  Table<ProducerGroup> producers_;
  Table<ConsumerGroup> consumers_;
  std::set<std::string, std::less<>> changed_;  // groups whose members are told at the end of this turn
  log::RateLimit difference_lines_{6};
};

}  // namespace mq::broker
