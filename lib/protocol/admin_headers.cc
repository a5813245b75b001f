#include "protocol/admin_headers.h"

#include "protocol/field_reader.h"

namespace mq::protocol {

Result<CreateTopicRequestHeader> CreateTopicRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  CreateTopicRequestHeader header;
  header.default_topic = reader.OptionalText("defaultTopic");
  header.order = reader.OptionalBool("order", false);
  header.perm = reader.Int("perm");
  header.read_queues = reader.Int("readQueueNums");
  header.topic = reader.Text("topic");
  header.filter_type = reader.OptionalText("topicFilterType", "SINGLE_TAG");
  header.sys_flag = reader.OptionalInt("topicSysFlag", 0);
  header.write_queues = reader.Int("writeQueueNums");
  MQ_TRY(reader.status());
  return header;
}

void CreateTopicRequestHeader::Encode(CommandWriter& writer) const {
  writer.Ext("defaultTopic", default_topic);
  writer.Ext("order", order);
  writer.Ext("perm", perm);
  writer.Ext("readQueueNums", read_queues);
  writer.Ext("topic", topic);
  writer.Ext("topicFilterType", filter_type);
  writer.Ext("topicSysFlag", sys_flag);
  writer.Ext("writeQueueNums", write_queues);
}

Result<TopicRequestHeader> TopicRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  TopicRequestHeader header;
  header.topic = reader.Text("topic");
  header.cluster = reader.OptionalText("clusterName");
  header.accept_standard_json_only = reader.OptionalBool("acceptStandardJsonOnly", false);
  MQ_TRY(reader.status());
  return header;
}

void TopicRequestHeader::Encode(CommandWriter& writer) const {
  if (accept_standard_json_only) writer.Ext("acceptStandardJsonOnly", true);
  if (!cluster.empty()) writer.Ext("clusterName", cluster);
  writer.Ext("topic", topic);
}

Result<UnregisterClientRequestHeader> UnregisterClientRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  UnregisterClientRequestHeader header;
  header.client_id = reader.Text("clientID");
  header.producer_group = reader.OptionalText("producerGroup");
  header.consumer_group = reader.OptionalText("consumerGroup");
  MQ_TRY(reader.status());
  return header;
}

void UnregisterClientRequestHeader::Encode(CommandWriter& writer) const {
  writer.Ext("clientID", client_id);
  if (!consumer_group.empty()) writer.Ext("consumerGroup", consumer_group);
  if (!producer_group.empty()) writer.Ext("producerGroup", producer_group);
}

Result<BrokerIdentityHeader> BrokerIdentityHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  BrokerIdentityHeader header;
  header.broker_addr = reader.Text("brokerAddr");
  header.broker_id = reader.Long("brokerId");
  header.broker_name = reader.Text("brokerName");
  header.cluster_name = reader.Text("clusterName");
  MQ_TRY(reader.status());
  return header;
}

void BrokerIdentityHeader::Encode(CommandWriter& writer) const {
  writer.Ext("brokerAddr", broker_addr);
  writer.Ext("brokerId", broker_id);
  writer.Ext("brokerName", broker_name);
  writer.Ext("clusterName", cluster_name);
}

Result<RegisterBrokerRequestHeader> RegisterBrokerRequestHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  RegisterBrokerRequestHeader header;
  header.body_crc32 = reader.OptionalInt("bodyCrc32", 0);
  header.broker_addr = reader.Text("brokerAddr");
  header.broker_id = reader.Long("brokerId");
  header.broker_name = reader.Text("brokerName");
  header.cluster_name = reader.Text("clusterName");
  header.compressed = reader.OptionalBool("compressed", false);
  header.ha_server_addr = reader.Text("haServerAddr");
  MQ_TRY(reader.status());
  return header;
}

void RegisterBrokerRequestHeader::Encode(CommandWriter& writer) const {
  writer.Ext("bodyCrc32", body_crc32);
  writer.Ext("brokerAddr", broker_addr);
  writer.Ext("brokerId", broker_id);
  writer.Ext("brokerName", broker_name);
  writer.Ext("clusterName", cluster_name);
  writer.Ext("compressed", compressed);
  writer.Ext("haServerAddr", ha_server_addr);
}

Result<RegisterBrokerResponseHeader> RegisterBrokerResponseHeader::Decode(const CommandView& command) {
  RegisterBrokerResponseHeader header;
  header.ha_server_addr = command.Find("haServerAddr").value_or(std::string_view());
  header.master_addr = command.Find("masterAddr").value_or(std::string_view());
  return header;
}

void RegisterBrokerResponseHeader::Encode(CommandWriter& writer) const {
  if (!ha_server_addr.empty()) writer.Ext("haServerAddr", ha_server_addr);
  if (!master_addr.empty()) writer.Ext("masterAddr", master_addr);
}

Result<QueryDataVersionResponseHeader> QueryDataVersionResponseHeader::Decode(const CommandView& command) {
  FieldReader reader(command);
  QueryDataVersionResponseHeader header;
  header.changed = reader.Bool("changed");
  MQ_TRY(reader.status());
  return header;
}

void QueryDataVersionResponseHeader::Encode(CommandWriter& writer) const { writer.Ext("changed", changed); }

}  // namespace mq::protocol
