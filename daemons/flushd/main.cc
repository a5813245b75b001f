// mq-flushd: makes the commit log of a store durable and keeps files ready for the broker. Wiring only; see
// flush_work.h and store/flusher.h.
#include <cstdlib>
#include <string>

#include "base/map_fault.h"
#include "conf/programs.h"
#include "conf/run.h"
#include "conf/settings.h"
#include "conf/store_root.h"
#include "flushd/flush_work.h"
#include "flushd/once.h"
#include "helper/wiring.h"
#include "store/store_options.h"

namespace {

using mq::conf::Settings;

mq::Result<int> Once(const Settings& settings, const std::string& root) {
  MQ_ASSIGN(auto options, mq::helper::OptionsAtRest(settings, root));
  MQ_TRY(mq::store::NormalizeOptions(options));
  MQ_TRY(mq::flushd::FlushOnce(options));
  return EXIT_SUCCESS;
}

mq::Result<int> Main(const Settings& settings) {
  MQ_TRY(mq::MapFaults::Install(mq::MapFaults::Mode::kExit));
  MQ_ASSIGN(const std::string root, mq::conf::StoreRoot(settings));
  if (settings.Bool("once")) return Once(settings, root);
  return mq::helper::RunHelper<mq::flushd::FlushWork>(settings, root, mq::ctl::Role::kFlushd);
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqFlushdProgram(), argc, argv, Main); }
