// MessageQueue: one queue of one broker, as it stands in bodies, alone or as the key of a map.
//
// fastjson writes a map whose keys are objects with the object itself as the key: {{"brokerName":...}:5,...}. Go's
// client cuts such text by position, so it is written without blanks and with its members in alphabetical order.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace mq::protocol {

struct MessageQueue {
  std::string topic;
  std::string broker_name;
  int32_t queue_id = 0;
  auto operator<=>(const MessageQueue&) const = default;
};

void WriteJson(json::Writer& writer, const MessageQueue& queue);
Result<MessageQueue> MessageQueueFromJson(const json::Value& value);

// The queue that a key names: its JSON text, as json::Parse gives it for a key that was an object or a quoted string.
Result<MessageQueue> MessageQueueFromKey(std::string_view key);

template <class T>
using QueueMap = std::map<MessageQueue, T>;

// Writes {queue:value,...}; `write` writes one value.
template <class T, class Write>
void WriteQueueMap(json::Writer& writer, const QueueMap<T>& map, const Write& write) {
  writer.BeginObject();
  for (const auto& [queue, value] : map) {
    json::Writer key;
    WriteJson(key, queue);
    writer.RawKey(key.text());
    write(value);
  }
  writer.EndObject();
}

// Calls `each(queue, value)` for every entry of such a map; a missing map (null pointer) is an empty one.
Status ReadQueueMap(const json::Value* map, const std::function<Status(MessageQueue, const json::Value&)>& each);

// The same for maps from queues to numbers.
void WriteQueueOffsets(json::Writer& writer, const QueueMap<int64_t>& map);
Result<QueueMap<int64_t>> ReadQueueOffsets(const json::Value* map);

}  // namespace mq::protocol
