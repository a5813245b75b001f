#include "broker/progress_processor.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "protocol/broker_views.h"
#include "protocol/group_headers.h"
#include "protocol/lists.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

int64_t ProgressProcessor::TimeOf(Queue& queue, int64_t offset) const {
  if (offset < 0) return 0;
  const auto position = core_.PositionOf(queue, store::QueueOffset(offset));
  return position ? core_.log_reader->StoreTimestamp(*position).value_or(0) : 0;
}

void ProgressProcessor::ProcessTopicStats(Channel& channel, const CommandView& request) {
  const auto header = protocol::TopicOnlyRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const Topic* topic = core_.topics->Find(header->topic);
  if (topic == nullptr) {
    return channel.Reply(request, ResponseCode::kTopicNotExist, "topic[" + std::string(header->topic) + "] not exist");
  }
  protocol::TopicStatsTable table;
  for (int32_t id = 0; id < topic->config.write_queues; ++id) {
    protocol::TopicOffset& at = table[{topic->config.name, core_.options.broker_name, id}];
    Queue* queue = core_.queues->Find(header->topic, id);
    if (queue == nullptr) continue;
    const auto min = core_.MinOffset(*queue);
    if (!min) return channel.Reply(request, ResponseCode::kSystemBusy, Core::MinUnknown(*queue));
    at.min_offset = min->value();
    at.max_offset = queue->visible_max.value();
    at.last_update_timestamp = TimeOf(*queue, at.max_offset - 1);
  }
  channel.ReplyBody(request, protocol::EncodeTopicStats(table));
}

void ProgressProcessor::AddTopic(std::string_view group, const Topic& topic, protocol::ConsumeStats* stats) {
  const std::string& name = topic.config.name;
  for (int32_t id = 0; id < topic.config.read_queues; ++id) {
    protocol::OffsetWrapper& at = stats->offsets[{name, core_.options.broker_name, id}];
    const auto offset = core_.offsets->Find(group, name, id);
    Queue* queue = core_.queues->Find(name, id);
    if (queue != nullptr) at.broker_offset = queue->visible_max.value();
    // The group has all that is there before it, and not what has expired, whether or not it has an offset of its own.
    // While that is not known (MinOffset), its own offset is all that can be said.
    const int64_t min = queue != nullptr ? core_.MinOffset(*queue).value_or(store::QueueOffset(0)).value() : 0;
    at.consumer_offset = std::max(offset.value_or(min), min);
    if (queue != nullptr && offset) at.last_timestamp = TimeOf(*queue, *offset - 1);
  }
  if (const StatsItem* item = core_.counters.Find("GROUP_GET_NUMS", name + "@" + std::string(group))) {
    stats->consume_tps += item->Of(StatsItem::kMinute, MonotonicMs()).tps;
  }
}

// A group that is online is asked about what it consumes now; what it has left behind is not its progress.
bool ProgressProcessor::IsSubscribed(std::string_view group, std::string_view topic) const {
  const ConsumerGroup* online = clients_.FindConsumers(group);
  return online == nullptr || online->subscriptions.empty() || online->subscriptions.contains(topic);
}

void ProgressProcessor::ProcessConsumeStats(Channel& channel, const CommandView& request) {
  const auto header = protocol::ConsumeStatsRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  std::vector<std::string> topics;
  if (header->topic.empty()) {
    topics = core_.offsets->TopicsOf(header->group);
  } else {
    topics.emplace_back(header->topic);
  }
  protocol::ConsumeStats stats;
  for (const std::string& name : topics) {
    const Topic* topic = core_.topics->Find(name);
    if (topic != nullptr && IsSubscribed(header->group, name)) AddTopic(header->group, *topic, &stats);
  }
  channel.ReplyBody(request, protocol::EncodeConsumeStats(stats));
}

void ProgressProcessor::ProcessAllConsumeStats(Channel& channel, const CommandView& request) {
  const auto header = protocol::BrokerConsumeStatsRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  protocol::ConsumeStatsList list;
  list.broker_address = core_.options.advertised_host + ":" + std::to_string(core_.store_host.port);
  for (const auto& [group, config] : core_.groups->Snapshot().groups) {
    std::vector<protocol::ConsumeStats> all;
    for (const std::string& name : core_.offsets->TopicsOf(group)) {
      const Topic* topic = core_.topics->Find(name);
      if (topic == nullptr || (header->order && !topic->config.order)) continue;
      if (!IsSubscribed(group, name)) continue;
      AddTopic(group, *topic, &all.emplace_back());
      list.total_diff += all.back().Lag();
    }
    list.groups.emplace_back(group, std::move(all));
  }
  channel.ReplyBody(request, protocol::EncodeConsumeStatsList(list));
}

void ProgressProcessor::ProcessWhoConsumes(Channel& channel, const CommandView& request) {
  const auto header = protocol::TopicOnlyRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const std::vector<std::string> stored = core_.offsets->GroupsOf(header->topic);
  std::set<std::string> groups(stored.begin(), stored.end());
  for (const auto& [name, group] : clients_.consumers()) {
    if (group.subscriptions.contains(header->topic)) groups.insert(name);
  }
  channel.ReplyBody(request, protocol::EncodeGroupList({groups.begin(), groups.end()}));
}

void ProgressProcessor::ProcessCounters(Channel& channel, const CommandView& request) {
  const auto header = protocol::BrokerStatsRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const StatsItem* item = core_.counters.Find(header->name, header->key);
  if (item == nullptr) {
    return channel.Reply(request, ResponseCode::kSystemError,
                         "The stats <" + std::string(header->name) + "> <" + std::string(header->key) + "> not exist");
  }
  channel.ReplyBody(request, protocol::EncodeBrokerStats(StatsTable::Data(*item, MonotonicMs())));
}

}  // namespace mq::broker
