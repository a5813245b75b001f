// Headers of a name server's own business: KV configuration (100, 101, 102, 219), brokers drained of writers (205, 327)
// and the topics of a cluster (224).
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/typed_header.h"

namespace mq::protocol {

// The namespace that says which topics keep order over the whole cluster, and on which queues.
inline constexpr std::string_view kOrderTopicNamespace = "ORDER_TOPIC_CONFIG";

// 100.
struct PutKvConfigRequestHeader : TypedHeader<PutKvConfigRequestHeader> {
  std::string_view key;
  std::string_view space;
  std::string_view value;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("key", self.key);
    fields.Required("namespace", self.space);
    fields.Required("value", self.value);
  }
};

// 101 and 102.
struct KvKeyRequestHeader : TypedHeader<KvKeyRequestHeader> {
  std::string_view key;
  std::string_view space;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("key", self.key);
    fields.Required("namespace", self.space);
  }
};

// Reply of 101.
struct GetKvConfigResponseHeader : TypedHeader<GetKvConfigResponseHeader> {
  std::string_view value;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Optional("value", self.value);
  }
};

// 219.
struct KvNamespaceRequestHeader : TypedHeader<KvNamespaceRequestHeader> {
  std::string_view space;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("namespace", self.space);
  }
};

// 205 and 327.
struct BrokerNameRequestHeader : TypedHeader<BrokerNameRequestHeader> {
  std::string_view broker_name;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("brokerName", self.broker_name);
  }
};

// Reply of 205: the topics that lost the right to be written.
struct WipeWritePermResponseHeader : TypedHeader<WipeWritePermResponseHeader> {
  int32_t topics = 0;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("wipeTopicCount", self.topics);
  }
};

// Reply of 327: the topics that got it back.
struct AddWritePermResponseHeader : TypedHeader<AddWritePermResponseHeader> {
  int32_t topics = 0;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("addTopicCount", self.topics);
  }
};

// 224.
struct ClusterRequestHeader : TypedHeader<ClusterRequestHeader> {
  std::string_view cluster;

  template <class Fields, class Self>
  static void Visit(Fields& fields, Self& self) {
    fields.Required("cluster", self.cluster);
  }
};

}  // namespace mq::protocol
