// Headers of requests about single messages: retries (36), transactions (37, 39, 323), replies on their way to the
// client that asked (326).
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/typed_header.h"

namespace mq::protocol {

// 36.
struct SendBackRequestHeader : TypedHeader<SendBackRequestHeader> {
  int32_t delay_level = 0;
  std::string_view group;
  int32_t max_reconsume_times = -1;
  int64_t offset = 0;
  std::string_view origin_message_id;
  std::string_view origin_topic;
  bool unit_mode = false;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("delayLevel", self.delay_level);
    fields.Required("group", self.group);
    fields.Optional("maxReconsumeTimes", self.max_reconsume_times, int32_t{-1});
    fields.Required("offset", self.offset);
    fields.Optional("originMsgId", self.origin_message_id);
    fields.Optional("originTopic", self.origin_topic);
    fields.Optional("unitMode", self.unit_mode, false);
  }
};

// 37. commitOrRollback: 8 commit, 12 roll back, 0 unknown.
struct EndTransactionRequestHeader : TypedHeader<EndTransactionRequestHeader> {
  int64_t commit_log_offset = 0;
  int32_t decision = 0;
  bool from_check = false;
  std::string_view message_id;
  std::string_view group;
  int64_t queue_offset = 0;
  std::string_view transaction_id;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("commitLogOffset", self.commit_log_offset);
    fields.Required("commitOrRollback", self.decision);
    fields.Optional("fromTransactionCheck", self.from_check, false);
    fields.Required("msgId", self.message_id);
    fields.Required("producerGroup", self.group);
    fields.Required("tranStateTableOffset", self.queue_offset);
    fields.Optional("transactionId", self.transaction_id);
  }
};

// The callback 39.
struct CheckTransactionRequestHeader : TypedHeader<CheckTransactionRequestHeader> {
  int64_t commit_log_offset = 0;
  std::string_view message_id;
  std::string_view offset_message_id;
  int64_t queue_offset = 0;
  std::string_view transaction_id;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("commitLogOffset", self.commit_log_offset);
    fields.Optional("msgId", self.message_id);
    fields.Optional("offsetMsgId", self.offset_message_id);
    fields.Required("tranStateTableOffset", self.queue_offset);
    fields.Optional("transactionId", self.transaction_id);
  }
};

// 323.
struct MessageIdRequestHeader : TypedHeader<MessageIdRequestHeader> {
  std::string_view message_id;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Optional("msgId", self.message_id);
  }
};

// The callback 326.
struct PushReplyRequestHeader : TypedHeader<PushReplyRequestHeader> {
  std::string_view born_host;
  int64_t born_timestamp = 0;
  std::string_view default_topic;
  int32_t default_queues = 0;
  int32_t flag = 0;
  std::string_view group;
  std::string_view properties;
  int32_t queue_id = 0;
  int32_t reconsume_times = 0;
  std::string_view store_host;
  int64_t store_timestamp = 0;
  int32_t sys_flag = 0;
  std::string_view topic;
  bool unit_mode = false;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("bornHost", self.born_host);
    fields.Required("bornTimestamp", self.born_timestamp);
    fields.Required("defaultTopic", self.default_topic);
    fields.Required("defaultTopicQueueNums", self.default_queues);
    fields.Required("flag", self.flag);
    fields.Required("producerGroup", self.group);
    fields.Optional("properties", self.properties);
    fields.Required("queueId", self.queue_id);
    fields.Optional("reconsumeTimes", self.reconsume_times, int32_t{0});
    fields.Required("storeHost", self.store_host);
    fields.Required("storeTimestamp", self.store_timestamp);
    fields.Required("sysFlag", self.sys_flag);
    fields.Required("topic", self.topic);
    fields.Optional("unitMode", self.unit_mode, false);
  }
};

}  // namespace mq::protocol
