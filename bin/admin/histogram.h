// Latencies in buckets of two per cent: a fixed table, no allocation while measuring.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mq::admin {

class Histogram {
 public:
  void Add(int64_t nanoseconds) {
    const auto value = static_cast<uint64_t>(nanoseconds < 0 ? 0 : nanoseconds);
    ++counts_[IndexOf(value)];
    ++total_;
    if (value > max_) max_ = value;
  }
  uint64_t count() const { return total_; }
  double max_us() const { return static_cast<double>(max_) / 1000; }
  // The value below which that share of all lies, in microseconds; 0 without values.
  double PercentileUs(double share) const {
    if (total_ == 0) return 0;
    const auto wanted = static_cast<uint64_t>(share * static_cast<double>(total_ - 1)) + 1;
    uint64_t seen = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted) {
        const uint64_t middle = LowerBoundOf(i) + (LowerBoundOf(i + 1) - LowerBoundOf(i)) / 2;
        return static_cast<double>(middle < max_ ? middle : max_) / 1000;
      }
    }
    return max_us();
  }

 private:
  // 64 steps within each power of two.
  static constexpr int kStepBits = 6;
  static constexpr size_t kSteps = size_t{1} << kStepBits;
  static size_t IndexOf(uint64_t value) {
    if (value < kSteps) return value;
    const int shift = std::bit_width(value) - 1 - kStepBits;
    return (static_cast<size_t>(shift) + 1) * kSteps + static_cast<size_t>((value >> shift) - kSteps);
  }
  static uint64_t LowerBoundOf(size_t index) {
    if (index < kSteps) return index;
    const size_t shift = index / kSteps - 1;
    return (uint64_t{kSteps} + index % kSteps) << shift;
  }

  std::array<uint64_t, (64 - kStepBits + 1) * kSteps + 1> counts_{};
  uint64_t total_ = 0;
  uint64_t max_ = 0;
};

}  // namespace mq::admin
