#include "remoting/garbage_log.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "remoting/limits.h"

namespace mq::remoting {

void GarbageLog::Note(std::string_view peer, std::string_view what) {
  const int64_t now = MonotonicMs();
  std::string key(peer.substr(0, peer.rfind(':')));
  // Without its numbers: a thousand wrong lengths are one guess.
  key.append(" ").append(what.substr(0, std::min<size_t>(what.find_first_of("0123456789"), 24)));
  const auto found = seen_.find(key);
  if (found == seen_.end()) {
    if (seen_.size() >= kGarbageLogPeers) {
      std::erase_if(seen_, [now](const auto& entry) { return now - entry.second.logged_ms >= kGarbageLogPeriodMs; });
      if (seen_.size() >= kGarbageLogPeers) return;  // a flood from everywhere: one minute of silence
    }
    seen_[key] = {now, 0};
    log::Warn("remoting.garbage", "closed a connection that does not speak this protocol")
        .Field("peer", peer)
        .Field("what", what);
    return;
  }
  Seen& seen = found->second;
  if (now - seen.logged_ms < kGarbageLogPeriodMs) {
    ++seen.suppressed;
    return;
  }
  log::Warn("remoting.garbage", "closed connections that do not speak this protocol")
      .Field("peer", peer)
      .Field("what", what)
      .Field("suppressed", seen.suppressed);
  seen = {now, 0};
}

}  // namespace mq::remoting
