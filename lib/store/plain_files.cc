#include "store/plain_files.h"

#include <sys/stat.h>

namespace mq::store {

std::vector<Misplaced> FindMisplaced(const StoreLayout& layout) {
  std::vector<Misplaced> misplaced;
  const auto check = [&](const std::string& path, mode_t kind, const char* problem) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) != kind) misplaced.push_back({path, problem});
  };
  for (const std::string& path : {layout.Lock(), layout.Abort(), layout.Checkpoint(), layout.Dispatched(),
                                  layout.Tombstones(), layout.LogPathsFile(), layout.Pool(), layout.Pid()}) {
    check(path, S_IFREG, "is no file");
  }
  for (const std::string_view socket : {StoreLayout::kControlSocket, StoreLayout::kBrokerSocket}) {
    check(layout.MqDir().append("/").append(socket), S_IFSOCK, "is no socket");
  }
  return misplaced;
}

Status RefuseMisplaced(const StoreLayout& layout) {
  const std::vector<Misplaced> misplaced = FindMisplaced(layout);
  if (misplaced.empty()) return Ok();
  return MakeError(ErrorCode::kCorruption, misplaced.front().path + " " + misplaced.front().problem)
      .WithHint("move it away");
}

}  // namespace mq::store
