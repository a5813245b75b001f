// Appending a batch: all of it or nothing. See commit_log.h.
#include "base/kill_point.h"
#include "protocol/limits.h"
#include "protocol/properties.h"
#include "store/commit_log.h"
#include "store/record.h"

namespace mq::store {

Status CommitLog::CheckBatch(const protocol::MessageView& envelope, std::string_view batch_body) {
  auto illegal = [](std::string what) { return MakeError(ErrorCode::kRefused, std::move(what)); };
  plan_.clear();
  if (static_cast<int64_t>(batch_body.size()) > options_.max_message_bytes) {
    return illegal("batch is longer than maxMessageSize");
  }
  if ((envelope.sys_flag & protocol::sys_flag::kTransactionMask) != 0) return illegal("batch with a transaction type");
  if (auto delay = protocol::FindProperty(envelope.properties, protocol::property::kDelay); delay && *delay != "0") {
    return illegal("batch with a delay level");
  }
  protocol::BatchReader reader(batch_body);
  for (;;) {
    auto entry = reader.Next();
    if (!entry) return std::move(entry).error();
    if (!entry->has_value()) break;
    const protocol::BatchEntry& message = **entry;
    const size_t properties = protocol::JoinedPropertiesBytes(message.properties, envelope.properties);
    if (properties > protocol::kMaxPropertiesBytes) {
      return illegal("properties of message " + std::to_string(plan_.size()) +
                     " of the batch are longer than 32767 bytes");
    }
    const size_t bytes = protocol::RecordBytes(message.body.size(), envelope.topic.size(), properties,
                                               envelope.born_host.v6, envelope.store_host.v6);
    plan_.push_back({message, static_cast<int64_t>(bytes)});
  }
  if (plan_.empty()) return illegal("batch without messages");
  return Ok();
}

AppendResult CommitLog::AppendBatch(const protocol::MessageView& envelope, std::string_view batch_body,
                                    QueueState& queue, int64_t now_ms, std::vector<AppendedRecord>* appended) {
  if (!lost_.empty()) return AppendResult::Refusal(AppendStatus::kFileError, lost_);
  protocol::MessageView head = envelope;
  head.body = {};
  AppendResult result = CheckLimits(head);
  if (result.status != AppendStatus::kOk) return result;
  if (Status checked = CheckBatch(envelope, batch_body); !checked) {
    error_text_ = checked.error().what;
    return AppendResult::Refusal(AppendStatus::kMessageIllegal, error_text_);
  }
  int64_t total = 0;
  for (const BatchPlan& part : plan_) total += part.record_bytes;
  if (total > max_record_bytes()) {
    return AppendResult::Refusal(AppendStatus::kMessageIllegal, "batch does not fit into a commit log file");
  }
  result.status = MakeRoom(total);
  if (result.status != AppendStatus::kOk) {
    result.reason = Reason(result.status);
    return result;
  }

  const bool envelope_has_tags = protocol::FindProperty(envelope.properties, protocol::property::kTags).has_value();
  const int64_t envelope_tags = envelope_has_tags ? protocol::TagsCode(envelope.properties) : 0;
  protocol::MessageView record = head;
  record.queue_id = queue.queue_id;
  record.store_timestamp = now_ms;
  record.prepared_transaction_offset = PhysicalOffset(0);
  record.queue_offset = queue.next;
  record.physical_offset = wrote_;
  char* out = Target();
  for (const BatchPlan& part : plan_) {
    record.body = part.entry.body;
    record.flag = part.entry.flag;
    record.properties = part.entry.properties;
    protocol::EncodeRecord(record, envelope.properties, out);
    if (appended != nullptr) {
      // Of a property given twice the last one counts, and the envelope's come last.
      const int64_t tags = envelope_has_tags ? envelope_tags : protocol::TagsCode(part.entry.properties);
      appended->push_back({record.physical_offset, record.queue_offset, static_cast<int32_t>(part.record_bytes), tags});
    }
    out += part.record_bytes;
    record.physical_offset += part.record_bytes;
    ++record.queue_offset;
    PassKillPoint(KillPoint::kBatchHalfCopied);
  }
  if (BytesAreGone()) return AppendResult::Refusal(AppendStatus::kFileError, lost_);
  PassKillPoint(KillPoint::kBatchCopied);

  result.physical_offset = wrote_;
  result.queue_offset = queue.next;
  result.bytes = total;
  result.messages = static_cast<int32_t>(plan_.size());
  result.store_timestamp = now_ms;
  // Published once: readers see all of the batch or none of it.
  last_store_timestamp_ = now_ms;
  wrote_ += total;
  Publish();
  queue.next = record.queue_offset;
  queue.last_record_end = wrote_;
  return result;
}

}  // namespace mq::store
