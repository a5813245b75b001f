#include "broker/stats.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace mq::broker {

void Stats::Sample(int64_t now_ms) {
  points_[count_ % kPoints] = {now_ms, total};
  ++count_;
  const time_t seconds = now_ms / 1000;
  tm local{};
  localtime_r(&seconds, &local);
  if (day_ != -1 && day_ != local.tm_yday) {
    put_yesterday_ = put_today_;
    got_yesterday_ = got_today_;
    put_today_ = total.put_messages;
    got_today_ = total.transferred;
  }
  day_ = local.tm_yday;
}

double Stats::RateOver(int64_t seconds, int64_t Counters::*member) const {
  if (count_ < 2) return 0;
  const Point& newest = points_[(count_ - 1) % kPoints];
  const size_t back = std::min({static_cast<size_t>(seconds), count_ - 1, kPoints - 1});
  const Point& oldest = points_[(count_ - 1 - back) % kPoints];
  const int64_t ms = newest.time_ms - oldest.time_ms;
  if (ms <= 0) return 0;
  return static_cast<double>(newest.counters.*member - oldest.counters.*member) * 1000.0 / static_cast<double>(ms);
}

std::string Stats::Rates(int64_t Counters::*member) const {
  char text[96];
  std::snprintf(text, sizeof text, "%.3f %.3f %.3f", RateOver(10, member), RateOver(60, member), RateOver(600, member));
  return text;
}

std::string Stats::GetTotalRates() const {
  char text[96];
  const auto both = [this](int64_t s) {
    return RateOver(s, &Counters::get_found) + RateOver(s, &Counters::get_missed);
  };
  std::snprintf(text, sizeof text, "%.3f %.3f %.3f", both(10), both(60), both(600));
  return text;
}

}  // namespace mq::broker
