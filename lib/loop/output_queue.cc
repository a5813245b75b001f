#include "loop/output_queue.h"

#include <uv.h>

#include <utility>

namespace mq::loop {
namespace {

// A buffer that grew past this is given back once it is empty.
constexpr size_t kKeepBytes = 1024 * 1024;

}  // namespace

std::string& OutputQueue::Tail() {
  if (chunks_.empty() || chunks_.back().pin) {
    chunks_.emplace_back();
    chunks_.back().owned = std::move(spare_);
    chunks_.back().owned.clear();
  }
  return chunks_.back().owned;
}

std::string& OutputQueue::Nowhere() {
  spare_.clear();
  return spare_;
}

void OutputQueue::AddPinned(std::shared_ptr<const void> pin, std::string_view bytes) {
  chunks_.push_back({{}, std::move(pin), bytes});
}

size_t OutputQueue::bytes() const {
  size_t n = 0;
  for (const Chunk& chunk : chunks_) n += chunk.bytes().size();
  return n;
}

unsigned OutputQueue::Gather(uv_buf_t* bufs, size_t most, size_t* total) {
  unsigned count = 0;
  for (const Chunk& chunk : chunks_) {
    if (count == most) break;
    const std::string_view bytes = chunk.bytes();
    if (bytes.empty()) continue;
    bufs[count++] = uv_buf_init(const_cast<char*>(bytes.data()), static_cast<unsigned>(bytes.size()));
    *total += bytes.size();
  }
  if (count == 0) chunks_.clear();
  return count;
}

void OutputQueue::Consume(size_t n) {
  while (!chunks_.empty()) {
    Chunk& front = chunks_.front();
    const size_t size = front.bytes().size();
    if (n < size) {
      if (front.pin) {
        front.view.remove_prefix(n);
      } else {
        front.owned.erase(0, n);
      }
      return;
    }
    n -= size;
    if (!front.pin && front.owned.capacity() > spare_.capacity() && front.owned.capacity() <= kKeepBytes) {
      spare_ = std::move(front.owned);
      spare_.clear();
    }
    chunks_.pop_front();
  }
}

}  // namespace mq::loop
