// The calls of one connection that wait for their answer, found by opaque. Internal to channel.cc.
//
// Opaques grow by one, so the waiting ones mostly fit a ring of twice their number: slot = opaque modulo
// size. A slot that is still taken makes the ring grow, up to the bound of limits.h. No allocation per call
// beyond that growth.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "remoting/channel.h"

namespace mq::remoting {

class CallTable {
 public:
  // Takes an opaque and keeps the callback until Take, TakeExpired or TakeAny. Nothing when full.
  std::optional<int32_t> Add(int64_t deadline_ms, CallCallback callback);
  // The callback waiting for that opaque, or an empty one (late, or never asked).
  CallCallback Take(int32_t opaque);
  // A call whose deadline has passed, with its opaque's callback; empty when there is none.
  CallCallback TakeExpired(int64_t now_ms);
  CallCallback TakeAny();
  // The earliest deadline, or -1 without calls.
  int64_t EarliestDeadline() const;
  size_t size() const { return count_; }

 private:
  struct Entry {
    int32_t opaque = 0;
    int64_t deadline_ms = 0;
    CallCallback callback;  // empty: a free slot
  };

  bool Grow();

  std::vector<Entry> ring_;
  size_t count_ = 0;
  int32_t next_ = 1;
};

}  // namespace mq::remoting
