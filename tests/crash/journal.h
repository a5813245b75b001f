// Journal: what was sent, what was acknowledged, and what must be found after the next start.
//
// Message n has a body that says n and its length and is otherwise determined by n, so that every byte can be checked.
// A topic that is deleted and made again has another generation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/message.h"
#include "store/positions.h"
#include "store/store_options.h"

namespace mq::crash {

struct SentMessage {
  std::string topic;
  int32_t queue = 0;
  int32_t body_bytes = 0;
  bool acknowledged = false;
  int64_t position = -1;      // in the log, once known
  int64_t queue_offset = -1;  // once known
  bool required = false;      // every later recovery must find it
  bool memory_only =
      false;             // required, but until a recovery has brought it into the log only as long as there is power
  bool unsure = false;   // a power cut may have taken it; no recovery has said yet
  bool expired = false;  // its log file was removed
  bool gone = false;     // a recovery did not have it: it must never come back
};

std::string BodyOf(uint64_t id, int32_t bytes);
std::string KeyOf(uint64_t id);
// Nothing unless it is exactly the body of some message.
bool ParseBody(std::string_view body, uint64_t* id);

enum class TopicState { kUnknown, kMade, kDeleted };

class Journal {
 public:
  uint64_t Add(std::string topic, int32_t queue, int32_t body_bytes);
  void Acknowledge(uint64_t id, int64_t position, int64_t queue_offset);
  SentMessage& at(uint64_t id) { return messages_[id]; }
  size_t size() const { return messages_.size(); }
  uint64_t acknowledged() const { return acknowledged_; }

  // Log files below `min` may go from now on, and nothing else.
  void MayGo(int64_t min) { may_go_ = std::max(may_go_, min); }
  // All processes were killed, or stopped: everything that was acknowledged is sure. From `in_files` on it is in memory
  // (the transient pool) and goes with the machine's power until a recovery has brought it into the log.
  void RequireAfterKill(int64_t in_files);
  // The power went: only what lies below `flushed` is sure, or, with `all`, everything that was acknowledged.
  void RequireAfterCut(int64_t flushed, bool all);

  // The log of a broker that has just become ready: it begins with the first file that had not to go; everything
  // required is there, whole, where it was; nothing that was gone has come back; the numbers of each queue have no gap,
  // also not over what has expired, and follow the order of sending. Then everything found is required, and what was
  // sent before and is not there is gone.
  Status CheckRecovered(const store::StoreOptions& options, const store::Positions& positions);
  // `offset` was said to be a queue's minimum while the log's minimum went from `before` to `after`.
  Status CheckMinOffset(const std::string& topic, int32_t queue, int64_t offset, int64_t before, int64_t after) const;
  // After a clean stop: the store has no fault, each required key is found in the index, topics are as acknowledged.
  Status CheckStopped(const store::StoreOptions& options);

  // What is known of topics made and deleted on request.
  std::map<std::string, TopicState> topics;
  uint64_t lost_unacknowledged() const { return lost_; }

 private:
  using QueueKey = std::pair<std::string, int32_t>;
  struct QueueEnd {
    int64_t next = 0;
    uint64_t last_id = 0;
    bool seen = false;  // a record that is there, not only ones that have expired
  };
  // What a walk over the log has seen so far.
  struct Seen {
    std::vector<bool> messages;
    std::map<QueueKey, QueueEnd> queues;
    bool expired = false;  // the log does not begin at 0
  };
  Status CheckRecord(const protocol::MessageView& record, int64_t position, Seen& seen);
  Result<Seen> Walk(const store::StoreOptions& options, store::PhysicalOffset begin, store::PhysicalOffset end);
  std::map<QueueKey, QueueEnd> ExpiredEnds(int64_t begin) const;

  std::vector<SentMessage> messages_;
  int64_t may_go_ = 0;
  uint64_t acknowledged_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace mq::crash
