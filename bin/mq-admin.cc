// mq-admin(1): questions to a cluster and changes of it, one sub-command each. Wiring only; see admin/context.h.
#include <unistd.h>

#include <iterator>
#include <string_view>

#include "admin/context.h"
#include "client/address_server.h"
#include "client/routes.h"
#include "conf/programs.h"
#include "conf/run.h"

namespace {

using mq::admin::Context;

struct Entry {
  std::string_view name;
  mq::Result<int> (*run)(Context&);
};

constexpr Entry kCommands[] = {
    {"topic list", mq::admin::TopicList},
    {"topic show", mq::admin::TopicShow},
    {"topic route", mq::admin::TopicRoute},
    {"topic create", mq::admin::TopicCreate},
    {"topic delete", mq::admin::TopicDelete},
    {"topic wait", mq::admin::TopicWait},
    {"cluster list", mq::admin::ClusterList},
    {"broker status", mq::admin::BrokerStatus},
    {"msg get", mq::admin::MsgGet},
    {"msg find", mq::admin::MsgFind},
    {"broker config", mq::admin::BrokerConfig},
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
};

mq::Result<int> Main(const mq::conf::Settings& settings) {
  MQ_ASSIGN(mq::client::Endpoints endpoints,
            mq::client::ParseEndpoints(settings.String("namesrv"), settings.String("broker")));
  mq::loop::Loop loop;
  // Some questions go to every name server: their addresses are wanted, not where to get them.
  if (!endpoints.name_servers.empty() && mq::client::IsHttpUrl(endpoints.name_servers.front())) {
    MQ_ASSIGN(endpoints.name_servers, mq::client::FetchNameServers(loop, endpoints.name_servers.front()));
  }
  mq::client::Admin admin(loop, std::move(endpoints), settings.DurationMs("timeout"));
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  Context context{settings, loop, admin, {terminal, settings.Bool("header"), settings.Bool("json")}};
  for (const Entry& entry : kCommands) {
    if (settings.CommandName() == entry.name) return entry.run(context);
  }
  return mq::MakeError(mq::ErrorCode::kInternal, "no code for command " + settings.CommandName());
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqAdminProgram(), argc, argv, Main); }
