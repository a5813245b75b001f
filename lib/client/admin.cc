#include "client/admin.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/check.h"

namespace mq::client {
namespace {

// Runs the loop until the started question has its answer.
template <class T, class Start>
Result<T> Await(loop::Loop& loop, Start start) {
  std::optional<Result<T>> answer;
  start([&](Result<T> result) {
    answer.emplace(std::move(result));
    loop.Stop();
  });
  if (!answer) loop.Run();
  MQ_CHECK(answer.has_value(), "a question without an answer");
  return std::move(*answer);
}

}  // namespace

Admin::Admin(loop::Loop& loop, Endpoints endpoints, int64_t timeout_ms)
    : loop_(loop), timeout_ms_(timeout_ms), client_(loop), routes_(loop, client_, std::move(endpoints)) {}

Result<protocol::ClusterInfo> Admin::Cluster() {
  const std::string& broker = endpoints().broker;
  if (!broker.empty()) {
    protocol::ClusterInfo info;
    info.brokers[broker] = {{}, broker, {{protocol::kMasterId, broker}}};
    info.clusters[""] = {broker};
    return info;
  }
  return Await<protocol::ClusterInfo>(loop_, [&](auto done) { routes_.Cluster(timeout_ms_, done); });
}

Result<TopicRoute> Admin::Route(std::string_view topic) {
  return Await<TopicRoute>(loop_, [&](auto done) { routes_.Find(topic, timeout_ms_, done); });
}

Result<TopicRoute> Admin::RouteForPublish(std::string_view topic) {
  return Await<TopicRoute>(loop_, [&](auto done) { routes_.FindForPublish(topic, timeout_ms_, done); });
}

Result<std::vector<std::string>> Admin::Topics() {
  return Await<std::vector<std::string>>(loop_, [&](auto done) { routes_.Topics(timeout_ms_, done); });
}

Result<protocol::Command> Admin::Ask(const std::string& address, protocol::Command command) {
  return std::move(AskAll({address}, command).front());
}

std::vector<Result<protocol::Command>> Admin::AskAll(const std::vector<std::string>& addresses,
                                                     const protocol::Command& command) {
  std::vector<std::optional<Result<protocol::Command>>> answers(addresses.size());
  size_t missing = addresses.size();
  for (size_t i = 0; i < addresses.size(); ++i) {
    client_.Call(addresses[i], command, timeout_ms_, [&, i](const remoting::CallResult& result) {
      if (result.ok()) {
        answers[i].emplace(protocol::CopyCommand(*result.reply));
      } else {
        answers[i].emplace(result.ToError());
      }
      if (--missing == 0) loop_.Stop();
    });
  }
  if (missing > 0) loop_.Run();
  std::vector<Result<protocol::Command>> out;
  out.reserve(answers.size());
  for (auto& answer : answers) {
    MQ_CHECK(answer.has_value(), "a question without an answer");
    out.push_back(std::move(*answer));
  }
  return out;
}

void Admin::Sleep(int64_t ms) {
  loop::Timer timer(loop_, [this] { loop_.Stop(); });
  timer.Start(ms);
  loop_.Run();
}

std::vector<BrokerAddress> BrokersOf(const protocol::ClusterInfo& info) {
  std::vector<BrokerAddress> brokers;
  for (const auto& [name, broker] : info.brokers) {
    for (const auto& [id, address] : broker.addresses) brokers.push_back({broker.cluster, name, id, address});
  }
  std::sort(brokers.begin(), brokers.end(), [](const BrokerAddress& a, const BrokerAddress& b) {
    return std::tie(a.cluster, a.name, a.id) < std::tie(b.cluster, b.name, b.id);
  });
  return brokers;
}

}  // namespace mq::client
