// mq-broker(8): stores messages and hands them out. Wiring only: options, parts, loop, exit status.
#include <signal.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/map_fault.h"
#include "broker/broker.h"
#include "conf/programs.h"
#include "conf/run.h"
#include "conf/settings.h"
#include "loop/loop.h"

namespace {

mq::Result<int> Main(const mq::conf::Settings& settings) {
  mq::log::SetProgram("mq-broker");
  MQ_ASSIGN(const auto level, mq::log::ParseLevel(settings.String("log-level")));
  mq::log::SetLevel(level);
  MQ_ASSIGN(auto options, mq::broker::ReadBrokerOptions(settings));

  mq::loop::Loop loop;
  MQ_TRY(mq::MapFaults::Install(mq::MapFaults::Mode::kSubstitute));
  mq::conf::Settings current = settings;
  int status = 0;
  {
    mq::broker::Broker broker(loop, std::move(options), settings.String("log-level"));
    broker.ServeSettings(current);
    std::optional<mq::Error> failure;
    MQ_TRY(broker.Start([&](const mq::Error& error) {
      failure = error;
      loop.Stop();
    }));
    const auto stop = [&] {
      broker.Stop([&](bool clean) {
        status = clean ? 0 : 8;
        // The thread that recovers cannot be called off; it may be ended at any line.
        if (broker.recovering()) std::_Exit(status);
        loop.Stop();
      });
    };
    mq::loop::Signal term(loop, SIGTERM, stop);
    mq::loop::Signal interrupt(loop, SIGINT, stop);
    mq::loop::Signal hangup(loop, SIGHUP, [&] {
      if (!mq::conf::ReloadOnHangup(current)) return;
      const auto changed = mq::broker::ReadBrokerOptions(current);
      if (changed) broker.Reconfigure(*changed);
    });
    loop.Run();
    if (failure) return *std::move(failure);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqBrokerProgram(), argc, argv, Main); }
