// StepNote: says in mq-flushd's page what is being done, so that who waits for it can name it. Written by mq-flushd's
// steps (flusher.h, file_stock.h), read by the broker (Core::SlowestStep).
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "store/positions.h"

namespace mq::store {

class StepNote {
 public:
  StepNote(FlushdPage& page, FlushdStep step) : page_(page), step_(static_cast<uint32_t>(step)), since_(MonotonicMs()) {
    page_.step_since_ms.store(since_, std::memory_order_relaxed);
    page_.step.store(step_, std::memory_order_release);
  }
  ~StepNote() {
    page_.last_step_ms[step_].store(MonotonicMs() - since_, std::memory_order_relaxed);
    page_.step.store(0, std::memory_order_release);
  }

 private:
  FlushdPage& page_;
  uint32_t step_;
  int64_t since_;
};

}  // namespace mq::store
