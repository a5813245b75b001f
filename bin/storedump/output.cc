#include "storedump/output.h"

#include <csignal>

#include "base/file.h"

namespace mq::storedump {
namespace {

constexpr size_t kBlockBytes = 256 * 1024;

volatile std::sig_atomic_t came = 0;

void OnSignal(int signal) { came = signal; }

}  // namespace

Status Output::Added() {
  if (!line_buffered_ && buffer_.size() < kBlockBytes) return Ok();
  return Flush();
}

Status Output::Flush() {
  if (buffer_.empty()) return Ok();
  Status written = WriteAll(fd_, buffer_, "standard output");
  buffer_.clear();
  return written;
}

void WatchSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

int SignalThatCame() { return came; }

}  // namespace mq::storedump
