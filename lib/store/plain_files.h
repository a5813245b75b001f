// The store's single files (lock, abort, checkpoint, those of mq/) and its sockets: anything else in the place of one,
// a folder above all, keeps a broker from working, so that it does not start. Asked by the broker's start, by the plan
// of one and by verification, which therefore agree.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/layout.h"

namespace mq::store {

struct Misplaced {
  std::string path;
  const char* problem;  // "is no file", "is no socket"
};
std::vector<Misplaced> FindMisplaced(const StoreLayout& layout);
// kCorruption naming the first of them.
Status RefuseMisplaced(const StoreLayout& layout);

}  // namespace mq::store
