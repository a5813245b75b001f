#include "broker/queue_entries_processor.h"

#include <algorithm>
#include <string>

#include "protocol/broker_views.h"
#include "protocol/query_headers.h"
#include "store/consume_queue.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

void QueueEntriesProcessor::Process(Channel& channel, const CommandView& request) {
  if (request.is_oneway()) return;
  const auto header = protocol::QueryConsumeQueueRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  const std::string name = std::to_string(header->queue_id) + "@" + std::string(header->topic);
  Queue* queue = core_.queues->Find(header->topic, header->queue_id);
  if (queue == nullptr) return channel.Reply(request, ResponseCode::kSystemError, name + " is not exist!");
  protocol::ConsumeQueueView view;
  if (!header->consumer_group.empty()) AddSubscription(view, header->consumer_group, header->topic);
  const auto min = core_.MinOffset(*queue);
  if (!min) return channel.Reply(request, ResponseCode::kSystemBusy, Core::MinUnknown(*queue));
  view.min_index = min->value();
  view.max_index = queue->visible_max.value();
  if (!AddEntries(view, *queue, header->index, header->count)) {
    return channel.Reply(request, ResponseCode::kSystemBusy, "the entries of " + name + " are not dispatched yet");
  }
  std::string remark;
  if (view.entries.empty())
    remark = "Index " + std::to_string(header->index.value()) + " of " + name + " is not exist!";
  channel.ReplyBody(request, protocol::EncodeConsumeQueueView(view), remark);
}

void QueueEntriesProcessor::AddSubscription(protocol::ConsumeQueueView& view, std::string_view group,
                                            std::string_view topic) const {
  if (const ConsumerGroup* consumers = clients_.FindConsumers(group)) {
    const auto found = consumers->subscriptions.find(topic);
    if (found != consumers->subscriptions.end()) view.subscription = found->second;
  }
  // RocketMQ says it in the place of the filter.
  if (!view.subscription) view.filter_data = std::string(group) + "@" + std::string(topic) + " is not online!";
}

bool QueueEntriesProcessor::AddEntries(protocol::ConsumeQueueView& view, Queue& queue, store::QueueOffset from,
                                       int32_t count) const {
  const auto add = [&view](store::PhysicalOffset position, int32_t bytes, int64_t tags_code) {
    protocol::ConsumeQueueData& entry = view.entries.emplace_back();
    entry.physical_offset = position.value();
    entry.physical_size = bytes;
    entry.tags_code = tags_code;
    entry.eval = view.subscription && view.subscription->MatchesCode(tags_code);
  };
  const store::QueueOffset end = std::min(from + std::clamp(count, 0, kMaxEntries), queue.visible_max);
  for (store::QueueOffset at = from; at.value() >= view.min_index && at < end;) {
    if (queue.ring.Covers(at)) {
      const store::RecentEntry& entry = queue.ring[at];
      add(entry.physical_offset, entry.bytes, entry.tags_code);
      ++at;
      continue;
    }
    if (!core_.QueueFileIsBelieved(queue)) return !view.entries.empty();
    const auto span = core_.queue_reader->Read(queue.topic(), queue.id(), at, end - at);
    if (!span || span->count == 0) return !view.entries.empty();
    for (int64_t i = 0; i < span->count; ++i, ++at) {
      const store::QueueEntry entry = (*span)[i];
      add(entry.physical_offset, entry.bytes, entry.tags_code);
    }
  }
  return true;
}

}  // namespace mq::broker
