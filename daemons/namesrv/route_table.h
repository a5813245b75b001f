// What the name server knows: topics -> queues, broker names -> addresses, clusters, and which brokers live.
// All in memory; brokers tell it again within seconds of a start. Fed by processor.h; no I/O, no clock of its
// own. Loop thread only. See mq-namesrv(8), section 6 of the protocol.
//
// Rules beyond RocketMQ's:
//  - An address has one identity: registering it under another broker name or id retires the old one.
//  - Unregistering removes only what the leaving broker itself holds: an id that meanwhile belongs to another
//    address, or an address that meanwhile has another name, stays.
//  - A complete registration of a master removes its queues of topics that it no longer names. Complete is
//    what a 4.x broker sends when its body names the topic called like the broker itself, which every broker's
//    full table does and no registration of a single topic; brokers of version 5 and newer may send their table
//    in parts and are never taken for complete.
//  - A broker that is drained stays drained whatever it registers, until it is undrained or gone; the permissions it
//    registered meanwhile are then the ones it has.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/admin_headers.h"
#include "protocol/register_broker.h"
#include "protocol/route.h"

namespace mq::namesrv {

inline constexpr int64_t kBrokerExpiryMs = 120'000;
inline constexpr int64_t kScanPeriodMs = 10'000;

struct Registration {
  std::string broker_name;
  std::string address;
  std::string cluster;
  std::string ha_address;
  int64_t broker_id = 0;
  int32_t version = 0;      // of the broker's protocol
  uint64_t connection = 0;  // of the channel it came over
  protocol::RegisterBrokerBody body;
};

struct RegistrationAnswer {
  std::string master_address;  // for a slave whose master lives
  std::string ha_address;
  bool first = false;     // new here
  std::string displaced;  // the address that had this name and id until now, when its broker still lives
};

class RouteTable {
 public:
  RegistrationAnswer Register(Registration registration, int64_t now_ms);
  // False when nothing of that identity was held.
  bool Unregister(std::string_view broker_name, std::string_view address, int64_t broker_id);

  // The version held for that broker; nothing when it is unknown. An equal one refreshes its time.
  std::optional<protocol::DataVersion> QueryDataVersion(std::string_view broker_name, std::string_view address,
                                                        const protocol::DataVersion& version, int64_t now_ms);

  // Nothing without at least one queue and one live broker.
  std::optional<protocol::TopicRouteData> Route(std::string_view topic) const;
  protocol::ClusterInfo Cluster() const;
  std::vector<std::string> Topics() const;
  // Drops a topic, everywhere or in one cluster only (empty: everywhere).
  void DeleteTopic(std::string_view topic, std::string_view cluster);

  // Takes from clients the right to write to that broker, or gives it back. The number of topics it has.
  int32_t Drain(std::string_view broker_name, bool drained);
  // Topics with a queue on a broker of that cluster; none of an unknown cluster.
  std::vector<std::string> TopicsOfCluster(std::string_view cluster) const;
  // Topics whose system flags have all bits of `set` and none of `clear`.
  std::vector<std::string> TopicsByFlag(int32_t set, int32_t clear) const;
  // Names of clusters and brokers, which are topics too, and the address of one live broker ("" without any).
  std::vector<std::string> SystemTopics() const;
  std::string AnyBrokerAddress() const;

  // Addresses that registered last over that connection: they are gone with it.
  std::vector<std::string> ConnectionClosed(uint64_t connection);
  struct Expired {
    std::string address;
    uint64_t connection = 0;
  };
  // Brokers not heard of for the expiry time; removed.
  std::vector<Expired> Expire(int64_t now_ms, int64_t expiry_ms = kBrokerExpiryMs);

  size_t live_brokers() const { return live_.size(); }

 private:
  struct Live {
    std::string broker_name;
    int64_t broker_id = 0;
    int64_t last_update_ms = 0;
    protocol::DataVersion version;
    uint64_t connection = 0;
    std::string ha_address;
  };

  void RetireOtherIdentities(const Registration& registration);
  void UpsertTopics(const Registration& registration);
  void DropMissingTopics(const Registration& registration);
  void RemoveAddress(std::string_view broker_name, std::string_view address);
  void RemoveBroker(std::string_view broker_name);
  void Purge(const std::string& address);

  std::map<std::string, std::map<std::string, protocol::QueueData>, std::less<>> topics_;  // topic -> broker name
  std::map<std::string, protocol::BrokerData, std::less<>> brokers_;
  std::map<std::string, Live, std::less<>> live_;  // by address
  std::map<std::string, std::vector<std::string>, std::less<>> filter_servers_;
  std::set<std::string, std::less<>> drained_;  // broker names
};

}  // namespace mq::namesrv
