#include "client/routes.h"

#include <algorithm>
#include <utility>

#include "loop/address.h"
#include "protocol/lists.h"
#include "protocol/topic_config.h"

namespace mq::client {
namespace {

using protocol::Command;
using protocol::RequestCode;

Command RouteRequest(std::string_view topic) {
  Command command(RequestCode::kGetRouteinfoByTopic);
  command.Set("topic", std::string(topic));
  return command;
}

bool IsMissing(const Command& reply) {
  return reply.code == static_cast<int32_t>(protocol::ResponseCode::kTopicNotExist);
}

void ClampForNewTopic(TopicRoute& route) {
  route.exists = false;
  for (protocol::QueueData& queue : route.data.queues) {
    const int32_t queues = std::min(kNewTopicQueues, queue.read_queues);
    queue.read_queues = queue.write_queues = queues;
  }
}

}  // namespace

Error NoSuchTopic(ErrorCode code, std::string_view topic) {
  return MakeError(code, "no such topic: " + std::string(topic))
      .WithHint("create it with: mq-admin topic create " + std::string(topic));
}

std::vector<MessageQueue> TopicRoute::PublishQueues(std::string_view topic) const {
  std::vector<MessageQueue> queues;
  for (const protocol::QueueData& queue : data.queues) {
    if ((queue.perm & protocol::kPermWrite) == 0 || MasterOf(queue.broker_name).empty()) continue;
    for (int32_t id = 0; id < queue.write_queues; ++id) {
      queues.push_back({std::string(topic), queue.broker_name, id});
    }
  }
  std::sort(queues.begin(), queues.end());
  return queues;
}

std::vector<MessageQueue> TopicRoute::SubscribeQueues(std::string_view topic) const {
  std::vector<MessageQueue> queues;
  for (const protocol::QueueData& queue : data.queues) {
    if ((queue.perm & protocol::kPermRead) == 0 || AnyOf(queue.broker_name).empty()) continue;
    for (int32_t id = 0; id < queue.read_queues; ++id) {
      queues.push_back({std::string(topic), queue.broker_name, id});
    }
  }
  std::sort(queues.begin(), queues.end());
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  return queues;
}

Error TopicRoute::NoQueue(std::string_view topic, int32_t wanted) const {
  const bool write = wanted == protocol::kPermWrite;
  const bool allowed = std::any_of(data.queues.begin(), data.queues.end(),
                                   [wanted](const auto& queue) { return (queue.perm & wanted) != 0; });
  const std::string name = "topic " + std::string(topic);
  if (!data.queues.empty() && !allowed) {
    return MakeError(ErrorCode::kPermission, name + (write ? " may not be written to" : " may not be read") +
                                                 ": no broker's permission for it allows that");
  }
  return MakeError(ErrorCode::kUnreachable,
                   name + " has no " + (write ? "writable queue with a live master" : "readable queue"));
}

std::string TopicRoute::MasterOf(std::string_view broker_name) const {
  const protocol::BrokerData* broker = data.FindBroker(broker_name);
  return broker == nullptr ? std::string() : std::string(broker->master());
}

std::string TopicRoute::AnyOf(std::string_view broker_name) const {
  const protocol::BrokerData* broker = data.FindBroker(broker_name);
  if (broker == nullptr || broker->addresses.empty()) return {};
  return broker->addresses.begin()->second;  // id 0 comes first
}

Result<Endpoints> ParseEndpoints(std::string_view name_servers, std::string_view broker) {
  Endpoints endpoints;
  Status checked;
  if (!broker.empty()) {
    endpoints.broker = broker;
    const Result<loop::Address> address = loop::Address::Parse(broker);
    if (!address) checked = Status(address.error()).WithContext("--broker");
  } else {
    Result<std::vector<std::string>> addresses = ParseNameServers(name_servers);
    if (!addresses) checked = Status(addresses.error()).WithContext("--namesrv");
    if (addresses) endpoints.name_servers = std::move(*addresses);
  }
  if (checked) return endpoints;
  checked.error().code = ErrorCode::kConfig;
  return checked.error();
}

Routes::Routes(loop::Loop& loop, remoting::Client& client, Endpoints endpoints)
    : client_(client), endpoints_(std::move(endpoints)), name_servers_(loop, client, endpoints_.name_servers) {}

void Routes::Find(std::string_view topic, int64_t timeout_ms, RouteCallback done) {
  if (!endpoints_.broker.empty()) return FindAtBroker(std::string(topic), timeout_ms, false, std::move(done));
  name_servers_.Ask(RouteRequest(topic), timeout_ms,
                    [this, topic = std::string(topic), timeout_ms, done = std::move(done)](Result<Command> reply) {
                      if (!reply) return done(reply.error());
                      if (IsMissing(*reply)) return ExplainMissing(topic, timeout_ms, ErrorCode::kNotFound, done);
                      Result<protocol::TopicRouteData> data = protocol::DecodeTopicRoute(reply->body);
                      if (!data) return done(std::move(data).WithContext("route of " + topic).error());
                      done(TopicRoute{std::move(*data), true});
                    });
}

void Routes::FindForPublish(std::string_view topic, int64_t timeout_ms, RouteCallback done) {
  if (!endpoints_.broker.empty()) return FindAtBroker(std::string(topic), timeout_ms, true, std::move(done));
  Find(topic, timeout_ms,
       [this, topic = std::string(topic), timeout_ms, done = std::move(done)](Result<TopicRoute> route) {
         if (route || route.error().code != ErrorCode::kNotFound) return done(std::move(route));
         FindTemplate(topic, timeout_ms, done);
       });
}

void Routes::FindTemplate(std::string topic, int64_t timeout_ms, RouteCallback done) {
  name_servers_.Ask(RouteRequest(protocol::kAutoCreateTopic), timeout_ms,
                    [topic = std::move(topic), done = std::move(done)](Result<Command> reply) {
                      if (!reply) return done(reply.error());
                      if (IsMissing(*reply)) return done(NoSuchTopic(ErrorCode::kRefused, topic));
                      Result<protocol::TopicRouteData> data = protocol::DecodeTopicRoute(reply->body);
                      if (!data) return done(data.error());
                      TopicRoute route{std::move(*data), false};
                      ClampForNewTopic(route);
                      done(std::move(route));
                    });
}

// Nobody knows the topic. A name server without any broker has only just started, or its brokers are away: then
// "missing" would be a lie.
void Routes::ExplainMissing(std::string topic, int64_t timeout_ms, ErrorCode code, RouteCallback done) {
  Cluster(timeout_ms,
          [topic = std::move(topic), code, done = std::move(done)](const Result<protocol::ClusterInfo>& info) {
            if (info && info->brokers.empty()) {
              return done(MakeError(ErrorCode::kUnreachable, "no broker is registered at the name server"));
            }
            done(NoSuchTopic(code, topic));
          });
}

void Routes::Cluster(int64_t timeout_ms, std::function<void(Result<protocol::ClusterInfo>)> done) {
  name_servers_.Ask(Command(RequestCode::kGetBrokerClusterInfo), timeout_ms,
                    [done = std::move(done)](Result<Command> reply) {
                      if (!reply) return done(reply.error());
                      done(protocol::DecodeClusterInfo(reply->body));
                    });
}

void Routes::Topics(int64_t timeout_ms, std::function<void(Result<std::vector<std::string>>)> done) {
  if (!endpoints_.broker.empty()) {
    return AskBroker(timeout_ms, [done = std::move(done)](Result<Command> reply) {
      if (!reply) return done(reply.error());
      const auto configs = protocol::DecodeTopicConfigs(reply->body);
      if (!configs) return done(configs.error());
      std::vector<std::string> topics;
      for (const auto& [name, config] : configs->topics) topics.push_back(name);
      done(std::move(topics));
    });
  }
  name_servers_.Ask(Command(RequestCode::kGetAllTopicListFromNameserver), timeout_ms,
                    [done = std::move(done)](Result<Command> reply) {
                      if (!reply) return done(reply.error());
                      Result<protocol::TopicList> list = protocol::DecodeTopicList(reply->body);
                      if (!list) return done(list.error());
                      done(std::move(list->topics));
                    });
}

void Routes::AskBroker(int64_t timeout_ms, std::function<void(Result<Command>)> done) {
  client_.Call(endpoints_.broker, Command(RequestCode::kGetAllTopicConfig), timeout_ms,
               [alive = std::weak_ptr(alive_), done = std::move(done)](const remoting::CallResult& result) {
                 if (alive.expired()) return;
                 if (!result.ok()) return done(result.ToError());
                 done(protocol::CopyCommand(*result.reply));
               });
}

// A single broker tells its topics itself; its address stands for its name.
void Routes::FindAtBroker(std::string topic, int64_t timeout_ms, bool publish, RouteCallback done) {
  AskBroker(timeout_ms, [this, topic = std::move(topic), publish, done = std::move(done)](Result<Command> reply) {
    if (!reply) return done(reply.error());
    const auto configs = protocol::DecodeTopicConfigs(reply->body);
    if (!configs) return done(configs.error());
    const auto own = configs->topics.find(topic);
    const auto fallback = configs->topics.find(protocol::kAutoCreateTopic);
    const bool exists = own != configs->topics.end();
    if (!exists && (!publish || fallback == configs->topics.end())) {
      return done(NoSuchTopic(publish ? ErrorCode::kRefused : ErrorCode::kNotFound, topic));
    }
    const protocol::TopicConfig& config = exists ? own->second : fallback->second;
    TopicRoute route;
    const std::string& name = endpoints_.broker;
    route.data.queues.push_back({name, config.read_queues, config.write_queues, config.perm, config.sys_flag});
    route.data.brokers.push_back({{}, name, {{protocol::kMasterId, name}}});
    if (!exists) ClampForNewTopic(route);
    done(std::move(route));
  });
}

}  // namespace mq::client
