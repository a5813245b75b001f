// LogWalk: the records of a range of the log in order, stepping over blanks and damage the one way that
// recovery, the queue-offset table and reput all take, so that they see the same records.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "store/commit_log.h"
#include "store/record.h"

namespace mq::store {

class LogWalk {
 public:
  // Records in [from, to); both are record boundaries (or `from` lies in front of damage).
  LogWalk(LogReader& log, PhysicalOffset from) : log_(log), position_(from) {}

  // The record at position(), which then moves behind it; nothing at `to`. The view is valid until the
  // next call.
  Result<const protocol::MessageView*> Next(PhysicalOffset to) { return Next(to, to); }
  // Nothing from `stop` on, which need not be a boundary: the record that lies across it is the last one.
  Result<const protocol::MessageView*> Next(PhysicalOffset to, PhysicalOffset stop);

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
  void SayDamage(PhysicalOffset from, const char* reason) const;

  LogReader& log_;
  PhysicalOffset position_;
  PhysicalOffset record_position_{-1};
  int64_t record_time_ = 0;  // store time of that record
  Slice region_;             // holds position_ while they match
  PhysicalOffset region_start_{-1};
  RecordCheck check_;
};

}  // namespace mq::store
