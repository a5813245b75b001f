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
  // Empty tables of what this command prints, and of what it prints about a change.
  Table Listing() const { return Table(settings.command().columns); }
  Table Changes() const { return Table(settings.command().changes); }
  bool dry_run() const;
  void Notice(std::string_view text) const;
};

// Exit statuses of cli.md that a command chooses itself.
inline constexpr int kDone = 0;
inline constexpr int kNo = 1;
inline constexpr int kPartly = 3;
inline constexpr int kWaitedInVain = 7;

// The sub-commands, one file or two for each noun.
Result<int> TopicList(Context& context);
Result<int> TopicShow(Context& context);
Result<int> TopicRoute(Context& context);
Result<int> TopicStats(Context& context);
Result<int> TopicCreate(Context& context);
Result<int> TopicUpdate(Context& context);
Result<int> TopicDelete(Context& context);
Result<int> TopicWait(Context& context);
Result<int> GroupList(Context& context);
Result<int> GroupShow(Context& context);
Result<int> GroupCreate(Context& context);
Result<int> GroupUpdate(Context& context);
Result<int> GroupDelete(Context& context);
Result<int> GroupLag(Context& context);
Result<int> GroupStatus(Context& context);
Result<int> GroupMembers(Context& context);
Result<int> OffsetShow(Context& context);
Result<int> OffsetReset(Context& context);
Result<int> OffsetSkip(Context& context);
Result<int> ClusterList(Context& context);
Result<int> BrokerList(Context& context);
Result<int> BrokerStatus(Context& context);
Result<int> BrokerConfig(Context& context);
Result<int> BrokerClean(Context& context);
Result<int> MsgGet(Context& context);
Result<int> MsgFind(Context& context);
Result<int> Health(Context& context);
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
Result<int> Complete(Context& context);

// Asks for yes on a terminal, or wants --yes; an error (status 2) when neither is there. `what` is a whole clause, such
// as "deleting topic T loses its messages". The timeout counts anew behind the answer.
Status Confirm(const Context& context, const std::string& what);

// What several servers of one kind made of a question or a change. Those that failed are named on stderr at the end;
// the status is done, partly, or the failure when nobody did it.
class Outcome {
 public:
  Outcome(const Context& context, std::string kind) : context_(context), kind_(std::move(kind)) {}
  void Done() { ++done_; }
  void Failed(const std::string& who, const Error& error);
  bool none() const { return done_ == 0; }
  bool failed() const { return !failures_.empty(); }
  // Everybody said no: nothing can have been done.
  bool refused() const;
  // To be called once.
  Result<int> ExitStatus() const;
  // Prints the table first, unless there is nothing but failures.
  Result<int> Finish(const Table& table) const;

 private:
  // One reason and everybody who gave it: it is said once.
  struct Failure {
    std::vector<std::string> who;
    Error error;
  };
  Error Told(const Failure& failure) const;

  const Context& context_;
  std::string kind_;
  size_t done_ = 0;
  std::vector<Failure> failures_;
};

// Sends changes at once, under a timeout of their own; each gets its answer in its place. Nothing is sent, and nothing
// answered, where there is no change, and nowhere with --dry-run.
std::vector<std::optional<Result<protocol::Command>>> Apply(Context& context,
                                                            std::vector<std::optional<client::Question>> changes);

// The name servers given or configured; none with --broker, which is an error of NeedNameServers.
const std::vector<std::string>& NameServers(const Context& context);
Status NeedNameServers(const Context& context);

// Masters to change something on: those of the only cluster or of --cluster; with --broker that one alone.
Result<std::vector<client::BrokerAddress>> TargetMasters(Context& context);

// The masters of every cluster, for questions; with --broker that one alone.
Result<std::vector<client::BrokerAddress>> AllMasters(Context& context);

std::vector<std::string> AddressesOf(const std::vector<client::BrokerAddress>& brokers);

// "broker broker-a 1 at 127.0.0.1:10911" in notices.
std::string NameOf(const client::BrokerAddress& broker);

// Whether that is the broker's name or its address.
bool Matches(const client::BrokerAddress& broker, const std::string& wanted);

}  // namespace mq::admin
