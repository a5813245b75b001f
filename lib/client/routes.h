// Where topics live: asks name servers (or one broker that was named) and turns routes into queues. Used by the
// producer, the pull consumer and admin calls; keeps nothing, its callers do. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/message.h"
#include "client/name_servers.h"
#include "protocol/route.h"

namespace mq::client {

// What RocketMQ's producers clamp the queue count of a topic to that does not exist yet.
inline constexpr int32_t kNewTopicQueues = 4;

struct TopicRoute {
  protocol::TopicRouteData data;
  bool exists = true;  // false: made up from the template topic; the first send creates the topic

  // Queues to send to: writable, on brokers with a master. Sorted by broker name and queue id.
  std::vector<MessageQueue> PublishQueues(std::string_view topic) const;
  // Queues to read: readable ones of every broker that has any address. Sorted.
  std::vector<MessageQueue> SubscribeQueues(std::string_view topic) const;
  // Why there is no queue to send to (kPermWrite) or to read (kPermRead): kPermission where no broker allows it.
  Error NoQueue(std::string_view topic, int32_t wanted) const;
  // Address to send to (the master); empty when there is none.
  std::string MasterOf(std::string_view broker_name) const;
  // Address to read from: the master, else any.
  std::string AnyOf(std::string_view broker_name) const;
};

struct Endpoints {
  std::vector<std::string> name_servers;
  std::string broker;  // not empty: the only broker, and no name server is asked
};

// From the texts of --namesrv and --broker, which wins. The error is a usage error and names the option.
Result<Endpoints> ParseEndpoints(std::string_view name_servers, std::string_view broker);

class Routes {
 public:
  using RouteCallback = std::function<void(Result<TopicRoute>)>;

  Routes(loop::Loop& loop, remoting::Client& client, Endpoints endpoints);

  // kNotFound, with a hint, when nobody knows the topic; kUnreachable when nobody answers, or when the name
  // servers know no broker at all (one that just started does not know yet).
  void Find(std::string_view topic, int64_t timeout_ms, RouteCallback done);
  // For sending: a topic nobody knows gets the queues of the template topic where brokers create topics by
  // themselves. kRefused when they do not.
  void FindForPublish(std::string_view topic, int64_t timeout_ms, RouteCallback done);
  void Cluster(int64_t timeout_ms, std::function<void(Result<protocol::ClusterInfo>)> done);
  void Topics(int64_t timeout_ms, std::function<void(Result<std::vector<std::string>>)> done);

  const Endpoints& endpoints() const { return endpoints_; }

 private:
  void AskBroker(int64_t timeout_ms, std::function<void(Result<protocol::Command>)> done);
  void FindAtBroker(std::string topic, int64_t timeout_ms, bool publish, RouteCallback done);
  void FindTemplate(std::string topic, int64_t timeout_ms, RouteCallback done);
  void ExplainMissing(std::string topic, int64_t timeout_ms, ErrorCode code, RouteCallback done);

  remoting::Client& client_;
  Endpoints endpoints_;
  NameServers name_servers_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // answers that come later look whether we are
};

// Says that a topic does not exist, with the hint how to make it.
Error NoSuchTopic(ErrorCode code, std::string_view topic);

}  // namespace mq::client
