#include "broker/message_reader.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/log.h"
#include "protocol/message.h"

namespace mq::broker {
namespace {

// RocketMQ's limits: what is scanned at once, and what one reply takes from records that are no longer in memory.
constexpr int64_t kScanEntries = 800;
constexpr int64_t kMaxBytesOnDisk = 64 * 1024;
constexpr int32_t kMaxMessagesOnDisk = 8;

}  // namespace

std::string_view GetMessageStatusName(GetMessageStatus status) {
  switch (status) {
    case GetMessageStatus::kFound:
      return "FOUND";
    case GetMessageStatus::kNoMatchedMessage:
      return "NO_MATCHED_MESSAGE";
    case GetMessageStatus::kMessageWasRemoving:
      return "MESSAGE_WAS_REMOVING";
    case GetMessageStatus::kOffsetFoundNull:
      return "OFFSET_FOUND_NULL";
    case GetMessageStatus::kOffsetOverflowBadly:
      return "OFFSET_OVERFLOW_BADLY";
    case GetMessageStatus::kOffsetOverflowOne:
      return "OFFSET_OVERFLOW_ONE";
    case GetMessageStatus::kOffsetTooSmall:
      return "OFFSET_TOO_SMALL";
    case GetMessageStatus::kNoMatchedLogicQueue:
      return "NO_MATCHED_LOGIC_QUEUE";
    case GetMessageStatus::kNoMessageInQueue:
      return "NO_MESSAGE_IN_QUEUE";
    case GetMessageStatus::kGap:
      return "OFFSET_OVERFLOW_ONE";
  }
  return "";
}

MessageReader::MessageReader(Core& core) : core_(core), memory_bytes_(core.in_memory_bytes()) {}

GetMessageResult& MessageReader::Get(Queue& queue, store::QueueOffset offset, int32_t max_messages,
                                     const TagFilter& filter) {
  result_.bytes = 0;
  result_.messages = 0;
  result_.ranges.clear();
  result_.max = queue.visible_max;
  result_.min = core_.MinOffset(queue);
  removed_ = false;
  range_end_ = skip_below_ = store::PhysicalOffset(-1);
  const auto answer = [this](GetMessageStatus status, store::QueueOffset next) -> GetMessageResult& {
    result_.status = status;
    result_.next = next;
    return result_;
  };
  if (result_.max.value() == 0) return answer(GetMessageStatus::kNoMessageInQueue, store::QueueOffset(0));
  if (offset < result_.min) return answer(GetMessageStatus::kOffsetTooSmall, result_.min);
  if (offset == result_.max) return answer(GetMessageStatus::kOffsetOverflowOne, offset);
  if (offset > result_.max) return answer(GetMessageStatus::kOffsetOverflowBadly, result_.max);

  const Limits limits{std::max(1, std::min(max_messages, core_.options.max_transfer_count)),
                      core_.options.max_transfer_bytes, std::max<int64_t>(kScanEntries, max_messages)};
  store::QueueOffset at = offset;
  bool more = true;
  while (more && at < result_.max && at - offset < limits.scan) {
    const store::QueueOffset before = at;
    more = queue.ring.Covers(at) ? ScanRing(queue, filter, limits, &at) : ScanFiles(queue, filter, limits, &at);
    if (at == before) break;
  }
  if (result_.messages > 0) return answer(GetMessageStatus::kFound, at);
  if (at == offset) return answer(GetMessageStatus::kGap, offset);
  return answer(removed_ ? GetMessageStatus::kMessageWasRemoving : GetMessageStatus::kNoMatchedMessage, at);
}

// Both scans move *at past every entry they have dealt with, and return false when the batch is full.
bool MessageReader::ScanRing(Queue& queue, const TagFilter& filter, const Limits& limits, store::QueueOffset* at) {
  const store::QueueOffset end = std::min(queue.ring.end(), result_.max);
  for (; *at < end; ++*at) {
    const store::RecentEntry& entry = queue.ring[*at];
    if (!Take(entry.physical_offset, entry.bytes, entry.tags_code, filter, limits, false)) return false;
  }
  return true;
}

bool MessageReader::ScanFiles(Queue& queue, const TagFilter& filter, const Limits& limits, store::QueueOffset* at) {
  if (!core_.QueueFileIsBelieved(queue)) return false;
  const int64_t wanted = std::min(limits.scan, result_.max - *at);
  const auto span = core_.queue_reader->Read(queue.topic(), queue.id(), *at, wanted);
  if (!span) {
    log::Warn("queue.read", "failed")
        .Field("topic", queue.topic())
        .Field("queue", queue.id())
        .Field("error", span.error());
    return false;
  }
  for (int64_t i = 0; i < span->count; ++i, ++*at) {
    const store::QueueEntry entry = (*span)[i];
    if (entry.IsPreBlank()) continue;
    if (!Take(entry.physical_offset, entry.bytes, entry.tags_code, filter, limits, true)) return false;
  }
  return span->count > 0;
}

bool MessageReader::BatchIsFull(store::PhysicalOffset position, int32_t bytes, const Limits& limits) const {
  if (result_.messages == 0) return false;
  if (result_.messages >= limits.messages) return true;
  if (core_.log->wrote() - position > memory_bytes_) {
    return result_.bytes + bytes > kMaxBytesOnDisk || result_.messages >= kMaxMessagesOnDisk;
  }
  return result_.bytes + bytes > limits.bytes;
}

// False when the batch is full and this entry is not consumed.
bool MessageReader::Take(store::PhysicalOffset position, int32_t bytes, int64_t tags_code, const TagFilter& filter,
                         const Limits& limits, bool check) {
  if (BatchIsFull(position, bytes, limits)) return false;
  if (position < skip_below_ || !filter.Matches(tags_code)) return true;
  switch (AddRange(position, bytes, check)) {
    case Added::kYes:
      ++result_.messages;
      result_.bytes += bytes;
      return true;
    case Added::kDamaged:
      ReportDamage(position);
      return true;
    case Added::kFileGone:
      break;
  }
  // Its file is being deleted: RocketMQ goes on with the next file.
  const int64_t file = core_.options.store.commit_log_file_bytes;
  skip_below_ = store::PhysicalOffset((position.value() / file + 1) * file);
  removed_ = result_.messages == 0;
  return true;
}

// What comes from a queue file may point into a damaged stretch that recovery has kept: no reader could go on behind
// it.
MessageReader::Added MessageReader::AddRange(store::PhysicalOffset position, int32_t bytes, bool check) {
  const auto is_record = [bytes](const char* at) {
    return LoadBe32(at) == static_cast<uint32_t>(bytes) && LoadBe32(at + 4) == protocol::kMessageMagic;
  };
  if (position == range_end_ && range_end_ + bytes <= range_file_end_) {
    store::Slice& last = result_.ranges.back();
    if (check && !is_record(last.bytes.data() + last.bytes.size())) return Added::kDamaged;
    last.bytes = std::string_view(last.bytes.data(), last.bytes.size() + static_cast<size_t>(bytes));
    range_end_ += bytes;
    return Added::kYes;
  }
  auto slice = core_.log_reader->Read(position, bytes);
  if (!slice) return Added::kFileGone;
  if (check && !is_record(slice->bytes.data())) return Added::kDamaged;
  range_end_ = position + bytes;
  range_file_end_ = store::PhysicalOffset(slice->pin->end());
  result_.ranges.push_back(std::move(*slice));
  return Added::kYes;
}

void MessageReader::ReportDamage(store::PhysicalOffset position) {
  uint64_t suppressed = 0;
  if (!damage_lines_.Allow(&suppressed)) return;
  log::Err("pull.damage", "a queue entry points to no whole record; skipped")
      .Field("position", position.value())
      .Field("suppressed", suppressed);
}

bool MessageReader::MayMatch(Queue& queue, store::QueueOffset from, const TagFilter& filter) const {
  if (filter.codes.empty() || !queue.ring.Covers(from)) return true;
  for (store::QueueOffset at = from; at < queue.visible_max; ++at) {
    if (filter.Matches(queue.ring[at].tags_code)) return true;
  }
  return false;
}

}  // namespace mq::broker
