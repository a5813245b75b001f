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
  const QueueOffset ring_begin = FirstKeptInRing(queue);
  const QueueOffset ring_end = std::min(queue.ring.end(), queue.visible_max);
  const bool ring_has_any = ring_begin < ring_end;
  // It has lost messages to expiry, so that everything before it is gone as well.
  const bool all_in_ring = queue.ring.begin() < ring_begin;
  if (all_in_ring && !ring_has_any) return ring_begin;
  if (ring_has_any) {
    MQ_ASSIGN(const auto first_time, TimeInRing(queue, ring_begin, ring_end));
    if (all_in_ring || (first_time && timestamp > *first_time) || ring_begin == core_.MinOffset(queue)) {
      return SearchRing(queue, ring_begin, timestamp, boundary);
    }
  }
  if (!core_.QueueFileIsBelieved(queue)) return ring_begin;
  const auto min = core_.MinOffset(queue);
  if (min && *min >= queue.visible_max) return *min;
  // Times of older messages are found through the files only.
  if (!min || !core_.QueueFilesAreChecked())
    return MakeError(ErrorCode::kBusy, "mq-reputd has not looked at the queues yet");
  const QueueOffset end = ring_has_any ? ring_begin + 1 : queue.visible_max;
  // Asked before the files are: what mq-reputd is at may be in them when they are read.
  const bool all_in_files = OlderAreInFiles(queue);
  QueueOffset known = end;
  if (!all_in_files) {
    MQ_ASSIGN(known, core_.queue_reader->MaxOffset(queue.topic(), queue.id()));
  }
  MQ_ASSIGN(const QueueOffset found,
            core_.queue_reader->OffsetByTime(queue.topic(), queue.id(), timestamp, boundary, end, *core_.log_reader));
  // Where mq-reputd has come to is no answer: what is looked for may come after it.
  if (!all_in_files && found + 1 >= known)
    return MakeError(ErrorCode::kBusy, "mq-reputd has not put all messages into their queue yet");
  return found;
}

// Whether mq-reputd has put everything before the ring into the queue's files; without a ring that is what recovery
// found.
bool OffsetProcessor::OlderAreInFiles(const Queue& queue) const {
  const store::PhysicalOffset dispatched = core_.dispatched();
  if (queue.ring.begin() < queue.ring.end()) return dispatched >= queue.ring[queue.ring.begin()].physical_offset;
  return dispatched.value() >= core_.positions->broker().recovered_end.load(std::memory_order_acquire);
}

// The first offset of the ring whose record has not expired; its end when all have, visible or not.
QueueOffset OffsetProcessor::FirstKeptInRing(const Queue& queue) const {
  const store::PhysicalOffset log_min = core_.log_reader->min();
  QueueOffset low = std::min(queue.ring.begin(), queue.visible_max);
  QueueOffset high = std::min(queue.ring.end(), queue.visible_max);
  while (low < high) {
    const QueueOffset middle = low + (high - low) / 2;
    if (queue.ring[middle].physical_offset < log_min) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Store time of the record at `at`, or of the next one behind what is damaged or has just expired; nothing when none is
// left before `end`.
Result<std::optional<int64_t>> OffsetProcessor::TimeInRing(const Queue& queue, QueueOffset at, QueueOffset end) const {
  for (; at < end; ++at) {
    auto time = core_.log_reader->StoreTimestamp(queue.ring[at].physical_offset);
    if (time) return std::optional<int64_t>(*time);
    if (time.error().code == ErrorCode::kIo) return std::move(time).error();
  }
  return std::optional<int64_t>();
}

// Binary search over the ring from `begin` on, whose message is not later than `timestamp` unless it is the queue's
// first.
Result<QueueOffset> OffsetProcessor::SearchRing(const Queue& queue, QueueOffset begin, int64_t timestamp,
                                                TimeBoundary boundary) const {
  const QueueOffset end = std::min(queue.ring.end(), queue.visible_max);
  QueueOffset low = begin;
  QueueOffset high = end;
  while (low < high) {  // first message with store time >= timestamp
    const QueueOffset middle = low + (high - low) / 2;
    MQ_ASSIGN(const auto time, TimeInRing(queue, middle, end));
    if (time && *time < timestamp) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (boundary == TimeBoundary::kLower) return low;
  if (low < end) {
    MQ_ASSIGN(const auto time, TimeInRing(queue, low, end));
    if (!time || *time == timestamp || low == begin) return low;
    if (boundary == TimeBoundary::kUpper) return low - 1;
    MQ_ASSIGN(const auto before, TimeInRing(queue, low - 1, end));
    return before && timestamp - *before <= *time - timestamp ? low - 1 : low;
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
