#include "store/remove_name.h"

#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace mq::store {

Status RemoveName(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return Ok();
  if (errno == EISDIR) return RemoveTree(path);
  return ErrnoError(ErrorCode::kIo, "remove " + path);
}

}  // namespace mq::store
