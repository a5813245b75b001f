// A store of a fuzz target's own: bytes that a parser reads from a file must lie in one. On tmpfs, gone at the end.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/log.h"
#include "store/layout.h"

namespace mq::fuzz {

class Scratch {
 public:
  Scratch() : layout_("/dev/shm/mq-fuzz-" + std::to_string(::getpid())) {
    // What a target makes of its input is not told a million times.
    log::SetLevel(log::Level::kError);
    Reset();
  }
  ~Scratch() { RemoveTree(layout_.root()).Ignore("a left-over directory"); }

  const store::StoreLayout& layout() const { return layout_; }
  const std::string& root() const { return layout_.root(); }

  // An empty store.
  void Reset() {
    if (!RemoveTree(layout_.root()) || !layout_.MakeDirectories()) std::abort();
  }
  // The whole file, in place: no rename and no sync, so that many a second are possible.
  void Put(const std::string& path, std::string_view bytes) {
    const auto fd = OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (!fd || !WriteAll(fd->get(), bytes, path)) std::abort();
  }

 private:
  store::StoreLayout layout_;
};

}  // namespace mq::fuzz
