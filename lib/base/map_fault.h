// MapFaults: what happens when mapped bytes of a file are no longer there, because the file was cut by somebody else or
// its device fails. The kernel says so with SIGBUS at the access; without a handler that is the end of the process.
//
// kExit: one line that names file and offset, and exit status 8. For processes that others restart.
// kSubstitute: a page of zeros takes the place of the lost one and the access goes on. Whoever wrote or read compares
// count() before and after: when it has grown, nothing of what was done counts. For a process that has more to serve.
//
// Also here: a file that would grow beyond what the process may write (SIGXFSZ) is an error of the call that meets it,
// not the end of the process.
//
// Install once, before the first mapping, on the main thread. count() may be read anywhere; faults on any thread count.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace mq {

class MapFaults {
 public:
  enum class Mode { kExit, kSubstitute };
  static Status Install(Mode mode);
  static uint64_t count();
  // "FILE at byte N" of the latest one, "" before the first.
  static std::string Latest();
};

}  // namespace mq
