#include "store/dispatched_marker.h"

#include "base/file.h"
#include "base/strings.h"
#include "store/checkpoint.h"
#include "store/commit_log.h"
#include "store/queue_table.h"
#include "store/record.h"
#include "store/sum_line.h"

namespace mq::store {

// The file:
//   mq-dispatched 1
//   offset N
//   log-min N
//   record POSITION STORE-TIME BODY-CRC
//   queue FIRST-FILE END QUEUE-ID TOPIC     (sorted by topic and queue)
//   pending OFFSET POSITION BYTES TAGS-CODE QUEUE-ID TOPIC    (of a queue above; sorted like them)
//   indexed N                               (only with an index)
//   index COUNT SLOTS-USED BEGIN END BEGIN-TIME END-TIME NAME [CRC-OF-ENTRIES]
//   sum CRC32-IN-HEX                        (of everything above)

namespace {

constexpr std::string_view kHeadLine = "mq-dispatched 1";

Error Damaged(int line, const char* what) {
  return MakeError(ErrorCode::kCorruption, "dispatched marker, line " + std::to_string(line) + ": " + what);
}

bool ReadQueueLine(std::string_view line, DispatchedMarker& marker) {
  int64_t first = 0, end = 0, queue_id = 0;
  std::string_view topic;
  if (!ReadFields(line, "queue", {&first, &end, &queue_id}, &topic) || first < 0 || end < 0 || queue_id < 0 ||
      queue_id > INT32_MAX || !IsSafeTopicDirectory(topic)) {
    return false;
  }
  marker.queues[{std::string(topic), static_cast<int32_t>(queue_id)}] = {first, QueueOffset(end), std::nullopt};
  return true;
}

bool ReadPendingLine(std::string_view line, DispatchedMarker& marker) {
  int64_t offset = 0, position = 0, bytes = 0, tags_code = 0, queue_id = 0;
  std::string_view topic;
  if (!ReadFields(line, "pending", {&offset, &position, &bytes, &tags_code, &queue_id}, &topic) || offset < 0 ||
      QueueOffset(offset) > kMaxQueueOffset || position < 0 || bytes <= 0 || bytes > INT32_MAX || queue_id < 0 ||
      queue_id > INT32_MAX) {
    return false;
  }
  const auto queue = marker.queues.find({std::string(topic), static_cast<int32_t>(queue_id)});
  if (queue == marker.queues.end()) return false;
  queue->second.pending = {QueueOffset(offset), {PhysicalOffset(position), static_cast<int32_t>(bytes), tags_code}};
  return true;
}

bool ReadIndexLine(std::string_view line, DispatchedMarker& marker) {
  if (!marker.index) {
    int64_t position = 0;
    if (!ReadFields(line, "indexed", {&position}, nullptr) || position < 0) return false;
    marker.index.emplace().position = PhysicalOffset(position);
    return true;
  }
  int64_t count = 0, slots = 0, begin = 0, end = 0;
  MarkedIndexFile file;
  std::string_view name;
  if (!ReadFields(line, "index",
                  {&count, &slots, &begin, &end, &file.header.begin_timestamp, &file.header.end_timestamp}, &name) ||
      count < 1 || count > INT32_MAX || slots < 0 || slots > INT32_MAX) {
    return false;
  }
  if (const size_t space = name.find(' '); space != std::string_view::npos) {
    const auto crc = ParseInt64(name.substr(space + 1));
    if (!crc || *crc < 0 || *crc > UINT32_MAX) return false;
    file.crc = static_cast<uint32_t>(*crc);
    name = name.substr(0, space);
  }
  if (!IsIndexFileName(name)) return false;
  file.name = name;
  file.header.count = static_cast<int32_t>(count);
  file.header.slots_used = static_cast<int32_t>(slots);
  file.header.begin = PhysicalOffset(begin);
  file.header.end = PhysicalOffset(end);
  marker.index->files.push_back(std::move(file));
  return true;
}

}  // namespace

std::string DispatchedMarker::Encode() const {
  std::string text(kHeadLine);
  text += "\noffset " + std::to_string(offset.value()) + "\nlog-min " + std::to_string(log_min.value());
  text += "\nrecord " + std::to_string(last_record.value()) + " " + std::to_string(store_timestamp) + " " +
          std::to_string(body_crc) + "\n";
  for (const auto& [name, queue] : queues) {
    text += "queue " + std::to_string(queue.first) + " " + std::to_string(queue.end.value()) + " " +
            std::to_string(name.queue_id) + " " + name.topic + "\n";
  }
  for (const auto& [name, queue] : queues) {
    if (!queue.pending) continue;
    const auto& [at, entry] = *queue.pending;
    text += "pending " + std::to_string(at.value()) + " " + std::to_string(entry.physical_offset.value()) + " " +
            std::to_string(entry.bytes) + " " + std::to_string(entry.tags_code) + " " + std::to_string(name.queue_id) +
            " " + name.topic + "\n";
  }
  if (index) {
    text += "indexed " + std::to_string(index->position.value()) + "\n";
    for (const auto& [name, header, crc] : index->files) {
      text += "index " + std::to_string(header.count) + " " + std::to_string(header.slots_used) + " " +
              std::to_string(header.begin.value()) + " " + std::to_string(header.end.value()) + " " +
              std::to_string(header.begin_timestamp) + " " + std::to_string(header.end_timestamp) + " " + name +
              (crc ? " " + std::to_string(*crc) : "") + "\n";
    }
  }
  return text + SumLine(text);
}

Result<DispatchedMarker> DispatchedMarker::Decode(std::string_view text) {
  const auto summed = AboveSumLine(text);
  if (!summed) return MakeError(ErrorCode::kCorruption, "dispatched marker: its sum is missing or wrong");
  DispatchedMarker marker;
  int64_t offset = 0, log_min = 0, record = 0, crc = 0;
  int line_number = 0;
  for (std::string_view line : Split(*summed, '\n')) {
    ++line_number;
    bool good = true;
    if (line_number == 1) {
      good = line == kHeadLine;
    } else if (line_number == 2) {
      good = ReadFields(line, "offset", {&offset}, nullptr);
    } else if (line_number == 3) {
      good = ReadFields(line, "log-min", {&log_min}, nullptr);
    } else if (line_number == 4) {
      good = ReadFields(line, "record", {&record, &marker.store_timestamp, &crc}, nullptr);
    } else if (!line.empty()) {
      good = line.starts_with("queue ")     ? ReadQueueLine(line, marker)
             : line.starts_with("pending ") ? ReadPendingLine(line, marker)
                                            : ReadIndexLine(line, marker);
    }
    if (!good) return Damaged(line_number, "not what belongs there");
  }
  if (line_number < 5 || offset < 0 || log_min < 0) return Damaged(line_number, "the marker is cut short");
  marker.offset = PhysicalOffset(offset);
  marker.log_min = PhysicalOffset(log_min);
  marker.last_record = PhysicalOffset(record);
  marker.body_crc = static_cast<uint32_t>(crc);
  return marker;
}

Status WriteDispatchedMarker(const StoreLayout& layout, const DispatchedMarker& marker) {
  return WriteFileAtomically(layout.Dispatched(), marker.Encode());
}

MarkedRecord CompareMarkedRecord(const StoreOptions& options, const DispatchedMarker& marker, PhysicalOffset log_end) {
  LogReader log(options, nullptr, log_end);
  auto region = log.ReadRegion(marker.last_record);
  if (!region) return MarkedRecord::kAnother;
  const RecordCheck check = CheckRecord(region->bytes, marker.last_record, protocol::BodyCheck::kCrc);
  if (check.kind != RecordKind::kMessage) return MarkedRecord::kDamaged;
  if (check.message.store_timestamp != marker.store_timestamp || check.message.body_crc != marker.body_crc) {
    return MarkedRecord::kAnother;
  }
  const PhysicalOffset end = marker.last_record + check.bytes;
  if (end == marker.offset) return MarkedRecord::kAsMarked;
  if (end > marker.offset) return MarkedRecord::kAnother;
  // A blank or damage was skipped behind it. A record there was written by somebody who knew nothing of the marker.
  auto behind = log.ReadRegion(end);
  const bool written =
      behind && CheckRecord(behind->bytes, end, protocol::BodyCheck::kSkip).kind == RecordKind::kMessage;
  return written ? MarkedRecord::kAnother : MarkedRecord::kAsMarked;
}

std::optional<DispatchedMarker> LoadBelievedMarker(const StoreOptions& options, PhysicalOffset log_min,
                                                   PhysicalOffset log_end, std::string* why) {
  const StoreLayout layout(options.root);
  auto text = ReadFile(layout.Dispatched());
  if (!text) {
    *why = text.error().code == ErrorCode::kNotFound ? "there is none" : text.error().what;
    return std::nullopt;
  }
  auto marker = DispatchedMarker::Decode(*text);
  if (!marker) {
    *why = marker.error().what;
    return std::nullopt;
  }
  if (marker->offset > log_end) {
    *why = "it names position " + std::to_string(marker->offset.value()) + " behind the end of the log";
    return std::nullopt;
  }
  // Nothing below it is left to compare with: an empty log then, or one whose old files have expired.
  if (marker->offset <= log_min) {
    if (marker->offset == log_min && marker->queues.empty()) return *marker;
    *why = "the log starts behind it";
    return std::nullopt;
  }
  const MarkedRecord record = CompareMarkedRecord(options, *marker, log_end);
  if (record == MarkedRecord::kAnother) {
    *why = "the log holds another record where it points";
    return std::nullopt;
  }
  if (record == MarkedRecord::kDamaged) {
    const auto checkpoint = ReadCheckpoint(layout.Checkpoint());
    if (!checkpoint || (*checkpoint && (*checkpoint)->foreign())) {
      *why = "its last record is not there, and the checkpoint is not of the same broker";
      return std::nullopt;
    }
  }
  return *marker;
}

}  // namespace mq::store
