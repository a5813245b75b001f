// The calls of one connection that wait for their answer, found by opaque. Internal to channel.cc.
//
// Opaques grow by one, so the waiting ones mostly fit a ring of twice their number: slot = opaque modulo
// size. A slot that is still taken makes the ring grow, up to the bound of limits.h. No allocation per call
// beyond that growth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "remoting/channel.h"

namespace mq::remoting {

// When a call that is not answered ends. Monotonic milliseconds.
struct CallDeadline {
  int64_t begin_ms = 0;
  int64_t end_ms = 0;
  int64_t silence_ms = 0;  // above 0: ends earlier, once the peer has said nothing for so long

  int64_t At(int64_t heard_ms) const {
    return silence_ms <= 0 ? end_ms : std::min(end_ms, std::max(begin_ms, heard_ms) + silence_ms);
  }
};

class CallTable {
 public:
  // Takes an opaque and keeps the callback until Take, TakeExpired or TakeAny. Nothing when full.
  std::optional<int32_t> Add(const CallDeadline& deadline, CallCallback callback);
  // The callback waiting for that opaque, or an empty one (late, or never asked).
  CallCallback Take(int32_t opaque);
  // A call whose deadline has passed, with its opaque's callback; empty when there is none. `heard_ms`: when the peer
  // was last heard.
  CallCallback TakeExpired(int64_t now_ms, int64_t heard_ms);
  CallCallback TakeAny();
  // The earliest deadline, or -1 without calls.
  int64_t EarliestDeadline(int64_t heard_ms) const;
  size_t size() const { return count_; }

 private:
  struct Entry {
    int32_t opaque = 0;
    CallDeadline deadline;
    CallCallback callback;  // empty: a free slot
  };

  bool Grow();

  std::vector<Entry> ring_;
  size_t count_ = 0;
  int32_t next_ = 1;
};

}  // namespace mq::remoting
