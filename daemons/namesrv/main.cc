// mq-namesrv: tells clients which brokers have which topics. Wiring only; see name_server.h.
#include <csignal>
#include <cstdlib>
#include <string>

#include "base/log.h"
#include "conf/programs.h"
#include "conf/run.h"
#include "conf/settings.h"
#include "loop/loop.h"
#include "loop/process.h"
#include "namesrv/config_processor.h"
#include "namesrv/name_server.h"

namespace {

mq::Result<mq::loop::Address> ListenAddress(const mq::conf::Settings& settings) {
  const auto port = static_cast<int>(settings.Int("listenPort"));
  if (settings.Has("listen")) return mq::loop::Address::Parse(settings.String("listen"), port);
  return mq::loop::Address{mq::loop::Address::Kind::kTcp, "0.0.0.0", port, {}};
}

mq::Result<int> Main(const mq::conf::Settings& settings) {
  MQ_ASSIGN(const mq::loop::Address address, ListenAddress(settings));
  mq::loop::Loop loop;
  mq::namesrv::NameServerOptions options;
  options.kv_path = mq::namesrv::KvConfigPath(settings);
  // Two name servers of one home directory must not share a file that nobody asked them to share.
  if (!settings.Has("kvConfigPath")) options.kv_fallback_path = mq::namesrv::KvFallbackPath(address.port);
  options.order_message = settings.Bool("orderMessageEnable");
  mq::namesrv::NameServer server(loop, options);
  mq::conf::Settings current = settings;
  const auto take_over = [&] { server.set_order_message(current.Bool("orderMessageEnable")); };
  mq::namesrv::ConfigProcessor config(current, take_over);
  config.AddTo(server.processors());
  MQ_ASSIGN(const mq::loop::Address bound, server.Listen(address));
  config.SetWorkedOut({{"listenPort", std::to_string(bound.port)},
                       {"kvConfigPath", server.kv_path()},
                       {"configStorePath", mq::namesrv::ConfigStorePath(settings)}});
  const auto stop = [&] {
    mq::loop::NotifyStopping();
    loop.Stop();
  };
  mq::loop::Signal terminated(loop, SIGTERM, stop);
  mq::loop::Signal interrupted(loop, SIGINT, stop);
  mq::loop::Signal hangup(loop, SIGHUP, [&] {
    if (mq::conf::ReloadOnHangup(current)) take_over();
  });
  const auto watchdog = mq::loop::StartWatchdog(loop);
  mq::loop::NotifyReady(settings.Has("ready-fd") ? static_cast<int>(settings.Int("ready-fd")) : -1, bound.ToString());
  loop.Run();
  server.Close();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqNamesrvProgram(), argc, argv, Main); }
