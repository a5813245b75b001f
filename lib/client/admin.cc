#include "client/admin.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "base/clock.h"

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
    protocol::ClusterInfo info;
    info.brokers[broker] = {{}, broker, {{protocol::kMasterId, broker}}};
    info.clusters[""] = {broker};
    return info;
  }
  return Await<protocol::ClusterInfo>(loop_, [&](auto done) { routes_.Cluster(NamesrvShareMs(), done); });
}

Result<TopicRoute> Admin::Route(std::string_view topic) {
  return Await<TopicRoute>(loop_, [&](auto done) { routes_.Find(topic, NamesrvShareMs(), done); });
}

Result<TopicRoute> Admin::RouteForPublish(std::string_view topic) {
  return Await<TopicRoute>(loop_, [&](auto done) { routes_.FindForPublish(topic, NamesrvShareMs(), done); });
}

Result<std::vector<std::string>> Admin::Topics() {
  return Await<std::vector<std::string>>(loop_, [&](auto done) { routes_.Topics(NamesrvShareMs(), done); });
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
  for (size_t i = 0; i < questions.size(); ++i) {
    client_.Call(questions[i].address, std::move(questions[i].command), left,
                 [&, i](const remoting::CallResult& result) {
                   const bool answered = result.outcome == remoting::CallOutcome::kReply;
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
