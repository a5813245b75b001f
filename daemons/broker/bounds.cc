#include "broker/bounds.h"

#include <sys/resource.h>

#include <algorithm>

#include "base/log.h"
#include "base/resource_limits.h"

namespace mq::broker::bounds {

namespace {

const MemoryLimit& Memory() {
  static const MemoryLimit limit = FindMemoryLimit();
  return limit;
}

size_t AtMost(size_t bytes) { return std::min(bytes, static_cast<size_t>(Memory().bytes / 8)); }

}  // namespace

size_t MaxConnections() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return remoting::kMaxConnections;
  // The soft limit protects programs that use select(); nothing here does.
  if (files.rlim_cur < files.rlim_max) {
    const rlimit raised{files.rlim_max, files.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) files = raised;
  }
  if (files.rlim_cur >= remoting::kMaxConnections + kReservedDescriptors) return remoting::kMaxConnections;
  const auto descriptors = static_cast<size_t>(files.rlim_cur);
  const size_t reserved = std::min(kReservedDescriptors, descriptors / 2);
  const size_t connections = std::max(descriptors - reserved, kFewestConnections);
  log::Warn("limits", "few files may be open: fewer connections are accepted (ulimit -n, LimitNOFILE)")
      .Field("files", static_cast<uint64_t>(descriptors))
      .Field("connections", static_cast<uint64_t>(connections));
  return connections;
}

int64_t MemoryBytes() { return Memory().bytes; }
size_t HeldSendBytes() { return AtMost(kMaxHeldSendBytes); }
size_t HeldPullBytes() { return AtMost(kMaxHeldPullBytes); }

void TellMemoryLimit() {
  const MemoryLimit& limit = Memory();
  if (!limit.cgroup) return;
  log::Info("limits", "the log is read through the page cache, which has what is left of it")
      .Field("memory", limit.bytes)
      .Field("because", "control group")
      .Field("held_sends", static_cast<uint64_t>(HeldSendBytes()))
      .Field("held_pulls", static_cast<uint64_t>(HeldPullBytes()));
}

}  // namespace mq::broker::bounds
