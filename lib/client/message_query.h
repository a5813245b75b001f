// Finding single messages: by the position in an offset id, and by key or id in the index of every broker of a topic.
// For tools: each call runs the loop until its answers are there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/admin.h"
#include "protocol/ids.h"
#include "protocol/message.h"

namespace mq::client {

// A record as the broker keeps it, and whose it is.
struct FoundMessage {
  std::string record;
  std::string broker;

  // Whole and sound: it was decoded when it came.
  protocol::MessageView view() const { return *protocol::DecodeMessage(record); }
};

struct KeyQuery {
  std::string topic;
  std::string key;
  bool by_id = false;  // the key is the id that the producer's client made
  int32_t max_messages = 32;
  int64_t begin_timestamp = 0;
  int64_t end_timestamp = INT64_MAX;
};

struct KeyAnswer {
  std::vector<FoundMessage> messages;                   // by store time; only what really has the key
  std::vector<std::pair<std::string, Error>> failures;  // broker names that gave no answer
};

// Asks one address of every broker that holds the topic. kNotFound when the topic does not exist.
Result<KeyAnswer> FindByKey(Admin& admin, const KeyQuery& query);

// The broker at which the offset id's message lies, if its address is one that the name servers tell: anything else in
// an id is somebody's claim. With a single broker given: that one.
Result<std::optional<BrokerAddress>> BrokerOfId(Admin& admin, const protocol::OffsetMessageId& id);

// The message of an offset id. kNotFound, with the broker's reason, when no record of that id lies there.
Result<FoundMessage> ViewByOffsetId(Admin& admin, const BrokerAddress& broker, const protocol::OffsetMessageId& id);

}  // namespace mq::client
