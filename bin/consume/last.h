// --last N: keeps the newest messages while queues are read, and says which stretch of a queue must be read next.
//
// Each queue is read backwards in stretches: first its last N messages; when tags or --grep left fewer than N of them,
// a stretch before it, twice as long, until N are found or the queue begins. Pure bookkeeping, no I/O.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/consumer.h"
#include "stream/writer.h"

namespace mq::consume {

// A message that outlives the callback it came in.
struct KeptMessage {
  protocol::MessageView record;  // its views are into the strings below
  std::string topic;
  std::string body;
  std::string properties;
  std::string broker;

  static std::unique_ptr<KeptMessage> Of(const client::PulledMessage& message);
  stream::OutputMessage view() const { return {.record = &record, .body = body, .broker = broker}; }
};

class LastMessages {
 public:
  LastMessages(std::int64_t wanted, bool per_queue) : wanted_(wanted), per_queue_(per_queue) {}

  struct Stretch {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  // Offsets [min, max) of a queue; returns the stretch to read first, or nothing for an empty queue.
  std::optional<Stretch> Begin(const client::MessageQueue& queue, std::int64_t min, std::int64_t max);
  void Add(const client::MessageQueue& queue, const client::PulledMessage& message);
  // The stretch is read: the next one to read, or nothing when this queue is done.
  std::optional<Stretch> Next(const client::MessageQueue& queue);

  // The chosen messages, oldest first by store time. Leaves the object empty.
  std::vector<std::unique_ptr<KeptMessage>> Take();

 private:
  struct Queue {
    std::int64_t min = 0;
    Stretch stretch;
    std::vector<std::unique_ptr<KeptMessage>> found;    // of all stretches read, oldest first
    std::vector<std::unique_ptr<KeptMessage>> reading;  // of the present stretch
  };

  std::int64_t wanted_;
  bool per_queue_;
  std::map<client::MessageQueue, Queue> queues_;
};

}  // namespace mq::consume
