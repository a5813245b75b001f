// Journal: what was sent, what was acknowledged, and what must be found after the next start.
//
// Message n has a body that says n and its length and is otherwise determined by n, so that every byte can be checked.
// A topic that is deleted and made again has another generation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
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
  bool unsure = false;        // a power cut may have taken it; no recovery has said yet
  bool gone = false;          // a recovery did not have it: it must never come back
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

  // The machine stopped: with a power cut only what lies below `flushed` is sure, or, with `all`, everything that was
  // acknowledged.
  void RequireAfterCrash(int64_t flushed, bool all);

  // The log of a broker that has just become ready: everything required is there, whole, where it was; nothing that was
  // gone has come back; the numbers of each queue have no gap and follow the order of sending. Then everything found is
  // required, and what was sent before and is not there is gone.
  Status CheckRecovered(const store::StoreOptions& options, const store::Positions& positions);
  // After a clean stop: the store has no fault, each required key is found in the index, topics are as acknowledged.
  Status CheckStopped(const store::StoreOptions& options);

  // What is known of topics made and deleted on request.
  std::map<std::string, TopicState> topics;
  uint64_t lost_unacknowledged() const { return lost_; }

 private:
  std::vector<SentMessage> messages_;
  uint64_t acknowledged_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace mq::crash
