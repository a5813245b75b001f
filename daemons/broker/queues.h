// Queues: every queue of every topic as the broker's processors see it, with how far it may be read.
//
// A message is *visible* to consumers when its record is whole in the log and, with SYNC_FLUSH, flushed: nobody
// consumes what a crash may still take away. With a transient pool the log is where it is committed. Fed by the send
// processor (Appended) and by the flushed or committed position (Reveal);
// read by the pull and offset processors. Pointers to a Queue stay valid for the broker's life. Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "broker/bounds.h"
#include "store/queue_table.h"
#include "store/recent_ring.h"
#include "store/types.h"

namespace mq::broker {

struct HeldPull;
class StatsItem;

struct Queue {
  store::QueueState* state = nullptr;  // state->next is what the next append gets
  store::RecentRing ring;
  store::QueueOffset visible_max;               // one past the newest message that consumers may see
  std::optional<store::QueueOffset> boot_min;   // remembered of BootMinimums
  uint32_t needs_tombstones = 0;                // the consume queue is believed once reputd has applied this many
  std::vector<std::unique_ptr<HeldPull>> held;  // pulls that wait for this queue (pull_hold.h)
  bool advanced = false;                        // visible_max has grown in this turn
  StatsItem* put_nums = nullptr;                // of StatsTable, from the first message on
  StatsItem* put_size = nullptr;

  Queue();
  ~Queue();  // where HeldPull is known
  const std::string& topic() const { return state->topic; }
  int32_t id() const { return state->queue_id; }
};

class Queues {
 public:
  // `on_advanced` is called, at most once a turn and queue, when visible_max of a queue grows.
  // `reveal`: appended messages are shown by Reveal, not at once.
  Queues(store::QueueTable& table, bool reveal, std::function<void(Queue&)> on_advanced);

  Queue* Find(std::string_view topic, int32_t queue_id);
  Queue& GetOrCreate(std::string_view topic, int32_t queue_id);

  // `messages` records of the queue were appended; the last one ends at `end`. Entries go to the ring one by one.
  void PushRecent(Queue& queue, store::QueueOffset offset, const store::RecentEntry& entry) {
    queue.ring.Push(offset, entry, budget_);
  }
  void Appended(Queue& queue, store::PhysicalOffset end);
  // The log is flushed, or committed, up to here.
  void Reveal(store::PhysicalOffset visible_end);
  // After recovery: everything in the table is durable, so all of it is visible.
  void RevealAll();

  // The topic was deleted; its queues start again at 0 and old entries are not read before `tombstones` are applied.
  void ResetTopic(std::string_view topic, uint32_t tombstones);
  void ForEach(const std::function<void(Queue&)>& visit);
  // One more than the largest queue id of which recovery has seen messages; 0: none.
  int32_t RecoveredQueues(std::string_view topic) const;

 private:
  struct Key {
    std::string_view topic;
    int32_t queue_id;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const noexcept {
      return std::hash<std::string_view>()(key.topic) ^ (static_cast<size_t>(key.queue_id) * 0x9E3779B97F4A7C15u);
    }
  };
  struct Unrevealed {
    store::PhysicalOffset end;
    Queue* queue;
    store::QueueOffset max;
  };
  void Show(Queue& queue, store::QueueOffset max);

  store::QueueTable& table_;
  bool reveal_;
  std::function<void(Queue&)> on_advanced_;
  store::RingBudget budget_{bounds::kRingEntries};
  std::unordered_map<Key, std::unique_ptr<Queue>, KeyHash> queues_;
  std::deque<Unrevealed> unrevealed_;  // in log order; only with `reveal`
};

}  // namespace mq::broker
