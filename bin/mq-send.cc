// mq-send(1): lines, files or records from a pipe become messages.
#include "conf/programs.h"
#include "conf/run.h"
#include "loop/loop.h"
#include "send/options.h"
#include "send/sender.h"

namespace {

mq::Result<int> Main(const mq::conf::Settings& settings) {
  MQ_ASSIGN(const mq::send::Options options, mq::send::OptionsFrom(settings));
  mq::loop::Loop loop;
  mq::send::Sender sender(loop, options);
  MQ_TRY(sender.Open());
  return sender.Run();
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqSendProgram(), argc, argv, Main); }
