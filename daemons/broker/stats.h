// Stats: what the broker counts about itself, for runtime info (28). Counting is one addition; a timer samples once a
// second for the rates. Memory only. Loop thread only. Spec: protocol 3.13.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace mq::broker {

class Stats {
 public:
  struct Counters {
    int64_t put_messages = 0;
    int64_t put_bytes = 0;
    int64_t put_failed = 0;
    int64_t get_found = 0;    // pulls that found something
    int64_t get_missed = 0;   // pulls that did not
    int64_t transferred = 0;  // messages handed out
  };
  Counters total;
  int64_t largest_put_bytes = 0;

  // Once a second.
  void Sample(int64_t now_ms);
  // "10s 60s 600s" as three numbers a second, of the counter picked by `member`.
  std::string Rates(int64_t Counters::*member) const;
  std::string GetTotalRates() const;
  // Messages put and handed out before local midnight of today, and of yesterday.
  int64_t put_until_today() const { return put_today_; }
  int64_t put_until_yesterday() const { return put_yesterday_; }
  int64_t got_until_today() const { return got_today_; }
  int64_t got_until_yesterday() const { return got_yesterday_; }

 private:
  struct Point {
    int64_t time_ms = 0;
    Counters counters;
  };
  double RateOver(int64_t seconds, int64_t Counters::*member) const;

  static constexpr size_t kPoints = 601;
  std::array<Point, kPoints> points_{};
  size_t count_ = 0;
  int day_ = -1;
  int64_t put_today_ = 0;
  int64_t put_yesterday_ = 0;
  int64_t got_today_ = 0;
  int64_t got_yesterday_ = 0;
};

}  // namespace mq::broker
