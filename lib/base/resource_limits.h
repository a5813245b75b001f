// The limits a process runs into, in words: what a container or a shell allows it, and how much of it is used. For
// error texts and start-up lines; reads /proc and /sys, so not for the hot path. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq {

// Adds to an error of the system the limit that was met, with its figures: mappings and address space (ENOMEM), open
// files (EMFILE), the size of a file (EFBIG). Other errors stay as they are.
Error NameLimit(Error error);

struct MemoryLimit {
  int64_t bytes = 0;    // what this process may use at most
  bool cgroup = false;  // a control group says so, not the machine
};
// The machine's memory, or the smallest limit of a control group (version 1 or 2) around this process.
MemoryLimit FindMemoryLimit();
// The same of given texts, for tests: /proc/self/cgroup, and the directory where control groups are mounted.
MemoryLimit FindMemoryLimit(std::string_view own_groups, const std::string& mounted_at, int64_t physical_bytes);

}  // namespace mq
