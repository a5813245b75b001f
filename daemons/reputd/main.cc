// mq-reputd: derives the consume queues and the index of a store from its commit log. Wiring only; see reput_work.h and
// store/reput.h.
#include <cstdlib>
#include <string>

#include "base/map_fault.h"
#include "conf/programs.h"
#include "conf/run.h"
#include "conf/settings.h"
#include "conf/store_root.h"
#include "helper/wiring.h"
#include "reputd/once.h"
#include "reputd/reput_work.h"
#include "store/store_options.h"

namespace {

using mq::ErrorCode;
using mq::MakeError;
using mq::conf::Settings;

mq::Result<int> Once(const Settings& settings, const std::string& root) {
  MQ_ASSIGN(auto options, mq::helper::OptionsAtRest(settings, root));
  options.consume_queue_file_bytes = settings.Bytes("mappedFileSizeConsumeQueue");
  options.index_enable = settings.Bool("messageIndexEnable");
  options.index_slots = static_cast<int32_t>(settings.Int("maxHashSlotNum"));
  options.index_entries = static_cast<int32_t>(settings.Int("maxIndexNum"));
  MQ_TRY(mq::store::NormalizeOptions(options));
  MQ_TRY(mq::reputd::DispatchOnce(options, settings.Bool("rebuild")));
  return EXIT_SUCCESS;
}

mq::Result<int> Main(const Settings& settings) {
  MQ_TRY(mq::MapFaults::Install(mq::MapFaults::Mode::kExit));
  MQ_ASSIGN(const std::string root, mq::conf::StoreRoot(settings));
  if (settings.Bool("rebuild") && !settings.Bool("once")) {
    return MakeError(ErrorCode::kConfig, "--rebuild needs --once: a running store repairs its queues by itself");
  }
  if (settings.Bool("once")) return Once(settings, root);
  return mq::helper::RunHelper<mq::reputd::ReputWork>(settings, root, mq::ctl::Role::kReputd);
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqReputdProgram(), argc, argv, Main); }
