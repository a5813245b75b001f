// What lies in a store's places and cannot be what belongs there: a folder where a file must be, a file where a folder
// must be (of a queue too), a link in the place of a file that is opened without following links, a log folder of
// mq/log-paths that is gone. Any of it keeps a broker from working, so that it does not start. Asked by the broker's
// start, by the plan of one and by verification, which therefore agree. Changes nothing; needs no lock.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/layout.h"

namespace mq::store {

struct Misplaced {
  std::string path;
  std::string problem;  // "is no file", "is not a directory"
  std::string hint;
};
std::vector<Misplaced> FindMisplaced(const StoreLayout& layout);
// kCorruption naming the first of them; kIo for what this user may not read and write, though a start does.
Status RefuseUnusable(const StoreLayout& layout);

}  // namespace mq::store
