// The three offsets of RocketMQ, as three types that do not convert into each other.
//
//   PhysicalOffset  bytes in the commit log, counted over all its files
//   QueueOffset     messages in one queue (20-byte units of its consume queue)
//   ConsumerOffset  how far a consumer group has come in one queue
//
// A mix-up of these compiles nowhere. They are plain 64-bit values: pass them by value.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace mq::protocol {

template <class Tag>
class Offset {
 public:
  constexpr Offset() = default;
  constexpr explicit Offset(int64_t value) : value_(value) {}

  constexpr int64_t value() const { return value_; }

  constexpr auto operator<=>(const Offset&) const = default;
  constexpr Offset operator+(int64_t n) const { return Offset(value_ + n); }
  constexpr Offset operator-(int64_t n) const { return Offset(value_ - n); }
  constexpr Offset& operator+=(int64_t n) {
    value_ += n;
    return *this;
  }
  constexpr Offset& operator++() {
    ++value_;
    return *this;
  }
  // The distance between two offsets is a plain number.
  constexpr int64_t operator-(Offset other) const { return value_ - other.value_; }

 private:
  int64_t value_ = 0;
};

using PhysicalOffset = Offset<struct PhysicalOffsetTag>;
using QueueOffset = Offset<struct QueueOffsetTag>;
using ConsumerOffset = Offset<struct ConsumerOffsetTag>;

}  // namespace mq::protocol

template <class Tag>
struct std::hash<mq::protocol::Offset<Tag>> {
  size_t operator()(mq::protocol::Offset<Tag> offset) const noexcept { return std::hash<int64_t>()(offset.value()); }
};
