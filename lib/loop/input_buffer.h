// InputBuffer: bytes that arrived on a connection and were not consumed yet, most of the time none.
//
// What comes whole is read into the loop's own buffer and never copied; only the rest of it, a frame that is not
// complete, is kept here, and then the next bytes are read behind it in place. Used by connection.cc. Loop thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace mq::loop {

class InputBuffer {
 public:
  bool empty() const { return size_ == 0; }
  // Nothing waits and nothing is announced: read into the loop's buffer.
  bool wants_loop_buffer() const { return size_ == 0 && expected_ == 0; }
  // Where to read the next bytes otherwise.
  std::pair<char*, size_t> Room();
  // `n` bytes were read at `base` (of the loop's buffer or of Room): all that waits. Ends what was announced.
  std::string_view Arrived(const char* base, size_t n);
  // All that waits, once more.
  std::string_view Again();
  // What the handler left of the view it was given last.
  void Keep(std::string_view rest);
  // The frame that began will have this many bytes.
  void Expect(size_t bytes) { expected_ = bytes; }

 private:
  size_t Trusted(size_t arrived) const;
  void Grow(size_t capacity);

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t expected_ = 0;
};

}  // namespace mq::loop
