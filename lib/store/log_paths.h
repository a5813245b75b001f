// LogPaths from and to text: storePathCommitLog and readOnlyCommitLogStorePaths as settings give them, and
// mq/log-paths, in which the broker keeps them for whoever opens the store without its settings (tools, helpers with
// --once).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/layout.h"

namespace mq::store {

// Absolute, without doubles; the writable ones sorted, because new files go to them by turns. A directory that is
// named in both is read-only. Nothing named, or <root>/commitlog alone: the default. An error when no directory is left
// for new files.
Result<LogPaths> ParseLogPaths(const std::string& root, std::string_view writable, std::string_view read_only,
                               std::string_view splitter);

// What mq/log-paths of the store says; the default without it.
Result<LogPaths> LoadLogPaths(const std::string& root);
// Durable; no file for the default.
Status SaveLogPaths(const std::string& root, const LogPaths& paths);
// An error naming a directory that holds commit log files of this store, as mq/log-paths knows, and is not among
// `paths`: the log would have a hole, or seem to be empty.
Status RefuseForgottenPaths(const std::string& root, const LogPaths& paths);

// The layout with the paths of mq/log-paths.
Result<StoreLayout> LayoutOf(const std::string& root);

}  // namespace mq::store
