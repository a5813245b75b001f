// Headers of topic administration, registration, routes and membership (17, 215, 216, 35, 103-105, 322).
// Text fields are views into the frame (decoding) or into what the caller keeps alive (encoding).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"
#include "protocol/topic_config.h"

namespace mq::protocol {

// 17.
struct CreateTopicRequestHeader {
  std::string_view topic;
  std::string_view default_topic;
  int32_t read_queues = 0;
  int32_t write_queues = 0;
  int32_t perm = 0;
  std::string_view filter_type;
  int32_t sys_flag = 0;
  bool order = false;

  static Result<CreateTopicRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// 105, 215, 216: a topic, with what each adds.
struct TopicRequestHeader {
  std::string_view topic;
  std::string_view cluster;                // 216 only; empty: all clusters
  bool accept_standard_json_only = false;  // 105 only

  static Result<TopicRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// 35. An empty group is an absent one.
struct UnregisterClientRequestHeader {
  std::string_view client_id;
  std::string_view producer_group;
  std::string_view consumer_group;

  static Result<UnregisterClientRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// 104, 322, and the common part of 103.
struct BrokerIdentityHeader {
  std::string_view broker_name;
  std::string_view broker_addr;
  std::string_view cluster_name;
  int64_t broker_id = 0;

  static Result<BrokerIdentityHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// 103.
struct RegisterBrokerRequestHeader {
  std::string_view broker_name;
  std::string_view broker_addr;
  std::string_view cluster_name;
  std::string_view ha_server_addr;
  int64_t broker_id = 0;
  bool compressed = false;
  int32_t body_crc32 = 0;  // 0: unchecked

  static Result<RegisterBrokerRequestHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

struct RegisterBrokerResponseHeader {
  std::string_view ha_server_addr;  // both only for a slave with a live master
  std::string_view master_addr;

  static Result<RegisterBrokerResponseHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

// Reply of 322.
struct QueryDataVersionResponseHeader {
  bool changed = true;

  static Result<QueryDataVersionResponseHeader> Decode(const CommandView& command);
  void Encode(CommandWriter& writer) const;
};

}  // namespace mq::protocol
