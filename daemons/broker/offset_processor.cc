#include "broker/offset_processor.h"

#include <algorithm>

#include "protocol/pull_headers.h"

namespace mq::broker {

using protocol::CommandView;
using protocol::ResponseCode;
using remoting::Channel;
using store::QueueOffset;
using store::TimeBoundary;

namespace {

void ReplyOffset(Channel& channel, const CommandView& request, QueueOffset offset) {
  protocol::OffsetResponseHeader header;
  header.offset = offset;
  channel.Reply(request, ResponseCode::kSuccess, header, {});
}

TimeBoundary BoundaryOf(protocol::BoundaryType type) {
  switch (type) {
    case protocol::BoundaryType::kLower:
      return TimeBoundary::kLower;
    case protocol::BoundaryType::kUpper:
      return TimeBoundary::kUpper;
    case protocol::BoundaryType::kNone:
      break;
  }
  return TimeBoundary::kNearest;
}

}  // namespace

// A queue nobody has written to answers 0, whether or not its topic exists, as RocketMQ does.
void OffsetProcessor::ProcessMax(Channel& channel, const CommandView& request) {
  const auto header = protocol::QueueRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  Queue* queue = core_.queues->Find(header->topic, header->queue_id);
  ReplyOffset(channel, request, queue == nullptr ? QueueOffset(0) : queue->visible_max);
}

void OffsetProcessor::ProcessMin(Channel& channel, const CommandView& request) {
  const auto header = protocol::QueueRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  Queue* queue = core_.queues->Find(header->topic, header->queue_id);
  const auto min = queue == nullptr ? std::optional(QueueOffset(0)) : core_.MinOffset(*queue);
  if (!min) return channel.Reply(request, ResponseCode::kSystemBusy, Core::MinUnknown(*queue));
  ReplyOffset(channel, request, *min);
}

void OffsetProcessor::ProcessSearch(Channel& channel, const CommandView& request) {
  const auto header = protocol::SearchOffsetRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  Queue* queue = core_.queues->Find(header->topic, header->queue_id);
  if (queue == nullptr) return ReplyOffset(channel, request, QueueOffset(0));
  const auto offset = Search(*queue, header->timestamp, BoundaryOf(header->boundary));
  if (!offset) return channel.Reply(request, CodeOf(offset.error()), offset.error().what);
  ReplyOffset(channel, request, *offset);
}

Result<QueueOffset> OffsetProcessor::Search(Queue& queue, int64_t timestamp, TimeBoundary boundary) {
  // The ring answers for the newest messages, whatever mq-reputd has done with them; the files for all before it.
  const QueueOffset ring_begin = std::min(queue.ring.begin(), queue.visible_max);
  const bool ring_has_any = ring_begin < std::min(queue.ring.end(), queue.visible_max);
  if (ring_has_any) {
    MQ_ASSIGN(const int64_t first_time, core_.log_reader->StoreTimestamp(queue.ring[ring_begin].physical_offset));
    if (timestamp > first_time || ring_begin == core_.MinOffset(queue)) return SearchRing(queue, timestamp, boundary);
  }
  if (!core_.QueueFileIsBelieved(queue)) return ring_begin;
  const auto min = core_.MinOffset(queue);
  if (min && *min >= queue.visible_max) return *min;
  // Times of older messages are found through the files only.
  if (!min || !core_.QueueFilesAreChecked())
    return MakeError(ErrorCode::kBusy, "mq-reputd has not looked at the queues yet");
  const QueueOffset end = ring_has_any ? ring_begin + 1 : queue.visible_max;
  return core_.queue_reader->OffsetByTime(queue.topic(), queue.id(), timestamp, boundary, end, *core_.log_reader);
}

// Binary search over the ring, whose first message is not later than `timestamp` unless it is the queue's first.
Result<QueueOffset> OffsetProcessor::SearchRing(Queue& queue, int64_t timestamp, TimeBoundary boundary) {
  const auto time_of = [&](QueueOffset at) { return core_.log_reader->StoreTimestamp(queue.ring[at].physical_offset); };
  QueueOffset low = queue.ring.begin();
  const QueueOffset end = std::min(queue.ring.end(), queue.visible_max);
  const QueueOffset begin = low;
  QueueOffset high = end;
  while (low < high) {  // first message with store time >= timestamp
    const QueueOffset middle = low + (high - low) / 2;
    MQ_ASSIGN(const int64_t time, time_of(middle));
    if (time < timestamp) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (boundary == TimeBoundary::kLower) return low;
  if (low < end) {
    MQ_ASSIGN(const int64_t time, time_of(low));
    if (time == timestamp || low == begin) return low;
    if (boundary == TimeBoundary::kUpper) return low - 1;
    MQ_ASSIGN(const int64_t before, time_of(low - 1));
    return timestamp - before <= time - timestamp ? low - 1 : low;
  }
  return end - 1;
}

void OffsetProcessor::ProcessEarliest(Channel& channel, const CommandView& request) {
  const auto header = protocol::QueueRequestHeader::Decode(request);
  if (!header) return channel.Reply(request, ResponseCode::kSystemError, header.error().what);
  protocol::StoretimeResponseHeader reply;
  reply.timestamp = -1;
  if (Queue* queue = core_.queues->Find(header->topic, header->queue_id)) {
    const auto min = core_.MinOffset(*queue);
    if (!min || (*min < queue->visible_max && !core_.QueueFilesAreChecked() && !queue->ring.Covers(*min))) {
      return channel.Reply(request, ResponseCode::kSystemBusy, Core::MinUnknown(*queue));
    }
    if (const auto position = core_.PositionOf(*queue, *min)) {
      reply.timestamp = core_.log_reader->StoreTimestamp(*position).value_or(-1);
    }
  }
  channel.Reply(request, ResponseCode::kSuccess, reply, {});
}

}  // namespace mq::broker
