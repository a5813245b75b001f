#include "store/foreign_format.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/strings.h"

namespace mq::store {
namespace {

// A RocksDB database: the file that names its manifest, and the manifest.
bool IsRocksDb(const std::string& directory) {
  const auto names = ListDirectory(directory);
  if (!names) return false;
  const auto is_manifest = [](const std::string& name) { return name.starts_with("MANIFEST-"); };
  return std::find(names->begin(), names->end(), "CURRENT") != names->end() &&
         std::any_of(names->begin(), names->end(), is_manifest);
}

}  // namespace

std::optional<ForeignFormat> FindForeignFormat(const std::string& root) {
  const std::string batch = JoinPath(root, "batchconsumequeue");
  if (const auto topics = ListDirectory(batch); topics && !topics->empty()) {
    return ForeignFormat{batch,
                         "holds batch consume queues of RocketMQ 5.x, which this version cannot keep up to date"};
  }
  for (const std::string& parent : {root, JoinPath(root, "config")}) {
    const auto names = ListDirectory(parent);
    if (!names) continue;
    for (const std::string& name : *names) {
      const std::string directory = JoinPath(parent, name);
      if (IsRocksDb(directory))
        return ForeignFormat{directory, "is a RocksDB database of RocketMQ 5.x, which this version does not read"};
    }
  }
  return std::nullopt;
}

}  // namespace mq::store
