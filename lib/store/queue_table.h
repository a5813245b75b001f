// QueueTable: the next queue offset of every queue; the broker's own truth about numbering.
//
// Fed by recovery, advanced by CommitLog::Append and by nobody else. QueueState pointers stay valid as
// long as the table: the broker caches one per queue beside its topic configuration. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/types.h"

namespace mq::store {

// A jump in numbering beyond this is no gap but a forged or damaged record: it gets no entry, and does not count,
// unless the queue's next record follows it, and then up to the second bound: that many numbers (2 GB of entries) is
// what several lost files of the log may have held.
inline constexpr int64_t kMaxGapEntries = 1000000;
inline constexpr int64_t kMaxBelievedGap = 100000000;
// Beyond it an offset is no place in a file.
inline constexpr QueueOffset kMaxQueueOffset{INT64_MAX / 64};

struct QueueState {
  QueueOffset next;  // queue offset the next message gets; the queue's maximum offset
  std::string topic;
  int32_t queue_id = 0;
  // Position of the end of the newest record of this queue in this process's life; 0 = none yet.
  PhysicalOffset last_record_end;
  // What recovery has seen: one record only, whose offset may be wrong; as the last one a record whose offset fits
  // nothing (PendingRecord; -1: none); the record that showed that what was before it does not count (-1: none).
  bool alone = false;
  QueueOffset pending{-1};
  PhysicalOffset began_again{-1};
  // There was something of it at the start; the first of its records that the walk of the start met (-1: none).
  bool recovered = false;
  QueueOffset first_walked{-1};
};

class QueueTable {
 public:
  // Nothing when the queue was never written. No allocation.
  QueueState* Find(std::string_view topic, int32_t queue_id);
  const QueueState* Find(std::string_view topic, int32_t queue_id) const;
  // Makes it with next offset 0 where missing.
  QueueState& GetOrCreate(std::string_view topic, int32_t queue_id);
  // A record of that offset lies in the log at `at`: what the queue writer would make of it decides (queue_writer.h).
  void Note(std::string_view topic, int32_t queue_id, QueueOffset offset, PhysicalOffset at);
  // At the start: raises the next offset, never lowers it.
  void Raise(std::string_view topic, int32_t queue_id, QueueOffset next);
  // The topic was deleted: its queues start again at 0. States stay valid.
  void ResetTopic(std::string_view topic);

  template <class Visitor>
  void ForEach(Visitor visit) const {
    for (const auto& [key, state] : states_) visit(*state);
  }
  size_t size() const { return states_.size(); }

 private:
  struct Key {
    std::string_view topic;  // points into the state
    int32_t queue_id;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const noexcept {
      return std::hash<std::string_view>()(key.topic) ^ (static_cast<size_t>(key.queue_id) * 0x9E3779B97F4A7C15u);
    }
  };
  std::unordered_map<Key, std::unique_ptr<QueueState>, KeyHash> states_;
};

}  // namespace mq::store
