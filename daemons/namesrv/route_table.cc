#include "namesrv/route_table.h"

#include <algorithm>

#include "protocol/codes.h"
#include "protocol/names.h"

namespace mq::namesrv {
namespace {

constexpr int32_t kVersionFiveZero = 413;

bool IsComplete(const Registration& registration) {
  return registration.version < kVersionFiveZero && registration.body.topics.topics.contains(registration.broker_name);
}

}  // namespace

RegistrationAnswer RouteTable::Register(Registration registration, int64_t now_ms) {
  RegistrationAnswer answer;
  RetireOtherIdentities(registration);

  auto [entry, new_name] = brokers_.try_emplace(registration.broker_name);
  protocol::BrokerData& broker = entry->second;
  broker.broker_name = registration.broker_name;
  broker.cluster = registration.cluster;
  const auto known = live_.find(registration.address);
  const bool new_id = !broker.addresses.contains(registration.broker_id);
  answer.first = new_name || new_id || known == live_.end();
  std::string& address = broker.addresses[registration.broker_id];
  if (!address.empty() && address != registration.address && live_.contains(address)) answer.displaced = address;
  address = registration.address;

  if (registration.broker_id == protocol::kMasterId) {
    const bool changed = answer.first || !(known->second.version == registration.body.topics.data_version);
    if (changed) UpsertTopics(registration);
    if (IsComplete(registration)) DropMissingTopics(registration);
  }

  Live& live = live_[registration.address];
  live.broker_name = registration.broker_name;
  live.broker_id = registration.broker_id;
  live.last_update_ms = now_ms;
  live.version = registration.body.topics.data_version;
  live.connection = registration.connection;
  live.ha_address = registration.ha_address;

  if (registration.body.filter_servers.empty()) {
    filter_servers_.erase(registration.address);
  } else {
    filter_servers_[registration.address] = registration.body.filter_servers;
  }

  if (registration.broker_id != protocol::kMasterId) {
    const std::string_view master = broker.master();
    const auto found = live_.find(master);
    if (found != live_.end()) {
      answer.master_address = master;
      answer.ha_address = found->second.ha_address;
    }
  }
  return answer;
}

void RouteTable::RetireOtherIdentities(const Registration& registration) {
  std::vector<std::string> other_names;
  for (auto& [name, broker] : brokers_) {
    for (auto it = broker.addresses.begin(); it != broker.addresses.end();) {
      const bool same_address = it->second == registration.address;
      if (same_address && name == registration.broker_name && it->first != registration.broker_id) {
        it = broker.addresses.erase(it);  // master became slave, or the other way round
      } else {
        if (same_address && name != registration.broker_name) other_names.push_back(name);
        ++it;
      }
    }
  }
  for (const std::string& name : other_names) {
    RemoveAddress(name, registration.address);
    live_.erase(registration.address);
  }
}

void RouteTable::UpsertTopics(const Registration& registration) {
  for (const auto& [name, config] : registration.body.topics.topics) {
    protocol::QueueData& queue = topics_[name][registration.broker_name];
    queue.broker_name = registration.broker_name;
    queue.read_queues = config.read_queues;
    queue.write_queues = config.write_queues;
    queue.perm = config.perm;
    queue.topic_sys_flag = config.sys_flag;
  }
}

void RouteTable::DropMissingTopics(const Registration& registration) {
  for (auto it = topics_.begin(); it != topics_.end();) {
    if (!registration.body.topics.topics.contains(it->first)) it->second.erase(registration.broker_name);
    it = it->second.empty() ? topics_.erase(it) : std::next(it);
  }
}

bool RouteTable::Unregister(std::string_view broker_name, std::string_view address, int64_t broker_id) {
  const auto live = live_.find(address);
  bool removed = false;
  if (live != live_.end() && live->second.broker_name == broker_name) {
    live_.erase(live);
    const auto servers = filter_servers_.find(address);
    if (servers != filter_servers_.end()) filter_servers_.erase(servers);
    removed = true;
  }
  const auto broker = brokers_.find(broker_name);
  if (broker == brokers_.end()) return removed;
  const auto held = broker->second.addresses.find(broker_id);
  if (held == broker->second.addresses.end() || held->second != address) return removed;
  RemoveAddress(broker_name, address);
  return true;
}

void RouteTable::RemoveAddress(std::string_view broker_name, std::string_view address) {
  const auto broker = brokers_.find(broker_name);
  if (broker == brokers_.end()) return;
  std::erase_if(broker->second.addresses, [address](const auto& held) { return held.second == address; });
  if (broker->second.addresses.empty()) RemoveBroker(broker_name);
}

void RouteTable::RemoveBroker(std::string_view broker_name) {
  const std::string name(broker_name);  // may be a view of what is erased
  if (const auto broker = brokers_.find(name); broker != brokers_.end()) brokers_.erase(broker);
  drained_.erase(name);
  for (auto it = topics_.begin(); it != topics_.end();) {
    it->second.erase(name);
    it = it->second.empty() ? topics_.erase(it) : std::next(it);
  }
}

void RouteTable::Purge(const std::string& address) {
  live_.erase(address);
  filter_servers_.erase(address);
  std::vector<std::string> names;
  for (const auto& [name, broker] : brokers_) {
    const auto& held = broker.addresses;
    if (std::any_of(held.begin(), held.end(), [&](const auto& one) { return one.second == address; })) {
      names.push_back(name);
    }
  }
  for (const std::string& name : names) RemoveAddress(name, address);
}

std::vector<std::string> RouteTable::ConnectionClosed(uint64_t connection) {
  std::vector<std::string> gone;
  for (const auto& [address, live] : live_) {
    if (live.connection == connection) gone.push_back(address);
  }
  for (const std::string& address : gone) Purge(address);
  return gone;
}

std::vector<RouteTable::Expired> RouteTable::Expire(int64_t now_ms, int64_t expiry_ms) {
  std::vector<Expired> gone;
  for (const auto& [address, live] : live_) {
    if (live.last_update_ms + expiry_ms < now_ms) gone.push_back({address, live.connection});
  }
  for (const Expired& expired : gone) Purge(expired.address);
  return gone;
}

std::optional<protocol::DataVersion> RouteTable::QueryDataVersion(std::string_view broker_name,
                                                                  std::string_view address,
                                                                  const protocol::DataVersion& version,
                                                                  int64_t now_ms) {
  const auto live = live_.find(address);
  if (live == live_.end() || live->second.broker_name != broker_name) return std::nullopt;
  if (live->second.version == version) live->second.last_update_ms = now_ms;
  return live->second.version;
}

std::optional<protocol::TopicRouteData> RouteTable::Route(std::string_view topic) const {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return std::nullopt;
  protocol::TopicRouteData route;
  for (const auto& [name, queue] : found->second) {
    route.queues.push_back(queue);
    if (drained_.contains(name)) route.queues.back().perm &= ~protocol::kPermWrite;
    const auto broker = brokers_.find(name);
    if (broker == brokers_.end()) continue;
    route.brokers.push_back(broker->second);
    for (const auto& [id, address] : broker->second.addresses) {
      const auto servers = filter_servers_.find(address);
      if (servers != filter_servers_.end()) route.filter_servers[address] = servers->second;
    }
  }
  if (route.queues.empty() || route.brokers.empty()) return std::nullopt;
  return route;
}

protocol::ClusterInfo RouteTable::Cluster() const {
  protocol::ClusterInfo info;
  for (const auto& [name, broker] : brokers_) {
    info.brokers[name] = broker;
    info.clusters[broker.cluster].push_back(name);
  }
  return info;
}

std::vector<std::string> RouteTable::Topics() const {
  std::vector<std::string> names;
  names.reserve(topics_.size());
  for (const auto& [name, queues] : topics_) names.push_back(name);
  return names;
}

int32_t RouteTable::Drain(std::string_view broker_name, bool drained) {
  if (!brokers_.contains(broker_name)) return 0;
  if (drained) {
    drained_.emplace(broker_name);
  } else if (const auto found = drained_.find(broker_name); found != drained_.end()) {
    drained_.erase(found);
  }
  const std::string name(broker_name);
  return static_cast<int32_t>(
      std::count_if(topics_.begin(), topics_.end(), [&](const auto& topic) { return topic.second.contains(name); }));
}

std::vector<std::string> RouteTable::TopicsOfCluster(std::string_view cluster) const {
  const auto in_cluster = [&](const auto& queue) {
    const auto broker = brokers_.find(queue.first);
    return broker != brokers_.end() && broker->second.cluster == cluster;
  };
  std::vector<std::string> names;
  for (const auto& [name, queues] : topics_) {
    if (std::any_of(queues.begin(), queues.end(), in_cluster)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> RouteTable::TopicsByFlag(int32_t set, int32_t clear) const {
  std::vector<std::string> names;
  for (const auto& [name, queues] : topics_) {
    // As RocketMQ: the flags of one queue stand for the topic's.
    const int32_t flags = queues.empty() ? 0 : queues.begin()->second.topic_sys_flag;
    if ((flags & set) == set && (flags & clear) == 0) names.push_back(name);
  }
  return names;
}

std::vector<std::string> RouteTable::SystemTopics() const {
  std::set<std::string> names;
  for (const auto& [name, broker] : brokers_) {
    names.insert(name);
    names.insert(broker.cluster);
  }
  return {names.begin(), names.end()};
}

std::string RouteTable::AnyBrokerAddress() const { return live_.empty() ? std::string() : live_.begin()->first; }

void RouteTable::DeleteTopic(std::string_view topic, std::string_view cluster) {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return;
  if (!cluster.empty()) {
    std::erase_if(found->second, [&](const auto& entry) {
      const auto broker = brokers_.find(entry.first);
      return broker != brokers_.end() && broker->second.cluster == cluster;
    });
    if (!found->second.empty()) return;
  }
  topics_.erase(found);
}

}  // namespace mq::namesrv
