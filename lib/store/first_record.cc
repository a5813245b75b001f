#include "store/first_record.h"

#include <algorithm>

namespace mq::store {

namespace {

// How far a neighbour with a record is looked for: behind a longer gap there is none.
constexpr int64_t kNeighbours = 16;

}  // namespace

Result<std::optional<QueueEntry>> FirstRecord::At(QueueOffset at) {
  const int64_t position = at.value() * kQueueEntryBytes;
  if (file_ == nullptr || position < file_->start() || position >= file_->end()) {
    auto file = files_.Get(position);
    if (!file && file.error().code == ErrorCode::kNotFound) return std::optional<QueueEntry>();
    if (!file) return std::move(file).error();
    file_ = std::move(*file);
  }
  return std::optional(LoadQueueEntry(file_->data() + (position - file_->start())));
}

Result<bool> FirstRecord::IsInOrder(QueueOffset at, PhysicalOffset position) {
  for (QueueOffset before = at; before > begin_ && at - before < kNeighbours;) {
    before = before - 1;
    MQ_ASSIGN(const auto entry, At(before));
    if (!entry || !entry->IsRecord()) continue;
    if (entry->physical_offset >= position) return false;
    break;
  }
  for (QueueOffset behind = at + 1; behind < end_ && behind - at <= kNeighbours; ++behind) {
    MQ_ASSIGN(const auto entry, At(behind));
    if (entry && entry->IsRecord()) return position < entry->physical_offset;
  }
  return true;
}

Result<std::optional<FirstRecord::Believed>> FirstRecord::NextBelieved(QueueOffset from, QueueOffset to) {
  const int64_t in_file = files_.file_bytes() / kQueueEntryBytes;
  for (QueueOffset at = from; at < to; ++at) {
    MQ_ASSIGN(const auto entry, At(at));
    if (!entry) {
      at = QueueOffset((at.value() / in_file + 1) * in_file - 1);
      continue;
    }
    if (!entry->IsRecord()) continue;
    MQ_ASSIGN(const bool believed, IsInOrder(at, entry->physical_offset));
    if (believed) return std::optional(Believed{at, entry->physical_offset});
  }
  return std::optional<Believed>();
}

Result<QueueOffset> FirstRecord::BehindLastBelow(QueueOffset low, QueueOffset high, PhysicalOffset* last) {
  *last = PhysicalOffset(-1);
  while (low < high) {
    const QueueOffset middle = low + (high - low) / 2;
    MQ_ASSIGN(const auto next, NextBelieved(middle, high));
    if (next && next->position < min_) {
      low = next->offset + 1;
      *last = next->position;
    } else {
      high = middle;
    }
  }
  return low;
}

// In growing steps: a page in the middle may hold entries of another one, which are in order with each other.
Result<std::optional<QueueOffset>> FirstRecord::Contradiction(QueueOffset at) {
  for (int64_t step = 1; at - begin_ >= step; step *= 2) {
    MQ_ASSIGN(const auto entry, At(at - step));
    if (!entry || !entry->IsRecord() || entry->physical_offset < min_) continue;
    MQ_ASSIGN(const bool believed, IsInOrder(at - step, entry->physical_offset));
    if (believed) return std::optional(at - step);
  }
  return std::optional<QueueOffset>();
}

// The few behind the last one that is believed: those that go on in order have expired as well.
Result<QueueOffset> FirstRecord::FirstInDoubt(QueueOffset from, PhysicalOffset last) {
  for (QueueOffset at = from; at < end_; ++at) {
    MQ_ASSIGN(const auto entry, At(at));
    if (entry && entry->IsPreBlank()) continue;
    const bool expired = entry && entry->IsValid() && entry->physical_offset < min_ && entry->physical_offset > last;
    if (!expired) return at;
    last = entry->physical_offset;
  }
  return end_;
}

Result<QueueOffset> FirstRecord::Find(QueueOffset begin, QueueOffset end) {
  begin_ = begin;
  end_ = end;
  for (QueueOffset high = end;;) {
    PhysicalOffset last;
    MQ_ASSIGN(const QueueOffset low, BehindLastBelow(begin, high, &last));
    if (low == begin) return FirstInDoubt(low, last);
    MQ_ASSIGN(const auto contradiction, Contradiction(low - 1));
    if (!contradiction) return FirstInDoubt(low, last);
    high = *contradiction;
  }
}

}  // namespace mq::store
