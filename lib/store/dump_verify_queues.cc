#include "store/dump_verify_queues.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/file.h"
#include "protocol/names.h"
#include "protocol/properties.h"
#include "store/dump_file.h"
#include "store/tags_code.h"

namespace mq::store {

namespace {

constexpr size_t kKeptFaults = 50;  // of one queue; more are counted
// Tags codes at or below it are addresses in consumequeue_ext.
constexpr int64_t kMaxExtAddress = -2147483649;

std::string NameOf(const QueueName& name) { return name.topic + "/" + std::to_string(name.queue_id); }

std::string EntryText(const QueueEntry& entry) {
  return "position " + std::to_string(entry.physical_offset.value()) + ", " + std::to_string(entry.bytes) + " bytes";
}

Fault At(const DumpQueue& queue, int64_t index, Severity severity, std::string_view rule, std::string text) {
  return {queue.PathOf(index), queue.ByteOf(index), severity, rule, std::move(text)};
}

}  // namespace

QueueVerifier::QueueVerifier(const VerifyOptions& options, Scope scope, Tombstones tombstones, const FaultSink& sink)
    : options_(options),
      scope_(std::move(scope)),
      tombstones_(std::move(tombstones)),
      sink_(sink),
      layout_(options.root) {}

Result<QueueVerifier::Queue*> QueueVerifier::QueueOf(std::string_view topic, int32_t queue_id) {
  key_.assign(topic);
  key_ += '/';
  key_ += std::to_string(queue_id);
  auto it = queues_.find(key_);
  if (it == queues_.end()) {
    auto queue = std::make_unique<Queue>();
    MQ_ASSIGN(queue->entries, DumpQueue::Open(layout_, {std::string(topic), queue_id}));
    it = queues_.emplace(key_, std::move(queue)).first;
  }
  return it->second.get();
}

void QueueVerifier::Add(Queue& queue, Fault fault) {
  if (queue.found.size() < kKeptFaults) {
    queue.found.push_back(std::move(fault));
  } else {
    ++queue.more;
  }
}

Status QueueVerifier::OnRecord(const LogItem& item) {
  log_end_ = item.position + item.bytes;
  const protocol::MessageView& message = item.message;
  if (!EntersQueue(message.sys_flag) || message.queue_id < 0 || message.queue_offset.value() < 0) return Ok();
  if (!tombstones_.empty() && item.position < tombstones_.Of(message.topic)) return Ok();
  MQ_ASSIGN(Queue * queue, QueueOf(message.topic, message.queue_id));
  const int64_t offset = message.queue_offset.value();
  if (queue->next >= 0 && offset == 0) {
    // The topic was deleted and made again: what was found out about its former life does not count.
    queue->found.clear();
    queue->more = 0;
    queue->missing = 0;
    queue->first = 0;
  } else if (queue->next >= 0 && offset != queue->next) {
    Add(*queue, {options_.root + "/commitlog", item.position.value(), Severity::kError, "I-4",
                 "record of " + NameOf(queue->entries.name()) + " has queue offset " + std::to_string(offset) +
                     " where " + std::to_string(queue->next) + " follows"});
  }
  if (queue->first < 0) queue->first = offset;
  queue->next = offset + 1;
  if (scope_.live && log_end_ > scope_.dispatched) return Ok();
  return Compare(*queue, item);
}

// Entries that were not there when their records were read may have been written since.
Result<bool> QueueVerifier::HaveComeBy(Queue& queue) {
  MQ_TRY(queue.entries.Refresh());
  for (int64_t i = 0; i < queue.missing; ++i) {
    MQ_ASSIGN(const std::optional<QueueEntry> entry, queue.entries.Entry(queue.missing_from + i));
    if (!entry || !entry->IsRecord()) return false;
  }
  return true;
}

Status QueueVerifier::CloseMissing(Queue& queue) {
  if (queue.missing == 0) return Ok();
  if (MayBeWritten()) {
    MQ_ASSIGN(const bool there, HaveComeBy(queue));
    if (there) queue.missing = 0;
    if (there) return Ok();
  }
  const int64_t last = queue.missing_from + queue.missing - 1;
  Add(queue, At(queue.entries, queue.missing_from, Severity::kError, "I-8",
                "entries " + std::to_string(queue.missing_from) + " to " + std::to_string(last) + " of " +
                    NameOf(queue.entries.name()) + " are missing; the log has their records from position " +
                    std::to_string(queue.missing_at.value()) + " on"));
  queue.missing = 0;
  return Ok();
}

Status QueueVerifier::Compare(Queue& queue, const LogItem& item) {
  const int64_t index = item.message.queue_offset.value();
  MQ_ASSIGN(const std::optional<QueueEntry> entry, queue.entries.Entry(index));
  if (!entry || !entry->IsRecord()) {
    if (queue.missing > 0 && index != queue.missing_from + queue.missing) MQ_TRY(CloseMissing(queue));
    if (queue.missing == 0) {
      queue.missing_from = index;
      queue.missing_at = item.position;
    }
    ++queue.missing;
    return Ok();
  }
  MQ_TRY(CloseMissing(queue));
  if (entry->physical_offset != item.position || entry->bytes != item.bytes) {
    Add(queue, At(queue.entries, index, Severity::kError, "I-5",
                  "entry " + std::to_string(index) + " names " + EntryText(*entry) + "; its record is at position " +
                      std::to_string(item.position.value()) + ", " + std::to_string(item.bytes) + " bytes"));
    return Ok();
  }
  const int64_t tags_code = QueueTagsCode(item.message, options_.delay_levels_ms);
  if (entry->tags_code == tags_code) return Ok();
  if (entry->tags_code <= kMaxExtAddress) return CheckExtended(queue, *entry, tags_code, index);
  Add(queue, At(queue.entries, index, Severity::kError, "I-5",
                "entry " + std::to_string(index) + " has tags code " + std::to_string(entry->tags_code) +
                    " where the record's is " + std::to_string(tags_code)));
  return Ok();
}

// The tags code is the address of a unit in consumequeue_ext: i16 size | i64 tags code | i64 store time | ...
Status QueueVerifier::CheckExtended(Queue& queue, const QueueEntry& entry, int64_t tags_code, int64_t index) {
  constexpr int64_t kUnitHeadBytes = 18;
  const int64_t address = static_cast<int64_t>(static_cast<uint64_t>(entry.tags_code) - 0x8000000000000000ull);
  const QueueName& name = queue.entries.name();
  const std::string directory = options_.root + "/consumequeue_ext/" + name.topic + "/" + std::to_string(name.queue_id);
  MQ_ASSIGN(const std::vector<FileEntry> files, ListDumpFiles(directory));
  std::string problem = "which no file of consumequeue_ext holds";
  for (const FileEntry& file : files) {
    if (address < file.start || address + kUnitHeadBytes > file.start + file.bytes) continue;
    MQ_ASSIGN(DumpFile opened, DumpFile::Open(JoinPath(directory, MappedFileName(file.start)), 64));
    MQ_ASSIGN(const std::string_view unit, opened.Read(address - file.start, kUnitHeadBytes));
    const auto size = static_cast<int16_t>(LoadBe16(unit.data()));
    const auto code = static_cast<int64_t>(LoadBe64(unit.data() + 2));
    if (size >= 20 && code == tags_code) return Ok();
    problem = "where a unit with tags code " + std::to_string(code) + " lies, not " + std::to_string(tags_code);
  }
  // RocketMQ calls the extension weakly reliable: readers do without a unit that is lost.
  Add(queue, At(queue.entries, index, Severity::kWarning, "I-5",
                "entry " + std::to_string(index) + " refers to byte " + std::to_string(address) + ", " + problem));
  return Ok();
}

bool QueueVerifier::IsDeleted(const Queue& queue) const {
  // No configuration needs to name a system topic, and none is ever deleted.
  return queue.entries.files().empty() && !scope_.topics.empty() &&
         !protocol::IsSystemTopic(queue.entries.name().topic) &&
         !std::binary_search(scope_.topics.begin(), scope_.topics.end(), queue.entries.name().topic);
}

Status QueueVerifier::CheckEntry(Queue& queue, int64_t index, const QueueEntry& entry, DumpLog& log) {
  if (!entry.IsRecord()) return Ok();
  const QueueName& name = queue.entries.name();
  if (entry.physical_offset < log.min()) return Ok();  // expired
  std::string text = "entry " + std::to_string(index) + " of " + NameOf(name) + " names " + EntryText(entry);
  if (entry.end() > log_end_) {
    if (scope_.live) return Ok();  // appended since
    // Whoever writes entries writes the record first: it is there by now if somebody still writes.
    if (MayBeWritten()) {
      if (!refreshed_) MQ_TRY(log.Refresh());
      refreshed_ = true;
      MQ_ASSIGN(const std::optional<LogItem> since, log.RecordAt(entry.physical_offset));
      if (since) return Ok();
    }
    Add(queue, At(queue.entries, index, Severity::kError, "I-10",
                  text + ", beyond the end of the log at " + std::to_string(log_end_.value())));
    return Ok();
  }
  MQ_ASSIGN(const std::optional<LogItem> record, log.RecordAt(entry.physical_offset));
  if (!record) {
    text += ", where no record starts";
  } else if (const auto queues = protocol::FindProperty(record->message.properties, protocol::property::kMultiDispatch);
             queues && queues->find(name.topic) != std::string_view::npos) {
    return Ok();
  } else if (!EntersQueue(record->message.sys_flag)) {
    const bool prepared =
        (record->message.sys_flag & protocol::sys_flag::kTransactionMask) == protocol::sys_flag::kTransactionPrepared;
    text += std::string(", whose record is ") + (prepared ? "prepared" : "rolled back") + " and enters no queue";
  } else {
    text += ", where a record of " + std::string(record->message.topic) + "/" +
            std::to_string(record->message.queue_id) + " with queue offset " +
            std::to_string(record->message.queue_offset.value()) + " lies";
  }
  Add(queue, At(queue.entries, index, Severity::kError, "I-5", std::move(text)));
  return Ok();
}

// Entries in front of and behind those that records claimed.
Status QueueVerifier::CheckUnclaimed(Queue& queue, DumpLog& log) {
  MQ_TRY(queue.entries.Refresh());
  MQ_ASSIGN(const int64_t end, queue.entries.End());
  queue.range = {queue.entries.first(), end};
  const int64_t claimed = queue.first < 0 ? end : queue.first;
  for (int64_t index = queue.entries.first(); index < std::min(claimed, end); ++index) {
    MQ_ASSIGN(const std::optional<QueueEntry> entry, queue.entries.Entry(index));
    if (entry && (!entry->IsRecord() || entry->physical_offset < log.min())) queue.range.min = index + 1;
    if (entry) MQ_TRY(CheckEntry(queue, index, *entry, log));
  }
  for (int64_t index = std::max(queue.next, queue.entries.first()); queue.next >= 0 && index < end; ++index) {
    MQ_ASSIGN(const std::optional<QueueEntry> entry, queue.entries.Entry(index));
    if (entry) MQ_TRY(CheckEntry(queue, index, *entry, log));
  }
  return Ok();
}

Status QueueVerifier::Finish(DumpLog& log) {
  MQ_ASSIGN(const std::vector<QueueName> names, ListQueues(layout_));
  for (const QueueName& name : names) MQ_TRY(QueueOf(name.topic, name.queue_id));
  std::vector<Queue*> sorted;
  for (const auto& [key, queue] : queues_) sorted.push_back(queue.get());
  std::sort(sorted.begin(), sorted.end(),
            [](const Queue* a, const Queue* b) { return a->entries.name() < b->entries.name(); });
  for (Queue* queue : sorted) {
    MQ_TRY(CheckUnclaimed(*queue, log));
    if (IsDeleted(*queue)) continue;
    if (queue->missing > 0 && MayBeWritten()) {
      MQ_ASSIGN(const bool there, HaveComeBy(*queue));
      if (there) queue->missing = 0;
    }
    if (queue->missing > 0 && queue->missing_from + queue->missing == queue->next) {
      Add(*queue, At(queue->entries, queue->missing_from, scope_.unclean ? Severity::kWarning : Severity::kError, "I-7",
                     NameOf(queue->entries.name()) + " ends at queue offset " + std::to_string(queue->missing_from) +
                         "; the log holds " + std::to_string(queue->missing) + " more from position " +
                         std::to_string(queue->missing_at.value()) + " on" +
                         (scope_.unclean ? " (the next start adds them)" : "")));
      queue->missing = 0;
    }
    MQ_TRY(CloseMissing(*queue));
    for (const Fault& fault : queue->found) sink_(fault);
    if (queue->more > 0) {
      sink_({queue->entries.PathOf(queue->entries.first()), 0, Severity::kError, "I-5",
             std::to_string(queue->more) + " more faults in " + NameOf(queue->entries.name())});
    }
  }
  return Ok();
}

QueueVerifier::Range QueueVerifier::RangeOf(std::string_view topic, int32_t queue_id) const {
  const auto it = queues_.find(std::string(topic) + "/" + std::to_string(queue_id));
  return it == queues_.end() || it->second->entries.files().empty() ? Range{} : it->second->range;
}

std::vector<std::string> QueueVerifier::TopicsWithMessages() const {
  std::set<std::string> topics;
  for (const auto& [key, queue] : queues_) {
    if (queue->range.max > queue->range.min) topics.insert(queue->entries.name().topic);
  }
  return {topics.begin(), topics.end()};
}

}  // namespace mq::store
