// OutputQueue: bytes that wait to be sent on a connection, in order: some its own, some views that a pin keeps valid.
//
// Its own bytes of one turn gather in one buffer, which is kept for the next turn. Used by connection.cc. Loop thread
// only.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

struct uv_buf_t;

namespace mq::loop {

class OutputQueue {
 public:
  // To append to; valid until the next call.
  std::string& Tail();
  // Where bytes go that nobody will send.
  std::string& Nowhere();
  void AddPinned(std::shared_ptr<const void> pin, std::string_view bytes);

  bool empty() const { return chunks_.empty(); }
  size_t pieces() const { return chunks_.size(); }
  size_t bytes() const;
  // Writes at most `most` pieces that are not empty; `total` is their sum. Drops everything when all are empty.
  unsigned Gather(uv_buf_t* bufs, size_t most, size_t* total);
  // The first `n` bytes have been sent.
  void Consume(size_t n);
  // Takes over all that `other` holds; this one must be empty.
  void Take(OutputQueue& other) { chunks_.swap(other.chunks_); }

 private:
  struct Chunk {
    std::string owned;
    std::shared_ptr<const void> pin;
    std::string_view view;
    std::string_view bytes() const { return pin ? view : std::string_view(owned); }
  };
  std::deque<Chunk> chunks_;
  std::string spare_;  // an empty buffer with capacity, for the next turn
};

}  // namespace mq::loop
