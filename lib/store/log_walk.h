// LogWalk: the records of a range of the log in order, stepping over blanks and damage the one way that
// recovery, the queue-offset table and reput all take, so that they see the same records.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/record.h"

namespace mq::store {

// Damage that a walk went over. One that runs on into the next file is told again, longer.
struct SkippedStretch {
  PhysicalOffset from;
  PhysicalOffset to;
  const char* reason = "";
};

class LogWalk {
 public:
  // Records in [from, to); both are record boundaries (or `from` lies in front of damage).
  LogWalk(LogReader& log, PhysicalOffset from) : log_(log), position_(from) {}

  // The record at position(), which then moves behind it; nothing at `to`. The view is valid until the
  // next call.
  Result<const protocol::MessageView*> Next(PhysicalOffset to) { return Next(to, to); }
  // Nothing from `stop` on, which need not be a boundary: the record that lies across it is the last one.
  Result<const protocol::MessageView*> Next(PhysicalOffset to, PhysicalOffset stop);

  // Called for each stretch, before Next returns what lies behind it.
  void SetOnSkipped(std::function<void(const SkippedStretch&)> on_skipped) { on_skipped_ = std::move(on_skipped); }

  // Goes on there, for when the log below it is gone.
  void SkipTo(PhysicalOffset position) {
    position_ = position;
    region_ = Slice();
    region_start_ = PhysicalOffset(-1);
  }
  PhysicalOffset position() const { return position_; }
  // Position of the record last returned.
  PhysicalOffset record_position() const { return record_position_; }

 private:
  void SkipDamage(const char* reason, PhysicalOffset to);
  // A blank ends its file, unless it hides records that were stored after the last one.
  void StepOverBlank(int64_t bytes);
  void SayDamage(PhysicalOffset from, const char* reason);

  LogReader& log_;
  PhysicalOffset position_;
  PhysicalOffset record_position_{-1};
  int64_t record_time_ = 0;  // store time of that record
  Slice region_;             // holds position_ while they match
  PhysicalOffset region_start_{-1};
  RecordCheck check_;
  SkippedStretch skipped_{PhysicalOffset(-1), PhysicalOffset(-1)};  // the last one
  std::function<void(const SkippedStretch&)> on_skipped_;
};

}  // namespace mq::store
