// Questions and changes of an operator's tool, asked one after the other: each call runs the loop until its answer is
// there. For tools only, never for a daemon. All brokers of a call are asked at once, and all calls of one piece of
// work share one timeout: what a slow name server took is not given to the brokers again. See Begin().
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/routes.h"
#include "loop/loop.h"
#include "protocol/command.h"
#include "protocol/route.h"
#include "remoting/client.h"

namespace mq::client {

inline constexpr int64_t kDefaultAdminTimeoutMs = 3000;

// A broker as the cluster view shows it.
struct BrokerAddress {
  std::string cluster;
  std::string name;
  int64_t id = 0;
  std::string address;
};

// One of several questions that are asked at once.
struct Question {
  std::string address;
  protocol::Command command;
};

// One question as it ended, for tools that show what they ask.
struct Asked {
  std::string address;
  std::string what;    // "GET_ALL_TOPIC_CONFIG 21", or "route of topic T" for a question to name servers
  std::string answer;  // "code 0 SUCCESS", or why there is none
  bool answered = false;
  int64_t took_ms = 0;
};

class Admin {
 public:
  Admin(loop::Loop& loop, Endpoints endpoints, int64_t timeout_ms = kDefaultAdminTimeoutMs);

  // From here on the timeout counts anew: before changes that follow on questions, and after a wait. `rounds` is how
  // many rounds of questions to brokers will follow: each may take its share of what is left, so that a broker that is
  // silent in the first leaves time for the others in the next. What name servers are asked in between has a share too;
  // with 0 they alone are asked.
  void Begin(int rounds = 1);

  // The cluster as the name servers see it. With a single broker given: that one, named as it says itself, or by its
  // address when it does not say.
  Result<protocol::ClusterInfo> Cluster();
  // kNotFound when the topic is missing.
  Result<TopicRoute> Route(std::string_view topic);
  Result<TopicRoute> RouteForPublish(std::string_view topic);
  Result<std::vector<std::string>> Topics();

  // One question to one peer. An answer other than code 0 is an error with its code and remark.
  Result<protocol::Command> Ask(const std::string& address, protocol::Command command);
  // The same question to several peers at once; answers in the order of the addresses.
  std::vector<Result<protocol::Command>> AskAll(const std::vector<std::string>& addresses,
                                                const protocol::Command& command);

  // Different questions at once; answers in their order.
  std::vector<Result<protocol::Command>> AskEach(std::vector<Question> questions);
  // The same, for those to whom the code of an answer matters: one that is not 0 is no error here.
  std::vector<Result<protocol::Command>> AnswersTo(std::vector<Question> questions);

  const Endpoints& endpoints() const { return routes_.endpoints(); }
  int64_t timeout_ms() const { return timeout_ms_; }
  loop::Loop& loop() { return loop_; }
  // Told of every question that follows when it ends. Which of several name servers answered is not known here: for
  // their questions the address is the list of them.
  void Observe(std::function<void(const Asked&)> observer) { observer_ = std::move(observer); }
  // Lets this much time pass.
  void Sleep(int64_t ms);

 private:
  enum class Codes { kErrors, kAnswers };
  std::vector<Result<protocol::Command>> Run(std::vector<Question> questions, Codes codes);
  // The share of a question to name servers, and of a round of questions to brokers: never nothing, because an answer
  // that is there already is still taken.
  int64_t NamesrvShareMs() const;
  int64_t TakeRoundMs();

  // Runs the loop until a question to the name servers has its answer.
  template <class T, class Start>
  Result<T> Await(const std::string& what, Start start);
  // Name and cluster of the single broker; asked once.
  const protocol::BrokerData& Named();
  Result<TopicRoute> WithName(Result<TopicRoute> route);

  loop::Loop& loop_;
  int64_t timeout_ms_;
  int64_t deadline_ms_;
  int rounds_ = 1;
  remoting::Client client_;
  Routes routes_;
  std::function<void(const Asked&)> observer_;
  std::optional<protocol::BrokerData> named_;
};

// All brokers of a cluster view, masters first within a name; sorted by cluster, name and id.
std::vector<BrokerAddress> BrokersOf(const protocol::ClusterInfo& info);

}  // namespace mq::client
