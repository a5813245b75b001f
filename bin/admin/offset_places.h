// Where a group stands in each queue, as mq-admin offset shows and moves it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admin/context.h"
#include "protocol/message_queue.h"

namespace mq::admin {

// One queue and the group's place in it.
struct Place {
  protocol::MessageQueue queue;
  std::string address;            // of the broker
  int64_t min = 0;                // offset of the first message
  int64_t max = 0;                // offset of the next message
  std::optional<int64_t> offset;  // where the group goes on; nothing: the broker has nothing stored
  std::optional<int64_t> at;      // the offset that belongs to the time that was asked for
};

// Which queues; empty or nothing: all of them.
struct PlaceFilter {
  std::string topic;
  std::optional<int64_t> queue = {};
  std::string broker = {};
  std::optional<int64_t> time = {};  // look up `at` as well: the first message stored then or later
};

// The offset that an answer to a question about one says; nothing when it says that there is none.
Result<std::optional<int64_t>> OffsetIn(const Result<protocol::Command>& reply);

// The places of a group, sorted by topic, broker and queue. Queues of brokers that do not answer are failures of the
// outcome. kNotFound when the topic does not exist.
Result<std::vector<Place>> FindPlaces(Context& context, const std::string& group, const PlaceFilter& filter,
                                      Outcome& outcome);

}  // namespace mq::admin
