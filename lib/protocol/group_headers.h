// Headers of requests about groups, their clients and their offsets, and of the callbacks a broker makes to clients.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/typed_header.h"

namespace mq::protocol {

// 14.
struct QueryConsumerOffsetRequestHeader : TypedHeader<QueryConsumerOffsetRequestHeader> {
  std::string_view group;
  int32_t queue_id = 0;
  bool zero_if_not_found = true;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("consumerGroup", self.group);
    fields.Required("queueId", self.queue_id);
    fields.Optional("setZeroIfNotFound", self.zero_if_not_found, true);
    fields.Required("topic", self.topic);
  }
};

// 15. -1 is a legal offset.
struct UpdateConsumerOffsetRequestHeader : TypedHeader<UpdateConsumerOffsetRequestHeader> {
  int64_t offset = 0;
  std::string_view group;
  int32_t queue_id = 0;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("commitOffset", self.offset);
    fields.Required("consumerGroup", self.group);
    fields.Required("queueId", self.queue_id);
    fields.Required("topic", self.topic);
  }
};

// 38, 40, 203.
struct ConsumerGroupRequestHeader : TypedHeader<ConsumerGroupRequestHeader> {
  std::string_view group;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("consumerGroup", self.group);
  }
};

// 204.
struct ProducerGroupRequestHeader : TypedHeader<ProducerGroupRequestHeader> {
  std::string_view group;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("producerGroup", self.group);
  }
};

// 207.
struct DeleteGroupRequestHeader : TypedHeader<DeleteGroupRequestHeader> {
  std::string_view group;
  bool remove_offset = false;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("groupName", self.group);
    fields.Optional("removeOffset", self.remove_offset, false);
  }
};

// 208. Without a topic: all that the group consumes.
struct ConsumeStatsRequestHeader : TypedHeader<ConsumeStatsRequestHeader> {
  std::string_view group;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("consumerGroup", self.group);
    fields.Optional("topic", self.topic);
  }
};

// 317.
struct BrokerConsumeStatsRequestHeader : TypedHeader<BrokerConsumeStatsRequestHeader> {
  bool order = false;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("isOrder", self.order);
  }
};

// 222 and the callback 220. A timestamp of -1 is the end.
struct ResetOffsetRequestHeader : TypedHeader<ResetOffsetRequestHeader> {
  std::string_view group;
  bool force = false;
  int64_t timestamp = 0;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("group", self.group);
    fields.Required("isForce", self.force);
    fields.Required("timestamp", self.timestamp);
    fields.Required("topic", self.topic);
  }
};

// 223 and the callback 221.
struct ConsumerStatusRequestHeader : TypedHeader<ConsumerStatusRequestHeader> {
  std::string_view client_id;
  std::string_view group;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Optional("clientAddr", self.client_id);
    fields.Required("group", self.group);
    fields.Required("topic", self.topic);
  }
};

// 300.
struct TopicOnlyRequestHeader : TypedHeader<TopicOnlyRequestHeader> {
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("topic", self.topic);
  }
};

// 303.
struct ConsumeTimeSpanRequestHeader : TypedHeader<ConsumeTimeSpanRequestHeader> {
  std::string_view group;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("group", self.group);
    fields.Required("topic", self.topic);
  }
};

// 307, as a request and as a callback.
struct RunningInfoRequestHeader : TypedHeader<RunningInfoRequestHeader> {
  std::string_view client_id;
  std::string_view group;
  bool jstack = false;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("clientId", self.client_id);
    fields.Required("consumerGroup", self.group);
    fields.Optional("jstackEnable", self.jstack, false);
  }
};

// 308. The groups are separated by commas.
struct CorrectionOffsetRequestHeader : TypedHeader<CorrectionOffsetRequestHeader> {
  std::string_view compare_group;
  std::string_view filter_groups;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("compareGroup", self.compare_group);
    fields.Optional("filterGroups", self.filter_groups);
    fields.Required("topic", self.topic);
  }
};

// 309, as a request and as a callback.
struct ConsumeDirectlyRequestHeader : TypedHeader<ConsumeDirectlyRequestHeader> {
  std::string_view broker_name;
  std::string_view client_id;
  std::string_view group;
  std::string_view message_id;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Optional("brokerName", self.broker_name);
    fields.Optional("clientId", self.client_id);
    fields.Required("consumerGroup", self.group);
    fields.Optional("msgId", self.message_id);
  }
};

// 314.
struct CloneGroupOffsetRequestHeader : TypedHeader<CloneGroupOffsetRequestHeader> {
  std::string_view destination;
  bool offline = false;
  std::string_view source;
  std::string_view topic;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("destGroup", self.destination);
    fields.Optional("offline", self.offline, false);
    fields.Required("srcGroup", self.source);
    fields.Optional("topic", self.topic);
  }
};

// 315.
struct BrokerStatsRequestHeader : TypedHeader<BrokerStatsRequestHeader> {
  std::string_view key;
  std::string_view name;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("statsKey", self.key);
    fields.Required("statsName", self.name);
  }
};

}  // namespace mq::protocol
