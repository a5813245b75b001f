#include "broker/send_processor.h"

#include <algorithm>

#include "base/clock.h"
#include "base/java_hash.h"
#include "base/log.h"
#include "base/strings.h"
#include "protocol/ids.h"
#include "protocol/names.h"
#include "protocol/properties.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

struct SendProcessor::Send {
  Channel& channel;
  const CommandView& request;
  protocol::SendMessageRequestHeader header;
  bool waits_for_flush = false;
  int64_t tags_code = 0;
};

SendProcessor::SendProcessor(Core& core)
    : core_(core),
      gate_(
          core, [this](Channel& channel, const CommandView& request) { Process(channel, request); },
          [this](Channel& channel, const CommandView& request, ResponseCode code, const std::string& why) {
            Refuse(channel, request, code, why);
          }) {
  protocol::AppendProperty(cluster_property_, protocol::property::kCluster, core.options.cluster_name);
}

void SendProcessor::Refuse(Channel& channel, const CommandView& request, ResponseCode code, std::string_view remark) {
  ++core_.stats.total.put_failed;
  if (request.is_oneway()) return;
  struct Fields {
    void Encode(protocol::CommandWriter& writer) const { protocol::EncodeSendRefusalFields(writer); }
  };
  channel.Reply(request, code, Fields{}, {}, remark);
}

void SendProcessor::HoldOrRefuse(Channel& channel, const CommandView& request, HeldFor reason) {
  if (gate_.Hold(channel, request, reason)) return;
  Refuse(channel, request, ResponseCode::kSystemBusy,
         "[REJECTREQUEST]system busy, start flow control for a while: " + gate_.Figures());
}

void SendProcessor::Process(Channel& channel, const CommandView& request) {
  if (core_.draining) {
    return Refuse(channel, request, ResponseCode::kServiceNotAvailable, "the broker is shutting down");
  }
  if (!core_.unwritable.empty()) return Refuse(channel, request, ResponseCode::kServiceNotAvailable, core_.unwritable);
  if (gate_.holding()) return HoldOrRefuse(channel, request, gate_.reason());
  auto header = protocol::SendMessageRequestHeader::Decode(request);
  if (!header) return Refuse(channel, request, ResponseCode::kSystemError, header.error().what);
  Send send{channel, request, *header};
  Topic* topic = TopicOf(send);
  if (topic == nullptr) return;
  Queue* queue = QueueOf(send, *topic);
  if (queue == nullptr) return;
  if (!CheckProperties(send)) return;
  Append(send, *topic, *queue);
}

Topic* SendProcessor::TopicOf(Send& send) {
  const std::string_view name = send.header.topic;
  Topic* topic = core_.topics->Find(name);
  if (topic == nullptr) {
    if (auto ok = protocol::CheckTopicName(name); !ok) {
      Refuse(send.channel, send.request, ResponseCode::kSystemError, ok.error().what);
      return nullptr;
    }
  }
  if (protocol::IsForbiddenToSend(name)) {
    Refuse(send.channel, send.request, ResponseCode::kNoPermission,
           "Sending message to topic[" + std::string(name) + "] is forbidden.");
    return nullptr;
  }
  if (topic == nullptr) {
    topic = core_.topics->AutoCreate(name, send.header.default_topic, send.header.default_topic_queues);
    if (topic == nullptr) {
      Refuse(send.channel, send.request, ResponseCode::kTopicNotExist,
             "topic[" + std::string(name) + "] not exist, apply first please! Make it with: mq-admin topic create " +
                 std::string(name));
      return nullptr;
    }
  }
  if ((core_.options.permission & protocol::kPermWrite) == 0) {
    Refuse(send.channel, send.request, ResponseCode::kNoPermission,
           "the broker[" + core_.options.broker_name + "] sending message is forbidden: brokerPermission");
    return nullptr;
  }
  if (!core_.topics->IsReady(*topic)) {
    if (const std::string& problem = core_.topics->save_problem(); !problem.empty()) {
      Refuse(send.channel, send.request, ResponseCode::kServiceNotAvailable,
             "topic[" + std::string(name) + "] cannot be made: " + problem);
      return nullptr;
    }
    HoldOrRefuse(send.channel, send.request, HeldFor::kTopic);
    core_.topics->WhenReady([this](const Status&) { gate_.Release(); });
    return nullptr;
  }
  return topic;
}

Queue* SendProcessor::QueueOf(Send& send, Topic& topic) {
  int32_t id = send.header.queue_id;
  if (id < 0) {
    random_ = random_ * 1664525u + 1013904223u;
    id = topic.config.write_queues > 0
             ? static_cast<int32_t>((random_ >> 8) % static_cast<uint32_t>(topic.config.write_queues))
             : 0;
  }
  Queue* queue = core_.topics->QueueOf(topic, id);
  if (queue == nullptr) {
    Refuse(send.channel, send.request, ResponseCode::kSystemError,
           "request queueId[" + std::to_string(id) + "] is illegal, topic " + topic.config.name + " has " +
               std::to_string(topic.config.write_queues) + " write and " + std::to_string(topic.config.read_queues) +
               " read queues");
  }
  return queue;
}

bool SendProcessor::CheckProperties(Send& send) {
  // One walk over the properties finds all that matters here.
  bool delayed = false;
  bool half = false;
  bool wait = true;
  std::string_view tags;
  protocol::PropertyReader reader(send.header.properties);
  while (const auto pair = reader.Next()) {
    const auto& [name, value] = *pair;
    if (name == protocol::property::kTags) {
      tags = value;
    } else if (name == protocol::property::kWait) {
      wait = !EqualsIgnoreCase(value, "false");
    } else if (name == protocol::property::kDelay) {
      delayed = value != "0";
    } else if (name == protocol::property::kTranMsg) {
      half = EqualsIgnoreCase(value, "true");
    }
  }
  const char* unsupported = delayed ? "delayed messages (property DELAY)"
                            : half  ? "transaction messages (property TRAN_MSG)"
                                    : nullptr;
  if (unsupported != nullptr || (send.header.sys_flag & protocol::sys_flag::kTransactionMask) != 0) {
    Refuse(send.channel, send.request, ResponseCode::kMessageIllegal,
           std::string(unsupported != nullptr ? unsupported : "transaction bits in sysFlag") +
               " are not served by this broker");
    return false;
  }
  send.waits_for_flush = core_.sync_flush() && wait;
  send.tags_code = tags.empty() ? 0 : JavaHash(tags);
  return true;
}

std::string_view SendProcessor::StoredProperties(const Send& send) {
  const std::string_view given = send.header.properties;
  properties_.clear();
  if (send.header.batch || given.find("WAIT\x01") == std::string_view::npos) {
    properties_.append(given);
  } else {
    properties_ = protocol::WithoutProperty(given, protocol::property::kWait);
  }
  // A sender's own CLUSTER (a copied message) is replaced, not doubled.
  if (properties_.find("CLUSTER\x01") != std::string::npos) {
    properties_ = protocol::WithoutProperty(properties_, protocol::property::kCluster);
  }
  if (!properties_.empty() && properties_.back() != protocol::kPropertySeparator) {
    properties_ += protocol::kPropertySeparator;
  }
  properties_ += cluster_property_;
  return properties_;
}

void SendProcessor::Append(Send& send, Topic& topic, Queue& queue) {
  protocol::MessageView message;
  message.topic = topic.config.name;
  message.body = send.request.body;
  message.queue_id = queue.id();
  message.flag = send.header.flag;
  message.sys_flag = send.header.sys_flag;
  if (topic.config.filter_type == "MULTI_TAG") message.sys_flag |= protocol::sys_flag::kMultiTags;
  message.reconsume_times = send.header.reconsume_times;
  message.born_timestamp = send.header.born_timestamp;
  message.born_host = send.channel.peer_host();
  message.store_host = core_.store_host;
  message.properties = StoredProperties(send);
  const int64_t now = NowMs();
  appended_.clear();
  const auto result = send.header.batch
                          ? core_.log->AppendBatch(message, send.request.body, *queue.state, now, &appended_)
                          : core_.log->Append(message, *queue.state, now);
  switch (result.status) {
    case store::AppendStatus::kOk:
      break;
    case store::AppendStatus::kNoBuffer:
      if (core_.options.pool_fail_fast) {
        return Refuse(send.channel, send.request, ResponseCode::kSystemBusy,
                      "[REJECTREQUEST]system busy, start flow control for a while: " + gate_.Figures());
      }
      return HoldOrRefuse(send.channel, send.request, HeldFor::kBuffer);
    case store::AppendStatus::kNoFile:
      return HoldOrRefuse(send.channel, send.request, HeldFor::kFile);
    case store::AppendStatus::kMessageIllegal:
    case store::AppendStatus::kPropertiesSizeExceeded:
      return Refuse(send.channel, send.request, ResponseCode::kMessageIllegal,
                    std::string(result.reason) + " (body " + std::to_string(send.request.body.size()) +
                        " bytes, properties " + std::to_string(send.header.properties.size()) + ", maxMessageSize " +
                        std::to_string(core_.options.store.max_message_bytes) + ")");
    case store::AppendStatus::kFileError:
      return Refuse(send.channel, send.request, ResponseCode::kServiceNotAvailable, result.reason);
  }
  if (send.header.batch) {
    for (const auto& record : appended_) {
      core_.queues->PushRecent(queue, record.queue_offset, {record.physical_offset, record.tags_code, record.bytes});
    }
  } else {
    core_.queues->PushRecent(queue, result.queue_offset,
                             {result.physical_offset, send.tags_code, static_cast<int32_t>(result.bytes)});
  }
  core_.queues->Appended(queue, result.end());
  Count(topic, queue, result);
  if (!send.request.is_oneway()) Answer(send, queue, result);
}

void SendProcessor::Count(Topic& topic, Queue& queue, const store::AppendResult& result) {
  core_.stats.total.put_messages += result.messages;
  core_.stats.total.put_bytes += result.bytes;
  core_.stats.largest_put_bytes = std::max(core_.stats.largest_put_bytes, result.bytes);
  StatsTable& table = core_.counters;
  if (put_nums_ == nullptr) put_nums_ = &table.Get(StatsName::kBrokerPutNums, core_.options.cluster_name);
  put_nums_->Add(result.messages);
  if (topic.put_nums == nullptr) {
    topic.put_nums = &table.Get(StatsName::kTopicPutNums, topic.config.name);
    topic.put_size = &table.Get(StatsName::kTopicPutSize, topic.config.name);
  }
  topic.put_nums->Add(result.messages);
  topic.put_size->Add(result.bytes);
  if (!core_.options.detail_stat) return;
  if (queue.put_nums == nullptr) {
    const std::string key = topic.config.name + "@" + std::to_string(queue.id());
    queue.put_nums = &table.Get(StatsName::kQueuePutNums, key);
    queue.put_size = &table.Get(StatsName::kQueuePutSize, key);
  }
  queue.put_nums->Add(result.messages);
  queue.put_size->Add(result.bytes);
}

void SendProcessor::Answer(Send& send, const Queue& queue, const store::AppendResult& result) {
  message_id_.clear();
  if (send.header.batch) {
    for (const auto& record : appended_) {
      if (!message_id_.empty()) message_id_ += ',';
      protocol::AppendOffsetMessageId(message_id_, core_.store_host, record.physical_offset);
    }
  } else {
    protocol::AppendOffsetMessageId(message_id_, core_.store_host, result.physical_offset);
  }
  const int32_t queue_id = queue.id();
  if (send.waits_for_flush && result.end() > core_.flushed()) {
    return gate_.AnswerWhenFlushed(send.channel, send.request, result.end(), message_id_, queue_id,
                                   result.queue_offset);
  }
  protocol::SendMessageResponseHeader header;
  header.msg_id = message_id_;
  header.queue_id = queue_id;
  header.queue_offset = result.queue_offset;
  send.channel.Reply(send.request, ResponseCode::kSuccess, header, {});
}

void SendProcessor::PutOwn(std::string_view name, std::string_view body, std::string_view properties) {
  Topic* topic = core_.draining || gate_.holding() ? nullptr : core_.topics->Find(name);
  Queue* queue = topic == nullptr ? nullptr : core_.topics->QueueOf(*topic, 0);
  if (queue == nullptr) {
    log::Warn("broker.event", "dropped: no such topic, or sends are held").Field("topic", name);
    return;
  }
  protocol::MessageView message;
  message.topic = topic->config.name;
  message.body = body;
  properties_.assign(properties);
  if (!properties_.empty()) properties_ += protocol::kPropertySeparator;
  properties_ += cluster_property_;
  message.properties = properties_;
  const int64_t now = NowMs();
  message.born_timestamp = now;
  message.born_host = message.store_host = core_.store_host;
  const auto result = core_.log->Append(message, *queue->state, now);
  if (result.status != store::AppendStatus::kOk) {
    log::Warn("broker.event", "dropped: not appended").Field("topic", name).Field("reason", result.reason);
    return;
  }
  core_.queues->PushRecent(
      *queue, result.queue_offset,
      {result.physical_offset, protocol::TagsCode(properties), static_cast<int32_t>(result.bytes)});
  core_.queues->Appended(*queue, result.end());
}

}  // namespace mq::broker
