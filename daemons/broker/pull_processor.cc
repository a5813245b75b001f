#include "broker/pull_processor.h"

#include <algorithm>

#include "base/clock.h"
#include "broker/range_writer.h"
#include "broker/send_processor.h"
#include "protocol/names.h"
#include "protocol/offset_bodies.h"
#include "protocol/properties.h"
#include "protocol/subscription.h"
#include "store/residency.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;

namespace {
// What was appended last is in the page cache: it is not asked for.
constexpr int64_t kSurelyInMemoryBytes = 16 * 1024 * 1024;
constexpr int64_t kMovedEventMs = 60000;
constexpr size_t kMaxMovedKeys = 10000;
}  // namespace

PullProcessor::PullProcessor(Core& core, Clients& clients, SendProcessor& sends)
    : core_(core), clients_(clients), sends_(sends), reader_(core), hold_(core.loop, [this](HeldPull& pull, bool last) {
        return TryAgain(pull, last);
      }) {}

Queue* PullProcessor::Admit(Channel& channel, const CommandView& request,
                            const protocol::PullMessageRequestHeader& header) {
  const auto refuse = [&](ResponseCode code, std::string text) {
    channel.Reply(request, code, text);
    return nullptr;
  };
  if ((core_.options.permission & protocol::kPermRead) == 0) {
    return refuse(ResponseCode::kNoPermission,
                  "the broker[" + core_.options.broker_name + "] pulling message is forbidden: brokerPermission");
  }
  std::string why;
  const auto* group = core_.groups->FindOrCreate(header.consumer_group, &why);
  if (group == nullptr) {
    return refuse(ResponseCode::kSubscriptionGroupNotExist,
                  "subscription group [" + std::string(header.consumer_group) + "] does not exist: " + why);
  }
  if (!group->consume_enable) {
    return refuse(ResponseCode::kNoPermission,
                  "subscription group no permission, " + std::string(header.consumer_group) + ": consumeEnable is off");
  }
  Topic* topic = core_.topics->Find(header.topic);
  if (topic == nullptr) {
    return refuse(ResponseCode::kTopicNotExist,
                  "topic[" + std::string(header.topic) + "] not exist, apply first please!");
  }
  if ((topic->config.perm & protocol::kPermRead) == 0) {
    return refuse(ResponseCode::kNoPermission, "the topic[" + topic->config.name + "] pulling message is forbidden");
  }
  Queue* queue = header.queue_id < topic->config.read_queues ? core_.topics->QueueOf(*topic, header.queue_id) : nullptr;
  if (queue == nullptr) {
    return refuse(ResponseCode::kSystemError, "queueId[" + std::to_string(header.queue_id) + "] is illegal, topic " +
                                                  topic->config.name + " has " +
                                                  std::to_string(topic->config.read_queues) + " read queues");
  }
  return queue;
}

bool PullProcessor::FilterOf(Channel& channel, const CommandView& request,
                             const protocol::PullMessageRequestHeader& header, TagFilter* filter) {
  const auto refuse = [&](ResponseCode code, std::string_view text) {
    channel.Reply(request, code, text);
    return false;
  };
  const bool tag_type = header.expression_type.empty() || header.expression_type == "TAG";
  if ((header.sys_flag & protocol::pull_flag::kSubscription) != 0) {
    if (!tag_type) {
      return refuse(ResponseCode::kSystemError,
                    "The broker does not support consumer to filter message by " + std::string(header.expression_type));
    }
    if (header.subscription.empty() || header.subscription == "*") return true;
    auto subscription = protocol::BuildSubscription(header.topic, header.subscription, header.sub_version);
    if (!subscription)
      return refuse(ResponseCode::kSubscriptionParseFailed, "parse the consumer's subscription failed");
    filter->codes = std::move(subscription->codes);
    return true;
  }
  const ConsumerGroup* group = clients_.FindConsumers(header.consumer_group);
  if (group == nullptr) {
    return refuse(ResponseCode::kSubscriptionNotExist,
                  "the consumer's group info not exist: no heartbeat of group " + std::string(header.consumer_group));
  }
  const auto* config = core_.groups->Find(header.consumer_group);
  if (config != nullptr && !config->consume_broadcast_enable &&
      group->message_model == protocol::MessageModel::kBroadcasting) {
    return refuse(ResponseCode::kNoPermission, "the consumer group[" + std::string(header.consumer_group) +
                                                   "] can not consume by broadcast way: consumeBroadcastEnable is off");
  }
  const auto found = group->subscriptions.find(header.topic);
  if (found == group->subscriptions.end()) {
    return refuse(ResponseCode::kSubscriptionNotExist,
                  "the consumer's subscription not exist: topic " + std::string(header.topic));
  }
  if (found->second.sub_version < header.sub_version) {
    return refuse(ResponseCode::kSubscriptionNotLatest, "the consumer's subscription not latest");
  }
  if (!found->second.is_tag_type()) {
    return refuse(ResponseCode::kSystemError,
                  "The broker does not support consumer to filter message by " + found->second.expression_type);
  }
  filter->codes = found->second.codes;
  return true;
}

void PullProcessor::Process(Channel& channel, const CommandView& request) {
  const auto header = protocol::PullMessageRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  Queue* queue = Admit(channel, request, *header);
  if (queue == nullptr) return;
  TagFilter filter;
  if (!FilterOf(channel, request, *header, &filter)) return;
  if ((header->sys_flag & protocol::pull_flag::kCommitOffset) != 0 && header->commit_offset.value() >= 0) {
    core_.offsets->Advance(header->consumer_group, header->topic, header->queue_id, header->commit_offset.value());
  }

  auto& result = reader_.Get(*queue, header->queue_offset, header->max_msg_nums, filter);
  const ResponseCode code = CodeOf(result, header->queue_offset);
  const bool in_gap = result.status == GetMessageStatus::kGap;
  const bool suspend = (header->sys_flag & protocol::pull_flag::kSuspend) != 0;
  const bool may_hold = suspend || in_gap;
  if (code == ResponseCode::kPullNotFound && may_hold && !request.is_oneway()) {
    auto pull = std::make_unique<HeldPull>();
    pull->channel = channel.weak_from_this();
    pull->type = request.type;
    pull->opaque = request.opaque;
    pull->queue = queue;
    pull->group = header->consumer_group;
    pull->offset = header->queue_offset;
    pull->checked = std::max(header->queue_offset, queue->visible_max);
    pull->max_messages = header->max_msg_nums;
    pull->filter = std::move(filter);
    // Who did not ask to wait does not wait as long as it would have been ready to: in a gap it is told so soon.
    const int64_t asked_ms = suspend && core_.options.long_polling ? header->suspend_timeout_ms : 0;
    const bool at_least_short = in_gap || !core_.options.long_polling;
    pull->deadline_ms =
        MonotonicMs() + std::max<int64_t>(asked_ms, at_least_short ? core_.options.short_polling_ms : 0);
    // Nobody rings when the log can be read again.
    if (result.failed) pull->deadline_ms = MonotonicMs() + core_.options.short_polling_ms;
    pull->in_gap = in_gap;
    if (hold_.Park(std::move(pull))) return;
    return channel.Reply(request, ResponseCode::kSystemBusy,
                         "[REJECTREQUEST]system busy: " + std::to_string(hold_.held()) + " pulls (" +
                             std::to_string(hold_.held_bytes()) + " bytes) are held already");
  }
  if (code == ResponseCode::kPullOffsetMoved) {
    ReportOffsetMoved(*queue, header->consumer_group, header->queue_offset, result.next);
  }
  if (request.is_oneway()) return;
  Count(header->consumer_group, *queue, result);
  Answer(channel, protocol::ReplyHead(request, code, GetMessageStatusName(result.status)), result);
}

bool PullProcessor::TryAgain(HeldPull& pull, bool last) {
  const auto channel = pull.channel.lock();
  if (!channel) return true;
  if (!last && !pull.in_gap) {
    if (pull.queue->visible_max > pull.checked && !reader_.MayMatch(*pull.queue, pull.checked, pull.filter)) {
      pull.checked = pull.queue->visible_max;
      return false;
    }
  }
  auto& result = reader_.Get(*pull.queue, pull.offset, pull.max_messages, pull.filter);
  const ResponseCode code = CodeOf(result, pull.offset);
  pull.in_gap = result.status == GetMessageStatus::kGap;
  if (code == ResponseCode::kPullNotFound && !last) return false;
  protocol::CommandHead head;
  head.type = pull.type;
  head.code = static_cast<int32_t>(code);
  head.opaque = pull.opaque;
  head.flag = protocol::kFlagResponse;
  head.remark = GetMessageStatusName(result.status);
  Count(pull.group, *pull.queue, result);
  Answer(*channel, head, result);
  return true;
}

void PullProcessor::Count(std::string_view group, const Queue& queue, const GetMessageResult& result) {
  if (result.messages == 0) return;
  StatsTable& table = core_.counters;
  table.Get(StatsName::kBrokerGetNums, core_.options.cluster_name).Add(result.messages);
  key_.assign(queue.topic()).append(1, '@').append(group);
  table.Get(StatsName::kGroupGetNums, key_).Add(result.messages);
  table.Get(StatsName::kGroupGetSize, key_).Add(result.bytes);
  if (!core_.options.detail_stat) return;
  key_.assign(queue.topic()).append(1, '@').append(std::to_string(queue.id())).append(1, '@').append(group);
  table.Get(StatsName::kQueueGetNums, key_).Add(result.messages);
  table.Get(StatsName::kQueueGetSize, key_).Add(result.bytes);
}

ResponseCode PullProcessor::CodeOf(const GetMessageResult& result, store::QueueOffset asked) const {
  switch (result.status) {
    case GetMessageStatus::kFound:
      return ResponseCode::kSuccess;
    case GetMessageStatus::kNoMatchedMessage:
    case GetMessageStatus::kMessageWasRemoving:
      return ResponseCode::kPullRetryImmediately;
    case GetMessageStatus::kNoMatchedLogicQueue:
    case GetMessageStatus::kNoMessageInQueue:
      return asked.value() == 0 ? ResponseCode::kPullNotFound : ResponseCode::kPullOffsetMoved;
    case GetMessageStatus::kOffsetFoundNull:
    case GetMessageStatus::kOffsetOverflowOne:
    case GetMessageStatus::kGap:
      return ResponseCode::kPullNotFound;
    case GetMessageStatus::kOffsetOverflowBadly:
    case GetMessageStatus::kOffsetTooSmall:
      return ResponseCode::kPullOffsetMoved;
  }
  return ResponseCode::kSystemError;
}

// Bytes far behind the end of the log may have to be read from the disk. The loop never waits for one: a thread of the
// pool fetches the pages, and the reply goes out after it.
void PullProcessor::Answer(Channel& channel, const protocol::CommandHead& head, const GetMessageResult& result) {
  const auto is_cold = [this](const store::Slice& range) {
    const auto position = range.pin->start() + (range.bytes.data() - range.pin->data());
    return core_.log->wrote().value() - position > kSurelyInMemoryBytes && !store::IsResident(range.bytes);
  };
  if (std::none_of(result.ranges.begin(), result.ranges.end(), is_cold)) return Reply(channel, head, result);
  auto ranges = std::make_shared<GetMessageResult>(result);
  core_.loop.Work(
      [ranges] {
        for (const auto& range : ranges->ranges) store::Fetch(range.bytes);
      },
      [this, ranges, head, handle = channel.weak_from_this()] {
        if (const auto waiting = handle.lock()) Reply(*waiting, head, *ranges);
      });
}

void PullProcessor::Reply(Channel& channel, const protocol::CommandHead& head, const GetMessageResult& result) {
  protocol::PullMessageResponseHeader header;
  header.next_begin_offset = result.next;
  header.min_offset = result.min;
  header.max_offset = result.max;
  protocol::CommandWriter writer(channel.output(), head);
  header.Encode(writer);
  writer.Finish(static_cast<size_t>(result.bytes));
  WriteRanges(channel, result.ranges);
  auto& total = core_.stats.total;
  ++(result.messages > 0 ? total.get_found : total.get_missed);
  total.transferred += result.messages;
}

void PullProcessor::ReportOffsetMoved(const Queue& queue, std::string_view group, store::QueueOffset asked,
                                      store::QueueOffset moved) {
  key_.assign(queue.topic()).append(1, '@').append(std::to_string(queue.id())).append(1, '@').append(group);
  if (moved_ms_.size() >= kMaxMovedKeys) moved_ms_.clear();
  const int64_t now = MonotonicMs();
  const auto [last, first] = moved_ms_.try_emplace(key_, now);
  if (!first && now - last->second < kMovedEventMs) return;
  last->second = now;
  protocol::OffsetMovedEvent event;
  event.group = group;
  event.queue = {std::string(queue.topic()), core_.options.broker_name, queue.id()};
  event.offset_request = asked.value();
  event.offset_new = moved.value();
  std::string properties;
  if (!group.empty()) {
    protocol::AppendProperty(properties, protocol::property::kKeys, group);
    protocol::AppendProperty(properties, protocol::property::kTags, group);
  }
  sends_.PutOwn(protocol::kOffsetMovedTopic, protocol::EncodeOffsetMoved(event), properties);
}

}  // namespace mq::broker
