#include "conf/store_root.h"

#include <cstdlib>

#include "conf/programs.h"

namespace mq::conf {

Result<std::string> DefaultStoreRoot() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return MakeError(ErrorCode::kConfig, "nothing says where the store is: it is not named, and HOME is not set");
  }
  return std::string(home) + "/store";
}

Result<std::string> StoreRoot(const Settings& settings) {
  std::string root = settings.String("storePathRootDir");
  if (root.empty()) return DefaultStoreRoot();
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  return root;
}

Status RefuseOwnSettings(const Settings& settings) {
  for (const Option* row : AllRowsOf(settings.program())) {
    if (row->key.empty() || row->key == "storePathRootDir") continue;
    const auto source = settings.SourceOf(row->key);
    if (source != Source::kOption && source != Source::kFile) continue;
    return MakeError(ErrorCode::kConfig,
                     settings.Origin(row->key) + ": settings come from the broker; here they need --once");
  }
  return Ok();
}

}  // namespace mq::conf
