// mq-consume(1): messages of topics become lines, records or files.
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "base/clock.h"
#include "conf/programs.h"
#include "conf/run.h"
#include "consume/group_run.h"
#include "consume/options.h"
#include "consume/run.h"
#include "loop/loop.h"

namespace {

mq::Result<int> Main(const mq::conf::Settings& settings) {
  if (settings.String("printf") == "help") {
    const std::string_view help = mq::stream::PrintfFormat::Help();
    std::fwrite(help.data(), 1, help.size(), stdout);
    return 0;
  }
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  MQ_ASSIGN(const mq::consume::Options options, mq::consume::OptionsFrom(settings, mq::NowMs(), terminal));
  mq::loop::Loop loop;
  std::unique_ptr<mq::consume::RunFrame> run;
  if (options.group.empty()) {
    run = std::make_unique<mq::consume::ConsumeRun>(loop, options);
  } else {
    run = std::make_unique<mq::consume::GroupRun>(loop, options);
  }
  MQ_TRY(run->Open());
  return run->Run();
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqConsumeProgram(), argc, argv, Main); }
