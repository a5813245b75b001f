// mq-admin(1): questions to a cluster and changes of it, one sub-command each. Wiring only; see admin/context.h.
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "admin/context.h"
#include "admin/trace.h"
#include "base/strings.h"
#include "client/address_server.h"
#include "client/name_servers.h"
#include "client/routes.h"
#include "conf/programs.h"
#include "conf/run.h"

namespace {

using mq::admin::Context;
using Run = mq::Result<int> (*)(Context&);

struct Entry {
  std::string_view name;
  Run run;
};

constexpr Entry kCommands[] = {
    {"topic list", mq::admin::TopicList},
    {"topic show", mq::admin::TopicShow},
    {"topic route", mq::admin::TopicRoute},
    {"topic stats", mq::admin::TopicStats},
    {"topic create", mq::admin::TopicCreate},
    {"topic update", mq::admin::TopicUpdate},
    {"topic delete", mq::admin::TopicDelete},
    {"topic wait", mq::admin::TopicWait},
    {"group list", mq::admin::GroupList},
    {"group show", mq::admin::GroupShow},
    {"group create", mq::admin::GroupCreate},
    {"group update", mq::admin::GroupUpdate},
    {"group delete", mq::admin::GroupDelete},
    {"group lag", mq::admin::GroupLag},
    {"group status", mq::admin::GroupStatus},
    {"group members", mq::admin::GroupMembers},
    {"offset show", mq::admin::OffsetShow},
    {"offset reset", mq::admin::OffsetReset},
    {"offset skip", mq::admin::OffsetSkip},
    {"cluster list", mq::admin::ClusterList},
    {"broker list", mq::admin::BrokerList},
    {"broker status", mq::admin::BrokerStatus},
    {"broker config", mq::admin::BrokerConfig},
    {"broker clean", mq::admin::BrokerClean},
    {"msg get", mq::admin::MsgGet},
    {"msg find", mq::admin::MsgFind},
    {"namesrv config", mq::admin::NamesrvConfig},
    {"namesrv drain", mq::admin::NamesrvDrain},
    {"namesrv undrain", mq::admin::NamesrvUndrain},
    {"kv put", mq::admin::KvPut},
    {"kv get", mq::admin::KvGet},
    {"kv delete", mq::admin::KvDelete},
    {"kv list", mq::admin::KvList},
    {"health", mq::admin::Health},
    {"bench send", mq::admin::BenchSend},
    {"bench consume", mq::admin::BenchConsume},
    {"bench latency", mq::admin::BenchLatency},
    {"complete", mq::admin::Complete},
};

// A misspelt column is said before anybody is asked or anything is changed.
mq::Result<mq::admin::TableStyle> StyleOf(const mq::conf::Settings& settings) {
  mq::admin::TableStyle style;
  style.terminal = ::isatty(STDOUT_FILENO) == 1;
  style.json = settings.Bool("json");
  if (!settings.HasRow("columns")) return style;
  style.header = settings.Bool("header");
  style.sort = settings.String("sort");
  for (const std::string_view name : mq::SplitAny(settings.String("columns"), ",")) style.columns.emplace_back(name);
  if (settings.Given("columns") && style.columns.empty()) {
    return mq::MakeError(mq::ErrorCode::kConfig, "--columns names no column");
  }
  const mq::conf::Command& command = settings.command();
  std::vector<mq::conf::Column> columns(command.columns.begin(), command.columns.end());
  columns.insert(columns.end(), command.changes.begin(), command.changes.end());
  MQ_TRY(mq::admin::CheckStyle(style, columns));
  return style;
}

// Again and again until a signal ends it. What cannot be answered now may be next time.
mq::Result<int> Watch(Context& context, mq::admin::Trace& trace, Run run) {
  for (;;) {
    if (context.style.terminal && !context.style.json) MQ_TRY(mq::admin::PrintOut("\x1b[H\x1b[2J"));
    const auto status = run(context);
    trace.Sum();
    if (!status) {
      if (!mq::RetryMayHelp(status.error())) return status.error();
      context.Notice(status.error().what);
    }
    context.admin.Sleep(context.settings.DurationMs("watch"));
  }
}

mq::Result<int> Main(const mq::conf::Settings& settings) {
  MQ_ASSIGN(mq::client::Endpoints endpoints,
            mq::client::ParseEndpoints(settings.String("namesrv"), settings.String("broker")));
  MQ_ASSIGN(mq::admin::TableStyle style, StyleOf(settings));
  mq::loop::Loop loop;
  // Some questions go to every name server: their addresses are wanted, not where to get them.
  if (!endpoints.name_servers.empty() && mq::client::IsHttpUrl(endpoints.name_servers.front())) {
    MQ_ASSIGN(endpoints.name_servers, mq::client::FetchNameServers(loop, endpoints.name_servers.front()));
  }
  mq::client::Admin admin(loop, std::move(endpoints), settings.DurationMs("timeout"));
  mq::admin::Trace trace(settings, admin);
  Context context{settings, loop, admin, std::move(style)};
  for (const Entry& entry : kCommands) {
    if (settings.CommandName() != entry.name) continue;
    if (settings.HasRow("watch") && settings.Given("watch")) return Watch(context, trace, entry.run);
    auto status = entry.run(context);
    trace.Sum();
    return status;
  }
  return mq::MakeError(mq::ErrorCode::kInternal, "no code for command " + settings.CommandName());
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqAdminProgram(), argc, argv, Main); }
