// Standard output of mq-storedump: gathered in a buffer, written in large blocks. SIGPIPE keeps its meaning.
#pragma once

#include <string>

#include "base/result.h"

namespace mq::storedump {

class Output {
 public:
  Output(int fd, bool line_buffered) : fd_(fd), line_buffered_(line_buffered) {}

  std::string& buffer() { return buffer_; }
  // Something was appended: written when a block is full, or at once when lines are.
  Status Added();
  Status Flush();

 private:
  int fd_;
  bool line_buffered_;
  std::string buffer_;
};

// SIGINT and SIGTERM from now on only set a mark, the second one ends the process.
void WatchSignals();
// The signal that came, or 0.
int SignalThatCame();

}  // namespace mq::storedump
