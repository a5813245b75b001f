#include "client/admin.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "base/clock.h"
#include "base/strings.h"
#include "protocol/codes.h"

namespace mq::client {
namespace {

// The value of a key in a broker's answer of `key=value` lines; empty when it is not there.
std::string SettingIn(std::string_view body, std::string_view key) {
  for (const std::string_view line : Split(body, '\n')) {
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos && Trim(line.substr(0, equals)) == key) {
      return std::string(Trim(line.substr(equals + 1)));
    }
  }
  return {};
}

std::string CodeText(std::string_view name, int32_t code) {
  return name.empty() ? std::to_string(code) : std::to_string(code) + " " + std::string(name);
}

}  // namespace

template <class T, class Start>
Result<T> Admin::Await(const std::string& what, Start start) {
  const int64_t began = MonotonicMs();
  std::optional<Result<T>> answer;
  start([&](Result<T> result) {
    answer.emplace(std::move(result));
    loop_.Stop();
  });
  if (!answer) loop_.Run();
  MQ_CHECK(answer.has_value(), "a question without an answer");
  if (observer_) {
    const std::string& broker = endpoints().broker;
    const bool answered = answer->has_value() || answer->error().code == ErrorCode::kNotFound;
    observer_({broker.empty() ? JoinStrings(endpoints().name_servers, ";") : broker, what,
               answer->has_value() ? "answered" : answer->error().what, answered, MonotonicMs() - began});
  }
  return std::move(*answer);
}

Admin::Admin(loop::Loop& loop, Endpoints endpoints, int64_t timeout_ms)
    : loop_(loop),
      timeout_ms_(timeout_ms),
      deadline_ms_(MonotonicMs() + timeout_ms),
      client_(loop),
      routes_(loop, client_, std::move(endpoints)) {}

void Admin::Begin(int rounds) {
  deadline_ms_ = MonotonicMs() + timeout_ms_;
  rounds_ = rounds;
}

int64_t Admin::NamesrvShareMs() const { return std::max<int64_t>((deadline_ms_ - MonotonicMs()) / (rounds_ + 1), 1); }

int64_t Admin::TakeRoundMs() {
  const int64_t left = deadline_ms_ - MonotonicMs();
  const int64_t share = left / std::max(rounds_, 1);
  rounds_ = std::max(rounds_ - 1, 0);
  return std::max<int64_t>(share, 1);
}

Result<protocol::ClusterInfo> Admin::Cluster() {
  const std::string& broker = endpoints().broker;
  if (!broker.empty()) {
    const protocol::BrokerData& named = Named();
    protocol::ClusterInfo info;
    info.brokers[named.broker_name] = named;
    info.clusters[named.cluster] = {named.broker_name};
    return info;
  }
  return Await<protocol::ClusterInfo>("all brokers", [&](auto done) { routes_.Cluster(NamesrvShareMs(), done); });
}

Result<TopicRoute> Admin::Route(std::string_view topic) {
  return WithName(Await<TopicRoute>("route of topic " + std::string(topic),
                                    [&](auto done) { routes_.Find(topic, NamesrvShareMs(), done); }));
}

Result<TopicRoute> Admin::RouteForPublish(std::string_view topic) {
  return WithName(Await<TopicRoute>("route of topic " + std::string(topic),
                                    [&](auto done) { routes_.FindForPublish(topic, NamesrvShareMs(), done); }));
}

const protocol::BrokerData& Admin::Named() {
  if (named_) return *named_;
  const std::string& address = endpoints().broker;
  named_ = protocol::BrokerData{{}, address, {{protocol::kMasterId, address}}};
  const int rounds = rounds_++;  // this round is one more than the caller knows of
  const auto reply = Ask(address, protocol::Command(protocol::RequestCode::kGetBrokerConfig));
  rounds_ = rounds;
  if (!reply) return *named_;
  const std::string name = SettingIn(reply->body, "brokerName");
  if (!name.empty()) named_->broker_name = name;
  named_->cluster = SettingIn(reply->body, "brokerClusterName");
  return *named_;
}

// A single broker's route has its address in place of its name.
Result<TopicRoute> Admin::WithName(Result<TopicRoute> route) {
  const std::string& address = endpoints().broker;
  if (!route || address.empty()) return route;
  for (protocol::QueueData& queue : route->data.queues) queue.broker_name = Named().broker_name;
  for (protocol::BrokerData& broker : route->data.brokers) {
    broker.broker_name = Named().broker_name;
    broker.cluster = Named().cluster;
  }
  return route;
}

Result<std::vector<std::string>> Admin::Topics() {
  return Await<std::vector<std::string>>("all topics", [&](auto done) { routes_.Topics(NamesrvShareMs(), done); });
}

Result<protocol::Command> Admin::Ask(const std::string& address, protocol::Command command) {
  return std::move(AskAll({address}, command).front());
}

std::vector<Result<protocol::Command>> Admin::AskAll(const std::vector<std::string>& addresses,
                                                     const protocol::Command& command) {
  std::vector<Question> questions;
  for (const std::string& address : addresses) questions.push_back({address, command});
  return Run(std::move(questions), Codes::kErrors);
}

std::vector<Result<protocol::Command>> Admin::AskEach(std::vector<Question> questions) {
  return Run(std::move(questions), Codes::kErrors);
}

std::vector<Result<protocol::Command>> Admin::AnswersTo(std::vector<Question> questions) {
  return Run(std::move(questions), Codes::kAnswers);
}

std::vector<Result<protocol::Command>> Admin::Run(std::vector<Question> questions, Codes codes) {
  std::vector<std::optional<Result<protocol::Command>>> answers(questions.size());
  size_t missing = questions.size();
  const int64_t left = TakeRoundMs();
  const int64_t began = MonotonicMs();
  for (size_t i = 0; i < questions.size(); ++i) {
    const int32_t asked = questions[i].command.code;
    client_.Call(
        questions[i].address, std::move(questions[i].command), left, [&, i, asked](const remoting::CallResult& result) {
          const bool answered = result.outcome == remoting::CallOutcome::kReply;
          if (observer_) {
            const std::string answer =
                answered ? "code " + CodeText(protocol::ResponseCodeName(result.reply->code), result.reply->code)
                         : result.ToError().what;
            observer_({questions[i].address, "request " + CodeText(protocol::RequestCodeName(asked), asked), answer,
                       answered, MonotonicMs() - began});
          }
          if (result.ok() || (answered && codes == Codes::kAnswers)) {
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
  // Waiting is no part of the work that the timeout is about.
  loop::Timer timer(loop_, [this] { loop_.Stop(); });
  timer.Start(ms);
  loop_.Run();
  Begin(rounds_);
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
