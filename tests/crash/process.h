// A program that is run to its end: what it printed, and how it ended. It is killed when it takes too long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace mq::crash {

struct ProcessResult {
  int status = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// The first word is a path, or a name that is looked for in PATH. kTimeout when it had to be killed.
Result<ProcessResult> RunProcess(const std::vector<std::string>& words, int64_t timeout_ms);

}  // namespace mq::crash
