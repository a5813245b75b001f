// What the mains of mq-flushd and mq-reputd share: how settings become store options for a run without a broker, and
// how a helper's work is run until its broker, or a signal, ends it. Header only: wiring, compiled into the two mains.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "conf/settings.h"
#include "conf/store_root.h"
#include "ctl/helper.h"
#include "store/layout.h"
#include "store/log_paths.h"
#include "store/positions.h"
#include "store/store_options.h"

namespace mq::helper {

// For --once: the store as it lies there. The caller adds what only it has, and normalizes them.
inline Result<store::StoreOptions> OptionsAtRest(const conf::Settings& settings, const std::string& root) {
  store::StoreOptions options;
  options.root = root;
  MQ_ASSIGN(options.log_paths, store::LoadLogPaths(root));
  options.commit_log_file_bytes = settings.Bytes("mappedFileSizeCommitLog");
  return options;
}

// Work: a ctl::HelperWork that is made from the store's root.
template <class Work>
Result<int> RunHelper(const conf::Settings& settings, const std::string& root, ctl::Role role) {
  MQ_TRY(conf::RefuseOwnSettings(settings));
  ctl::HelperOptions options;
  options.directory = store::StoreLayout(root).MqDir();
  options.role = role;
  options.page_version = store::kPositionsVersion;
  options.build = store::BuildId();
  options.supervised = settings.Bool("supervised");
  options.ready_fd = settings.Has("ready-fd") ? static_cast<int>(settings.Int("ready-fd")) : -1;
  options.ready_text = root;
  Work work(root);
  ctl::Helper helper(std::move(options), work);
  work.SetHelper(&helper);
  return helper.Run();
}

}  // namespace mq::helper
