#include "store/dump_diff.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "protocol/host.h"
#include "store/dump_index.h"
#include "store/dump_log.h"
#include "store/dump_queue.h"

namespace mq::store {

namespace {

void NoteFirst(DiffCounts& counts, std::string text) {
  if (counts.first_difference.empty()) counts.first_difference = std::move(text);
}

// ": offset 5 against 6" for whatever can be written as text.
std::string Against(std::string_view field, const std::string& first, const std::string& second) {
  return std::string(field) + " " + first + " against " + second;
}

// The first field in which two records differ; "" when they are the same bytes.
std::string RecordDifference(const protocol::MessageView& a, const protocol::MessageView& b) {
  const auto numbers = {
      std::pair<std::string_view, std::pair<int64_t, int64_t>>{"size", {a.size, b.size}},
      {"storeTimestamp", {a.store_timestamp, b.store_timestamp}},
      {"queueId", {a.queue_id, b.queue_id}},
      {"queueOffset", {a.queue_offset.value(), b.queue_offset.value()}},
      {"flag", {a.flag, b.flag}},
      {"sysFlag", {a.sys_flag, b.sys_flag}},
      {"bornTimestamp", {a.born_timestamp, b.born_timestamp}},
      {"reconsumeTimes", {a.reconsume_times, b.reconsume_times}},
      {"preparedTransactionOffset", {a.prepared_transaction_offset.value(), b.prepared_transaction_offset.value()}},
      {"bodyCRC", {a.body_crc, b.body_crc}},
  };
  if (a.topic != b.topic) return Against("topic", std::string(a.topic), std::string(b.topic));
  for (const auto& [name, values] : numbers) {
    if (values.first != values.second)
      return Against(name, std::to_string(values.first), std::to_string(values.second));
  }
  if (!(a.born_host == b.born_host)) return "bornHost";
  if (!(a.store_host == b.store_host)) return "storeHost";
  if (a.properties != b.properties) return "properties";
  if (a.body != b.body) return "body";
  return {};
}

// The records of a log one after the other, passing over blanks and damage.
class RecordCursor {
 public:
  static Result<RecordCursor> Open(const DiffSide& side) {
    MQ_ASSIGN(DumpLog log, DumpLog::Open(side.layout, protocol::BodyCheck::kSkip));
    if (side.limit) log.set_limit(*side.limit);
    RecordCursor cursor(std::move(log));
    MQ_TRY(cursor.Next());
    return cursor;
  }
  // Nothing behind the last one.
  const LogItem* item() const { return item_ ? &*item_ : nullptr; }
  int64_t position() const { return item_ ? item_->position.value() : std::numeric_limits<int64_t>::max(); }
  std::string Place() const {
    return "record at " + log_.PlaceOf(item_->position) + ", " + std::string(item_->message.topic) + "/" +
           std::to_string(item_->message.queue_id) + " offset " + std::to_string(item_->message.queue_offset.value());
  }
  Status Next() {
    do {
      MQ_ASSIGN(item_, log_.Next());
    } while (item_ && item_->kind != LogItemKind::kRecord);
    return Ok();
  }

 private:
  explicit RecordCursor(DumpLog log) : log_(std::move(log)) {}
  DumpLog log_;
  std::optional<LogItem> item_;
};

// The keys of one record as they lie in the index: its position and their hashes.
struct IndexGroup {
  int64_t position = 0;
  std::vector<int32_t> hashes;  // sorted, each once: what is put twice is found once
};

// Those groups in the order of the files.
class IndexCursor {
 public:
  static Result<IndexCursor> Open(const DiffSide& side) {
    IndexCursor cursor;
    const StoreLayout& layout = side.layout;
    MQ_ASSIGN(const auto files, ListIndexFiles(layout));
    for (const IndexFileEntry& file : files) cursor.paths_.push_back(layout.IndexFile(file.name));
    cursor.slots_ = side.index_slots;
    cursor.limit_ = side.limit ? side.limit->value() : std::numeric_limits<int64_t>::max();
    MQ_TRY(cursor.Next());
    return cursor;
  }
  const IndexGroup* group() const { return group_ ? &*group_ : nullptr; }
  int64_t position() const { return group_ ? group_->position : std::numeric_limits<int64_t>::max(); }

  Status Next() {
    group_.reset();
    for (;;) {
      MQ_ASSIGN(const auto entry, Peek());
      if (!entry || (group_ && entry->position.value() != group_->position)) break;
      if (!group_) group_ = IndexGroup{entry->position.value(), {}};
      group_->hashes.push_back(entry->hash);
      ++number_;
    }
    if (!group_) return Ok();
    std::sort(group_->hashes.begin(), group_->hashes.end());
    group_->hashes.erase(std::unique(group_->hashes.begin(), group_->hashes.end()), group_->hashes.end());
    return Ok();
  }

 private:
  IndexCursor() = default;
  // The entry that comes next, in this or a later file.
  Result<std::optional<IndexEntry>> Peek() {
    for (;;) {
      if (index_ && number_ < index_->end()) {
        MQ_ASSIGN(const IndexEntry entry, index_->Entry(number_));
        if (entry.position.value() < limit_) return std::optional<IndexEntry>(entry);
        return std::optional<IndexEntry>();
      }
      if (next_ == paths_.size()) return std::optional<IndexEntry>();
      MQ_ASSIGN(index_, DumpIndex::Open(paths_[next_], slots_));
      ++next_;
      number_ = 1;
    }
  }

  std::vector<std::string> paths_;
  size_t next_ = 0;
  int64_t slots_ = 0;
  int64_t limit_ = 0;
  std::optional<DumpIndex> index_;
  int64_t number_ = 1;
  std::optional<IndexGroup> group_;
};

void DiffKeys(const IndexGroup& a, const IndexGroup& b, DiffCounts& counts) {
  std::vector<int32_t> common;
  std::set_intersection(a.hashes.begin(), a.hashes.end(), b.hashes.begin(), b.hashes.end(), std::back_inserter(common));
  const auto both = static_cast<int64_t>(common.size());
  counts.equal += both;
  counts.only_first += static_cast<int64_t>(a.hashes.size()) - both;
  counts.only_second += static_cast<int64_t>(b.hashes.size()) - both;
  if (a.hashes != b.hashes) NoteFirst(counts, "keys of the record at position " + std::to_string(a.position));
}

std::string EntryText(const QueueEntry& entry) {
  return "position " + std::to_string(entry.physical_offset.value()) + " size " + std::to_string(entry.bytes) +
         " tagsCode " + std::to_string(entry.tags_code);
}

Result<std::optional<QueueEntry>> RecordEntry(DumpQueue& queue, int64_t index, const DiffSide& side) {
  MQ_ASSIGN(const auto entry, queue.Entry(index));
  if (!entry || !entry->IsRecord()) return std::optional<QueueEntry>();
  if (side.limit && entry->physical_offset >= *side.limit) return std::optional<QueueEntry>();
  return entry;
}

Result<DiffCounts> DiffQueue(const DiffSide& first, const DiffSide& second, const QueueName& name,
                             const DiffGoOn& go_on) {
  DiffCounts counts;
  MQ_ASSIGN(DumpQueue a, DumpQueue::Open(first.layout, name));
  MQ_ASSIGN(DumpQueue b, DumpQueue::Open(second.layout, name));
  MQ_ASSIGN(const int64_t a_end, a.End());
  MQ_ASSIGN(const int64_t b_end, b.End());
  int64_t begin = std::min(a.first(), b.first());
  // A queue that one store does not have begins where the other one's does.
  if (a.files().empty()) begin = b.first();
  if (b.files().empty()) begin = a.first();
  for (int64_t index = begin; index < std::max(a_end, b_end) && go_on(); ++index) {
    MQ_ASSIGN(const auto x, RecordEntry(a, index, first));
    MQ_ASSIGN(const auto y, RecordEntry(b, index, second));
    if (!x && !y) continue;
    const bool equal = x && y && EntryText(*x) == EntryText(*y);
    int64_t& count = equal ? counts.equal : x && y ? counts.differ : x ? counts.only_first : counts.only_second;
    ++count;
    if (equal || !counts.first_difference.empty()) continue;
    counts.first_difference = name.topic + "/" + std::to_string(name.queue_id) + " offset " + std::to_string(index) +
                              ": " + (x ? EntryText(*x) : "nothing") + " against " + (y ? EntryText(*y) : "nothing");
  }
  return counts;
}

}  // namespace

void DiffCounts::Add(const DiffCounts& part) {
  equal += part.equal;
  differ += part.differ;
  only_first += part.only_first;
  only_second += part.only_second;
  if (first_difference.empty()) first_difference = part.first_difference;
}

Result<DiffCounts> DiffLogs(const DiffSide& first, const DiffSide& second, const DiffGoOn& go_on) {
  DiffCounts counts;
  MQ_ASSIGN(RecordCursor a, RecordCursor::Open(first));
  MQ_ASSIGN(RecordCursor b, RecordCursor::Open(second));
  while ((a.item() != nullptr || b.item() != nullptr) && go_on()) {
    if (a.position() == b.position()) {
      const std::string difference = RecordDifference(a.item()->message, b.item()->message);
      ++(difference.empty() ? counts.equal : counts.differ);
      if (!difference.empty()) NoteFirst(counts, a.Place() + ": " + difference);
      MQ_TRY(a.Next());
      MQ_TRY(b.Next());
    } else if (a.position() < b.position()) {
      ++counts.only_first;
      NoteFirst(counts, a.Place() + ": only in " + first.layout.root());
      MQ_TRY(a.Next());
    } else {
      ++counts.only_second;
      NoteFirst(counts, b.Place() + ": only in " + second.layout.root());
      MQ_TRY(b.Next());
    }
  }
  return counts;
}

Result<DiffCounts> DiffQueues(const DiffSide& first, const DiffSide& second, const std::string& topic,
                              std::optional<int32_t> queue_id, const DiffGoOn& go_on, const DiffQueueSink& each) {
  DiffCounts counts;
  MQ_ASSIGN(std::vector<QueueName> names, ListQueues(first.layout));
  MQ_ASSIGN(const std::vector<QueueName> more, ListQueues(second.layout));
  names.insert(names.end(), more.begin(), more.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  bool any = topic.empty();
  for (const QueueName& name : names) {
    if (!topic.empty() && name.topic != topic) continue;
    if (queue_id && name.queue_id != *queue_id) continue;
    any = true;
    MQ_ASSIGN(const DiffCounts part, DiffQueue(first, second, name, go_on));
    MQ_TRY(each(name, part));
    counts.Add(part);
    if (!go_on()) break;
  }
  if (any) return counts;
  const std::string number = queue_id ? "/" + std::to_string(*queue_id) : "";
  return MakeError(ErrorCode::kNotFound, "neither store has a queue " + topic + number);
}

Result<DiffCounts> DiffIndexes(const DiffSide& first, const DiffSide& second, const DiffGoOn& go_on) {
  DiffCounts counts;
  MQ_ASSIGN(IndexCursor a, IndexCursor::Open(first));
  MQ_ASSIGN(IndexCursor b, IndexCursor::Open(second));
  while ((a.group() != nullptr || b.group() != nullptr) && go_on()) {
    if (a.position() == b.position()) {
      DiffKeys(*a.group(), *b.group(), counts);
      MQ_TRY(a.Next());
      MQ_TRY(b.Next());
      continue;
    }
    const bool in_first = a.position() < b.position();
    const IndexGroup& alone = in_first ? *a.group() : *b.group();
    (in_first ? counts.only_first : counts.only_second) += static_cast<int64_t>(alone.hashes.size());
    NoteFirst(counts, "keys of the record at position " + std::to_string(alone.position) + ": only in " +
                          (in_first ? first.layout.root() : second.layout.root()));
    MQ_TRY(in_first ? a.Next() : b.Next());
  }
  return counts;
}

}  // namespace mq::store
