#include "store/log_walk.h"

#include <algorithm>

#include "base/log.h"

namespace mq::store {

Result<const protocol::MessageView*> LogWalk::Next(PhysicalOffset to, PhysicalOffset stop) {
  while (position_ < std::min(to, stop)) {
    const int64_t at = position_ - region_start_;
    if (region_start_.value() < 0 || at < 0 || at >= static_cast<int64_t>(region_.bytes.size())) {
      MQ_ASSIGN(region_, log_.ReadRegion(position_));
      region_start_ = position_;
      if (static_cast<int64_t>(region_.bytes.size()) > to - position_) {
        region_.bytes = region_.bytes.substr(0, static_cast<size_t>(to - position_));
      }
      continue;
    }
    check_ = CheckRecord(region_.bytes.substr(static_cast<size_t>(at)), position_, protocol::BodyCheck::kSkip);
    if (check_.kind == RecordKind::kMessage) {
      record_position_ = position_;
      record_time_ = check_.message.store_timestamp;
      position_ += check_.bytes;
      return &check_.message;
    }
    if (check_.kind == RecordKind::kBlank) {
      StepOverBlank(check_.bytes);
    } else {
      SkipDamage(check_.reason, to);
    }
  }
  return nullptr;
}

void LogWalk::StepOverBlank(int64_t bytes) {
  const std::string_view rest = region_.bytes.substr(static_cast<size_t>(position_ - region_start_));
  const auto hidden = FindRecordInBlank(rest, position_, record_time_);
  const PhysicalOffset from = position_;
  position_ = hidden ? *hidden : position_ + bytes;
  if (hidden) SayDamage(from, kHidesRecords);
}

// Damage that recovery has kept: go on at the next whole record of this file, else at the next file.
void LogWalk::SkipDamage(const char* reason, PhysicalOffset to) {
  const PhysicalOffset from = position_;
  auto next = FindNextRecord(region_.bytes, region_start_, position_ + 1);
  position_ = next ? *next : std::min(region_start_ + static_cast<int64_t>(region_.bytes.size()), to);
  SayDamage(from, reason);
}

void LogWalk::SayDamage(PhysicalOffset from, const char* reason) {
  log::Warn("store.walk", "damaged stretch of the commit log skipped")
      .Field("offset", from.value())
      .Field("to", position_.value())
      .Field("reason", reason);
  skipped_ = from == skipped_.to ? SkippedStretch{skipped_.from, position_, skipped_.reason}
                                 : SkippedStretch{from, position_, reason};
  if (on_skipped_) on_skipped_(skipped_);
}

}  // namespace mq::store
