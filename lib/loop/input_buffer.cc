#include "loop/input_buffer.h"

#include <algorithm>
#include <cstring>

namespace mq::loop {
namespace {

// It starts no smaller than this.
constexpr size_t kFirstBytes = 64 * 1024;
// A frame no larger than this gets its room at once, on its announcement alone.
constexpr size_t kTrustedFrameBytes = 1024 * 1024;

}  // namespace

// Room for what was announced, as far as the bytes that did come are worth it: eight bytes that promise the largest
// frame must not reserve that much on each of thousands of connections.
size_t InputBuffer::Trusted(size_t arrived) const {
  return std::min(expected_, std::max(kTrustedFrameBytes, 2 * arrived));
}

std::pair<char*, size_t> InputBuffer::Room() {
  const size_t want = std::max({Trusted(size_), kFirstBytes, size_ + size_ / 2});
  if (want > capacity_) Grow(want);
  return {bytes_.get() + size_, capacity_ - size_};
}

void InputBuffer::Grow(size_t capacity) {
  std::unique_ptr<char[]> bigger(new char[capacity]);
  if (size_ > 0) std::memcpy(bigger.get(), bytes_.get(), size_);
  bytes_ = std::move(bigger);
  capacity_ = capacity;
}

std::string_view InputBuffer::Arrived(const char* base, size_t n) {
  expected_ = 0;
  if (size_ == 0 && base != bytes_.get()) return {base, n};
  size_ += n;
  return {bytes_.get(), size_};
}

std::string_view InputBuffer::Again() {
  expected_ = 0;
  return {bytes_.get(), size_};
}

void InputBuffer::Keep(std::string_view rest) {
  if (rest.empty()) {
    size_ = 0;
    if (expected_ == 0) {
      bytes_.reset();
      capacity_ = 0;
    }
    return;
  }
  // Views of this buffer move to its front; those of the loop's buffer are copied.
  const bool ours = size_ > 0;
  size_ = 0;
  if (!ours && rest.size() > capacity_) Grow(std::max({rest.size(), Trusted(rest.size()), kFirstBytes}));
  std::memmove(bytes_.get(), rest.data(), rest.size());
  size_ = rest.size();
}

}  // namespace mq::loop
