#include "store/queue_numbers.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "base/strings.h"
#include "store/consume_queue.h"
#include "store/sum_line.h"

namespace mq::store {

// The file:
//   mq-numbers 1
//   number END KNOWN-AT QUEUE-ID TOPIC      (sorted by topic, queue, END and KNOWN-AT)
//   sum CRC32-IN-HEX                        (of everything above)

namespace {

constexpr std::string_view kHeadLine = "mq-numbers 1";

Error Damaged(int line, const char* what) {
  return MakeError(ErrorCode::kCorruption, "line " + std::to_string(line) + ": " + what);
}

bool ReadNumberLine(std::string_view line, KnownNumbers& numbers) {
  int64_t end = 0, known_at = 0, queue_id = 0;
  std::string_view topic;
  if (!ReadFields(line, "number", {&end, &known_at, &queue_id}, &topic) || end < 0 || known_at < 0 || queue_id < 0 ||
      queue_id > INT32_MAX || !IsSafeTopicDirectory(topic)) {
    return false;
  }
  return AddNumber(numbers, {std::string(topic), static_cast<int32_t>(queue_id)},
                   {QueueOffset(end), PhysicalOffset(known_at)});
}

// Where a queue ends, and where the record of the last entry that has one.
struct QueueEnd {
  QueueOffset end;
  std::optional<PhysicalOffset> record;
};

Result<QueueEnd> EndOfLastRecord(ConsumeQueueReader& reader, const StoreOptions& options, const QueueName& queue) {
  const int64_t per_file = options.consume_queue_file_bytes / kQueueEntryBytes;
  QueueEnd found;
  MQ_ASSIGN(found.end, reader.MaxOffset(queue.topic, queue.queue_id));
  for (QueueOffset end = found.end; end.value() > 0;) {
    const QueueOffset first((end.value() - 1) / per_file * per_file);
    MQ_ASSIGN(const QueueSpan span, reader.Read(queue.topic, queue.queue_id, first, end - first));
    if (span.count == 0) break;
    for (int64_t i = span.count - 1; i >= 0; --i) {
      if (!span[i].IsRecord()) continue;
      found.record = span[i].end();
      return found;
    }
    end = first;
  }
  return found;
}

// By the entries whose records end at or below `limit`. Damaged files are dealt with by who checks the queues.
Result<std::map<QueueName, QueueEnd>> EndsOfQueues(const StoreOptions& options, PhysicalOffset limit) {
  std::map<QueueName, QueueEnd> ends;
  MQ_ASSIGN(const auto queues, ListQueues(StoreLayout(options.root)));
  ConsumeQueueReader reader(options, nullptr, limit);
  for (const QueueName& queue : queues) {
    auto last = EndOfLastRecord(reader, options, queue);
    if (!last && last.error().code == ErrorCode::kCorruption) continue;
    if (!last) return std::move(last).error();
    ends.emplace(queue, *last);
  }
  return ends;
}

}  // namespace

bool AddNumber(KnownNumbers& numbers, const QueueName& name, KnownNumber number) {
  auto [it, behind] = numbers.equal_range(name);
  while (it != behind) {
    const KnownNumber& other = it->second;
    if (other.end >= number.end && other.known_at >= number.known_at) return false;
    it = number.end >= other.end && number.known_at >= other.known_at ? numbers.erase(it) : std::next(it);
  }
  // In order of their ends, so that the same numbers give the same text.
  auto [first, last] = numbers.equal_range(name);
  const auto place = std::find_if(first, last, [&](const auto& other) { return other.second.end > number.end; });
  numbers.emplace_hint(place, name, number);
  return true;
}

void AddMarked(KnownNumbers& numbers, const DispatchedMarker& marker) {
  for (const auto& [name, queue] : marker.queues) AddNumber(numbers, name, {queue.end, marker.offset});
}

void DropDeleted(KnownNumbers& numbers, const Tombstones& tombstones) {
  std::erase_if(numbers, [&](const auto& number) {
    const PhysicalOffset dead = tombstones.Of(number.first.topic);
    return dead.value() > 0 && dead >= number.second.known_at;
  });
}

Result<KnownNumbers> NumbersOfEntries(const StoreOptions& options, PhysicalOffset log_end, const Tombstones& tombstones,
                                      const std::optional<DispatchedMarker>& marker) {
  KnownNumbers numbers;
  if (log_end.value() == 0) return numbers;
  MQ_ASSIGN(const auto ends, EndsOfQueues(options, log_end));
  for (const auto& [queue, last] : ends) {
    AddNumber(numbers, queue, {last.end, last.record ? *last.record : marker ? marker->offset : log_end});
  }
  // The present life counts from 0.
  DropDeleted(numbers, tombstones);
  return numbers;
}

Result<PhysicalOffset> EndOfEntries(const StoreOptions& options, PhysicalOffset limit) {
  PhysicalOffset end(0);
  MQ_ASSIGN(const auto ends, EndsOfQueues(options, limit));
  for (const auto& [queue, last] : ends) end = std::max(end, last.record.value_or(end));
  return end;
}

std::string EncodeNumbers(const KnownNumbers& numbers) {
  std::string text(kHeadLine);
  text += "\n";
  for (const auto& [name, number] : numbers) {
    text += "number " + std::to_string(number.end.value()) + " " + std::to_string(number.known_at.value()) + " " +
            std::to_string(name.queue_id) + " " + name.topic + "\n";
  }
  return text + SumLine(text);
}

Result<KnownNumbers> DecodeNumbers(std::string_view text) {
  const auto summed = AboveSumLine(text);
  if (!summed) return MakeError(ErrorCode::kCorruption, "its sum is missing or wrong");
  KnownNumbers numbers;
  int line_number = 0;
  for (std::string_view line : Split(*summed, '\n')) {
    ++line_number;
    const bool good = line_number == 1 ? line == kHeadLine : line.empty() || ReadNumberLine(line, numbers);
    if (!good) return Damaged(line_number, "not what belongs there");
  }
  if (EncodeNumbers(numbers) != text) return Damaged(line_number, "not as it was written");
  return numbers;
}

Result<KnownNumbers> LoadNumbers(const StoreLayout& layout, const Tombstones& tombstones) {
  const std::string path = layout.Numbers();
  // A fifo would hold who reads it.
  if (std::error_code error; std::filesystem::is_other(path, error))
    return MakeError(ErrorCode::kCorruption, path + " is no file");
  auto text = ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return KnownNumbers();
  if (!text) return std::move(text).error();
  auto numbers = DecodeNumbers(*text);
  if (!numbers) {
    log::Err("store.numbers", "damaged: numbers of lost messages may be given again")
        .Field("file", path)
        .Field("error", numbers.error());
    return KnownNumbers();
  }
  DropDeleted(*numbers, tombstones);
  return numbers;
}

Status SaveNumbers(const StoreLayout& layout, const KnownNumbers& numbers) {
  return WriteFileAtomically(layout.Numbers(), EncodeNumbers(numbers));
}

}  // namespace mq::store
