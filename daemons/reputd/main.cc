// mq-reputd: derives the consume queues and the index of a store from its commit log. Wiring only; see reput_work.h and
// store/reput.h.
#include <cstdlib>
#include <string>

#include "base/map_fault.h"
#include "conf/programs.h"
#include "conf/run.h"
#include "conf/settings.h"
#include "conf/store_root.h"
#include "ctl/helper.h"
#include "reputd/once.h"
#include "reputd/reput_work.h"
#include "store/layout.h"
#include "store/log_paths.h"
#include "store/positions.h"
#include "store/store_options.h"

namespace {

using mq::ErrorCode;
using mq::MakeError;
using mq::conf::Settings;

mq::Result<mq::store::StoreOptions> OnceOptions(const Settings& settings, std::string root) {
  mq::store::StoreOptions options;
  options.root = std::move(root);
  MQ_ASSIGN(options.log_paths, mq::store::LoadLogPaths(options.root));
  options.commit_log_file_bytes = settings.Bytes("mappedFileSizeCommitLog");
  options.consume_queue_file_bytes = settings.Bytes("mappedFileSizeConsumeQueue");
  options.index_enable = settings.Bool("messageIndexEnable");
  options.index_slots = static_cast<int32_t>(settings.Int("maxHashSlotNum"));
  options.index_entries = static_cast<int32_t>(settings.Int("maxIndexNum"));
  MQ_TRY(mq::store::NormalizeOptions(options));
  return options;
}

mq::Result<int> Main(const Settings& settings) {
  MQ_TRY(mq::MapFaults::Install(mq::MapFaults::Mode::kExit));
  MQ_ASSIGN(std::string root, mq::conf::StoreRoot(settings));
  if (settings.Bool("rebuild") && !settings.Bool("once")) {
    return MakeError(ErrorCode::kConfig, "--rebuild needs --once: a running store repairs its queues by itself");
  }
  if (settings.Bool("once")) {
    MQ_ASSIGN(const auto options, OnceOptions(settings, root));
    MQ_TRY(mq::reputd::DispatchOnce(options, settings.Bool("rebuild")));
    return EXIT_SUCCESS;
  }
  MQ_TRY(mq::conf::RefuseOwnSettings(settings));
  mq::ctl::HelperOptions options;
  options.directory = mq::store::StoreLayout(root).MqDir();
  options.role = mq::ctl::Role::kReputd;
  options.page_version = mq::store::kPositionsVersion;
  options.build = mq::store::BuildId();
  options.supervised = settings.Bool("supervised");
  options.ready_fd = settings.Has("ready-fd") ? static_cast<int>(settings.Int("ready-fd")) : -1;
  options.ready_text = root;
  mq::reputd::ReputWork work(root);
  mq::ctl::Helper helper(std::move(options), work);
  work.SetHelper(&helper);
  return helper.Run();
}

}  // namespace

int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqReputdProgram(), argc, argv, Main); }
