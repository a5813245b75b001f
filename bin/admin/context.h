// What every sub-command of mq-admin works with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/table.h"
#include "base/result.h"
#include "client/admin.h"
#include "conf/settings.h"
#include "loop/loop.h"

namespace mq::admin {

struct Context {
  const conf::Settings& settings;
  loop::Loop& loop;
  client::Admin& admin;
  TableStyle style;

  const std::string& operand() const { return settings.operands().front(); }
  void Notice(std::string_view text) const;
};

// Exit statuses of cli.md that a command chooses itself.
inline constexpr int kDone = 0;
inline constexpr int kNo = 1;
inline constexpr int kPartly = 3;
inline constexpr int kWaitedInVain = 7;

// The sub-commands, one file per noun.
Result<int> TopicList(Context& context);
Result<int> TopicShow(Context& context);
Result<int> TopicRoute(Context& context);
Result<int> TopicCreate(Context& context);
Result<int> TopicDelete(Context& context);
Result<int> TopicWait(Context& context);
Result<int> ClusterList(Context& context);
Result<int> BrokerStatus(Context& context);
Result<int> MsgGet(Context& context);
Result<int> MsgFind(Context& context);
Result<int> Health(Context& context);
Result<int> BrokerConfig(Context& context);
Result<int> NamesrvConfig(Context& context);
Result<int> NamesrvDrain(Context& context);
Result<int> NamesrvUndrain(Context& context);
Result<int> KvPut(Context& context);
Result<int> KvGet(Context& context);
Result<int> KvDelete(Context& context);
Result<int> KvList(Context& context);
Result<int> BenchSend(Context& context);
Result<int> BenchConsume(Context& context);
Result<int> BenchLatency(Context& context);

// Asks for yes on a terminal, or wants --yes; an error (status 2) when neither is there.
Status Confirm(const Context& context, const std::string& what);

// What several servers of one kind made of a question or a change: each failure is a notice that names the server; the
// status is done, partly, or the failure when nobody did it.
class Outcome {
 public:
  Outcome(const Context& context, std::string kind) : context_(context), kind_(std::move(kind)) {}
  void Done() { ++done_; }
  void Failed(const std::string& who, const Error& error);
  bool none() const { return done_ == 0; }
  Result<int> ExitStatus() const;

 private:
  const Context& context_;
  std::string kind_;
  size_t done_ = 0;
  std::optional<Error> failure_;
};

// The name servers given or configured; none with --broker, which is an error of NeedNameServers.
const std::vector<std::string>& NameServers(const Context& context);
Status NeedNameServers(const Context& context);

// Masters to change something on: those of the only cluster or of --cluster; with --broker that one alone.
Result<std::vector<client::BrokerAddress>> TargetMasters(Context& context);

}  // namespace mq::admin
