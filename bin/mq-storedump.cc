// mq-storedump(1): a message store as text, JSON or messages, and whether it is sound. Wiring only.
#include <unistd.h>

#include "base/clock.h"
#include "conf/programs.h"
#include "conf/run.h"
#include "storedump/options.h"
#include "storedump/run.h"

namespace {

mq::Result<int> Main(const mq::conf::Settings& settings) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  MQ_ASSIGN(const mq::storedump::Options options, mq::storedump::OptionsFrom(settings, mq::NowMs(), terminal));
  return mq::storedump::Run(settings, options);
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqStoredumpProgram(), argc, argv, Main); }
