#include "broker/message_reader.h"

#include <algorithm>

#include "base/log.h"
#include "protocol/message.h"
#include "store/tags_code.h"

namespace mq::broker {
namespace {

// RocketMQ's limits: what is scanned at once, and what one reply takes from records that are no longer in memory.
constexpr int64_t kScanEntries = 800;
constexpr int64_t kMaxBytesOnDisk = 64 * 1024;
constexpr int32_t kMaxMessagesOnDisk = 8;

// Whether these bytes are one whole record, and the one of that place in that queue. All its lengths are looked at: no
// client could find its way to the next one in a batch otherwise.
bool IsRecordOf(std::string_view bytes, const store::QueueEntry& entry, const Queue& queue, store::QueueOffset offset) {
  const auto record = protocol::DecodeMessage(bytes);
  if (!record || record->size != entry.bytes || record->physical_offset != entry.physical_offset) return false;
  const bool is_its =
      record->queue_offset == offset && record->queue_id == queue.id() && record->topic == queue.topic();
  return is_its || store::EntersManyQueues(*record);
}

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
  result_.failed = false;
  result_.max = queue.visible_max;
  // Before the minimum is looked up: what expires meanwhile is gone, and not damaged.
  oldest_ = core_.log_reader->min();
  // While it is not known, nobody is sent anywhere: what is not in the ring is a gap.
  const auto min = core_.MinOffset(queue);
  if (!min) oldest_ = store::PhysicalOffset(0);
  result_.min = min.value_or(std::clamp(offset, store::QueueOffset(0), result_.max));
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
    const store::RecentEntry& recent = queue.ring[*at];
    const store::QueueEntry entry{recent.physical_offset, recent.bytes, recent.tags_code};
    const Taken taken = Take(entry, filter, limits, queue, *at);
    if (taken == Taken::kFull) return false;
    // The entry is what was appended, so it is the record that has been damaged since.
    if (taken == Taken::kDamaged) ReportDamage(queue, *at);
  }
  return true;
}

bool MessageReader::ScanFiles(Queue& queue, const TagFilter& filter, const Limits& limits, store::QueueOffset* at) {
  if (!core_.QueueFileIsBelieved(queue)) return false;
  // The ring knows what is appended; what the files say of that part may be behind it.
  const bool ring_follows = *at < queue.ring.begin();
  const store::QueueOffset end = ring_follows ? std::min(queue.ring.begin(), result_.max) : result_.max;
  const int64_t wanted = std::min(limits.scan, end - *at);
  auto span = core_.queue_reader->Read(queue.topic(), queue.id(), *at, wanted);
  if (span && span->count == 0) {
    // Either mq-reputd is not there yet, or it was, and what it wrote is damaged; or it came just now. Or it has been
    // everywhere and found no record of that number: it was lost with the end of the log.
    const bool none_to_come = core_.dispatched() >= core_.log->wrote();
    if (!none_to_come && !HasSoundBehind(queue, *at)) return false;
    span = core_.queue_reader->Read(queue.topic(), queue.id(), *at, wanted);
    if (span && span->count == 0) {
      if (!TakeDamaged(queue, *at, filter, limits)) return false;
      ++*at;
      return true;
    }
  }
  if (!span) {
    log::Warn("queue.read", "failed")
        .Field("topic", queue.topic())
        .Field("queue", queue.id())
        .Field("error", span.error());
    return false;
  }
  store::PhysicalOffset before = oldest_;  // end of the record in front
  for (int64_t i = 0; i < span->count; ++i, ++*at) {
    const store::QueueEntry entry = (*span)[i];
    if (entry.IsPreBlank()) continue;
    // Written, and not published yet: mq-reputd will be there in a moment. What lies beyond what it may read is
    // damaged.
    if (entry.end() > core_.dispatched() && entry.end() <= core_.visible_end()) return false;
    const bool plausible = IsPlausible(entry, before);
    const Taken taken = plausible ? Take(entry, filter, limits, queue, *at) : Taken::kDamaged;
    if (taken == Taken::kFull) return false;
    if (taken == Taken::kDamaged && !TakeDamaged(queue, *at, filter, limits)) return false;
    if (taken == Taken::kPassed) before = entry.end();
  }
  return true;
}

// What an entry says of a record, without a look at it: a filter must not pass over an entry that says nothing.
bool MessageReader::IsPlausible(const store::QueueEntry& entry, store::PhysicalOffset before) const {
  const int64_t file = core_.options.store.commit_log_file_bytes;
  return entry.bytes >= static_cast<int32_t>(protocol::kMinRecordBytes) && entry.physical_offset >= before &&
         entry.end() <= core_.dispatched() && entry.physical_offset.value() % file + entry.bytes <= file;
}

// Whether an entry behind `offset` was dispatched, so that this one was too. A few are looked at, and the ends of
// files: this is asked whenever somebody waits for mq-reputd.
bool MessageReader::HasSoundBehind(const Queue& queue, store::QueueOffset offset) const {
  constexpr int64_t kLookedAt = 512;
  const int64_t in_file = core_.options.store.consume_queue_file_bytes / store::kQueueEntryBytes;
  const store::QueueOffset next_file((offset.value() / in_file + 1) * in_file);
  const auto any_sound = [&](store::QueueOffset from, int64_t count) {
    const store::QueueSpan span = core_.queue_reader->ReadWritten(queue.topic(), queue.id(), from, count);
    for (int64_t i = 0; i < span.count; ++i) {
      const store::QueueEntry entry = span[i];
      if (entry.IsRecord() && IsPlausible(entry, oldest_)) return true;
    }
    return false;
  };
  if (next_file < result_.max && (any_sound(next_file, 1) || any_sound(next_file - 1, 1))) return true;
  return any_sound(offset + 1, std::min(kLookedAt, result_.max - offset - 1));
}

// False: the batch ends here, and the caller asks again.
bool MessageReader::TakeDamaged(Queue& queue, store::QueueOffset offset, const TagFilter& filter,
                                const Limits& limits) {
  store::QueueEntry entry;
  switch (core_.entry_finder->Find(queue, offset, &entry)) {
    case EntryFinder::Outcome::kSearching:
      return false;
    case EntryFinder::Outcome::kFound:
      if (const Taken taken = Take(entry, filter, limits, queue, offset); taken != Taken::kDamaged) {
        if (taken == Taken::kPassed) core_.damage_met.Note(DamageMet::Kind::kEntry, queue.topic(), queue.id(), offset);
        return taken == Taken::kPassed;
      }
      break;
    case EntryFinder::Outcome::kNone:
      break;
  }
  ReportDamage(queue, offset);
  return true;
}

bool MessageReader::BatchIsFull(store::PhysicalOffset position, int32_t bytes, const Limits& limits) const {
  if (result_.messages == 0) return false;
  if (result_.messages >= limits.messages) return true;
  if (core_.log->wrote() - position > memory_bytes_) {
    return result_.bytes + bytes > kMaxBytesOnDisk || result_.messages >= kMaxMessagesOnDisk;
  }
  return result_.bytes + bytes > limits.bytes;
}

MessageReader::Taken MessageReader::Take(const store::QueueEntry& entry, const TagFilter& filter, const Limits& limits,
                                         const Queue& queue, store::QueueOffset offset) {
  if (BatchIsFull(entry.physical_offset, entry.bytes, limits)) return Taken::kFull;
  if (entry.physical_offset < skip_below_ || !filter.Matches(entry.tags_code)) return Taken::kPassed;
  switch (AddRange(entry, queue, offset)) {
    case Added::kYes:
      ++result_.messages;
      result_.bytes += entry.bytes;
      return Taken::kPassed;
    case Added::kDamaged:
      return Taken::kDamaged;
    case Added::kFailed:
      // Not read is not gone: who asked gets what is before it, or waits and asks again.
      result_.failed = true;
      return Taken::kFull;
    case Added::kFileGone:
      break;
  }
  // Its file is being deleted: RocketMQ goes on with the next file.
  const int64_t file = core_.options.store.commit_log_file_bytes;
  skip_below_ = store::PhysicalOffset((entry.physical_offset.value() / file + 1) * file);
  removed_ = result_.messages == 0;
  return Taken::kPassed;
}

// An entry of a queue file may be damaged, or point into a damaged stretch that recovery has kept; a record that the
// ring knows may have been damaged since. No reader could go on behind what is no record.
MessageReader::Added MessageReader::AddRange(const store::QueueEntry& entry, const Queue& queue,
                                             store::QueueOffset offset) {
  const auto is_record = [&](const char* bytes) {
    const std::string_view whole(bytes, static_cast<size_t>(entry.bytes));
    return IsRecordOf(whole, entry, queue, offset);
  };
  if (entry.physical_offset == range_end_ && range_end_ + entry.bytes <= range_file_end_) {
    store::Slice& last = result_.ranges.back();
    if (!is_record(last.bytes.data() + last.bytes.size())) return Added::kDamaged;
    last.bytes = std::string_view(last.bytes.data(), last.bytes.size() + static_cast<size_t>(entry.bytes));
    range_end_ += entry.bytes;
    return Added::kYes;
  }
  auto slice = core_.log_reader->Read(entry.physical_offset, entry.bytes);
  if (!slice) {
    // Beyond what may be read nothing was dispatched: the entry says so, not its record.
    if (slice.error().code == ErrorCode::kInvalidArgument) return Added::kDamaged;
    // Expiry says first what it takes. Any other file that is gone, or was cut, is missing: its messages are waited
    // for.
    if (entry.physical_offset < core_.log_reader->min()) return Added::kFileGone;
    ReportFailure(entry.physical_offset, slice.error());
    return Added::kFailed;
  }
  if (!is_record(slice->bytes.data())) return Added::kDamaged;
  range_end_ = entry.end();
  range_file_end_ = store::PhysicalOffset(slice->pin->end());
  result_.ranges.push_back(std::move(*slice));
  return Added::kYes;
}

void MessageReader::ReportDamage(const Queue& queue, store::QueueOffset offset) {
  core_.damage_met.Note(DamageMet::Kind::kRecord, queue.topic(), queue.id(), offset);
  uint64_t suppressed = 0;
  if (!damage_lines_.Allow(&suppressed)) return;
  log::Err("pull.damage", "the log holds no whole record of this offset; skipped")
      .Field("topic", queue.topic())
      .Field("queue", queue.id())
      .Field("offset", offset.value())
      .Field("suppressed", suppressed);
}

void MessageReader::ReportFailure(store::PhysicalOffset position, const Error& error) {
  const int64_t file = core_.options.store.commit_log_file_bytes;
  core_.unreadable = store::PhysicalOffset(position.value() / file * file);
  uint64_t suppressed = 0;
  if (!failure_lines_.Allow(&suppressed)) return;
  log::Err("pull.read", "the commit log cannot be read for now").Field("error", error).Field("suppressed", suppressed);
}

bool MessageReader::MayMatch(Queue& queue, store::QueueOffset from, const TagFilter& filter) const {
  if (filter.codes.empty() || !queue.ring.Covers(from)) return true;
  for (store::QueueOffset at = from; at < queue.visible_max; ++at) {
    if (filter.Matches(queue.ring[at].tags_code)) return true;
  }
  return false;
}

}  // namespace mq::broker
