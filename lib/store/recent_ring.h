// RecentRing: the newest entries of one queue in the broker's own memory.
//
// Fed by the send processor right after an append; read by the pull processor, so that a consumer at the tail never
// waits for mq-reputd. The ring holds a contiguous run of queue offsets that ends at the queue's maximum; what is older
// comes from the consume queue. Derived, bounded, lost at every stop. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/types.h"

namespace mq::store {

struct RecentEntry {
  PhysicalOffset physical_offset;
  int64_t tags_code = 0;
  int32_t bytes = 0;
};
static_assert(sizeof(RecentEntry) == 24);

// How many entries all rings of a broker may hold together. A ring that may not grow forgets its oldest entry instead.
class RingBudget {
 public:
  explicit RingBudget(size_t entries) : left_(entries) {}
  bool Take(size_t entries) {
    if (entries > left_) return false;
    left_ -= entries;
    return true;
  }
  void GiveBack(size_t entries) { left_ += entries; }

 private:
  size_t left_;
};

class RecentRing {
 public:
  static constexpr size_t kFirstEntries = 16;  // of a ring that the budget may not refuse
  static constexpr size_t kMaxEntries = 8192;

  // Appends the entry of `offset`. One that does not continue the run starts a new run.
  void Push(QueueOffset offset, const RecentEntry& entry, RingBudget& budget) {
    if (offset != end_) begin_ = end_ = offset;
    if (size() == entries_.size() && !Grow(budget)) ++begin_;
    entries_[Slot(offset)] = entry;
    end_ = offset + 1;
  }

  QueueOffset begin() const { return begin_; }
  QueueOffset end() const { return end_; }
  bool Covers(QueueOffset offset) const { return begin_ <= offset && offset < end_; }
  const RecentEntry& operator[](QueueOffset offset) const { return entries_[Slot(offset)]; }

  void Clear(RingBudget& budget) {
    budget.GiveBack(taken_);
    taken_ = 0;
    entries_ = {};
    begin_ = end_ = QueueOffset(0);
  }

 private:
  size_t size() const { return static_cast<size_t>(end_ - begin_); }
  // Sizes are powers of two, so that an offset's slot never changes between two growths.
  size_t Slot(QueueOffset offset) const { return static_cast<size_t>(offset.value()) & (entries_.size() - 1); }

  bool Grow(RingBudget& budget) {
    const size_t bigger = entries_.empty() ? kFirstEntries : entries_.size() * 2;
    if (bigger > kMaxEntries) return false;
    const size_t more = bigger - entries_.size();
    if (budget.Take(more)) {
      taken_ += more;
    } else if (!entries_.empty()) {
      return false;
    }
    std::vector<RecentEntry> grown(bigger);
    for (QueueOffset offset = begin_; offset < end_; ++offset) {
      grown[static_cast<size_t>(offset.value()) & (bigger - 1)] = entries_[Slot(offset)];
    }
    entries_.swap(grown);
    return true;
  }

  std::vector<RecentEntry> entries_;
  size_t taken_ = 0;  // of the budget
  QueueOffset begin_;
  QueueOffset end_;
};

}  // namespace mq::store
