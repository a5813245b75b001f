// FirstRecord: which entry of a queue is the first whose record lies at or behind a position of the log, when any of
// its entries may be damaged.
//
// Positions grow along a queue, so it is a binary search; but an entry counts only when its neighbours are in order
// with it, otherwise as one without a record. In doubt the answer is too low, never too high: what is below it nobody
// reads any more. O(log n) page reads, more only where entries are damaged. Used by ConsumeQueueReader (the minimum
// offset), by QueueWriter (which files have expired) and by CheckQueues.
#pragma once

#include <optional>

#include "base/result.h"
#include "store/mapped_file.h"
#include "store/queue_entry.h"
#include "store/types.h"

namespace mq::store {

class FirstRecord {
 public:
  // `files` of the queue, which outlives this object.
  FirstRecord(MappedFileReader& files, PhysicalOffset min) : files_(files), min_(min) {}

  // Among the offsets [begin, end); `end` when all of their records lie below the position.
  Result<QueueOffset> Find(QueueOffset begin, QueueOffset end);

 private:
  struct Believed {
    QueueOffset offset;
    PhysicalOffset position;
  };
  // The entry as it lies there, of a record or not; nothing where there is no file.
  Result<std::optional<QueueEntry>> At(QueueOffset at);
  // The first in [from, to) that stands for a record and is in order with those next to it.
  Result<std::optional<Believed>> NextBelieved(QueueOffset from, QueueOffset to);
  Result<bool> IsInOrder(QueueOffset at, PhysicalOffset position);
  // One past the last that is believed to lie below the position, with that one in *last.
  Result<QueueOffset> BehindLastBelow(QueueOffset low, QueueOffset high, PhysicalOffset* last);
  // An entry in front of `at` that lies at or behind the position, which none can when the one there lies below it.
  Result<std::optional<QueueOffset>> Contradiction(QueueOffset at);
  Result<QueueOffset> FirstInDoubt(QueueOffset from, PhysicalOffset last);

  MappedFileReader& files_;
  PhysicalOffset min_;
  QueueOffset begin_;
  QueueOffset end_;
  FilePin file_;
};

}  // namespace mq::store
