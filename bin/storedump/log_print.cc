#include "storedump/log_print.h"

#include <algorithm>
#include <map>
#include <utility>

#include "conf/run.h"
#include "protocol/compress.h"
#include "store/dump_record.h"
#include "store/dump_summary.h"

namespace mq::storedump {

using store::LogItem;
using store::LogItemKind;
using store::PhysicalOffset;

Status LogPrint::Open() {
  if (!options_.grep.empty()) {
    MQ_ASSIGN(stream::BodyPattern pattern, stream::BodyPattern::Compile(options_.grep));
    pattern_ = std::move(pattern);
  }
  MQ_ASSIGN(store::DumpLog log, store::DumpLog::Open(options_.layout(), protocol::BodyCheck::kCrc));
  log_ = std::move(log);
  to_ = PhysicalOffset(options_.part == Part::kAll ? std::numeric_limits<int64_t>::max() : options_.to);
  if (options_.from >= 0) log_->Seek(PhysicalOffset(options_.from));
  LookAtBroker();
  return Ok();
}

void LogPrint::LookAtBroker() {
  if (const store::Positions* positions = live_.positions()) {
    log_->set_limit(LoadReadable(*positions));
  }
}

Error LogPrint::AtPosition(Error error) const {
  error.what += " (position reached: " + std::to_string(log_->position().value()) + ")";
  return error;
}

Result<int> LogPrint::Print() {
  MQ_TRY(Open());
  Status walked = options_.follow ? Follow() : Walk(false);
  // What was read is printed, also when reading ended badly.
  MQ_TRY(output_.Flush());
  if (!walked) return AtPosition(std::move(walked).error());
  if (log_->vanished_files() > 0) {
    conf::Notice(settings_, std::to_string(log_->vanished_files()) + " files expired while they were read");
    status_ = 3;
  }
  if (const int signal = SignalThatCame()) return conf::SignalStatus(signal);
  return status_;
}

Status LogPrint::Walk(bool summary) {
  while (!stop_ && log_->position() < to_ && SignalThatCame() == 0) {
    MQ_ASSIGN(const std::optional<LogItem> item, log_->Next());
    if (!item) break;
    MQ_TRY(OnItem(*item, summary));
  }
  return Ok();
}

Status LogPrint::OnItem(const LogItem& item, bool summary) {
  if (item.position >= to_) {
    stop_ = true;
    return Ok();
  }
  if (item.kind != LogItemKind::kRecord) return OnOther(item, summary);
  if (!Wants(item)) return Ok();
  return PrintRecord(item);
}

bool LogPrint::Wants(const LogItem& item) const {
  const protocol::MessageView& message = item.message;
  if (options_.stored_from && message.store_timestamp < *options_.stored_from) return false;
  if (options_.stored_before && message.store_timestamp >= *options_.stored_before) return false;
  return options_.topics.empty() ||
         std::find(options_.topics.begin(), options_.topics.end(), message.topic) != options_.topics.end();
}

Status LogPrint::PrintRecord(const LogItem& item) {
  std::string inflated;
  const auto body = protocol::MessageBody(item.message, inflated);
  if (!body) {
    conf::Notice(settings_, "the body at position " + std::to_string(item.position.value()) +
                                " cannot be inflated and is printed as it is stored: " + body.error().what);
    status_ = 3;
  }
  const std::string_view bytes = body ? *body : item.message.body;
  if (pattern_ && !pattern_->Matches(bytes)) return Ok();
  if (!options_.pipe_format) {
    AppendRecordRow(output_.buffer(), item, options_.rows, options_.redact);
    return output_.Added();
  }
  protocol::MessageView shown = item.message;
  stream::OutputMessage message{&shown, bytes, {}};
  if (options_.redact) {
    body_text_ = store::RedactedBody(bytes);
    properties_text_ = store::RedactProperties(shown.properties);
    message.body = body_text_;
    shown.properties = properties_text_;
  }
  writer_.Append(output_.buffer(), message);
  return output_.Added();
}

// Blanks and damage: rows in text and record, nothing in pipe formats.
Status LogPrint::OnOther(const LogItem& item, bool summary) {
  if (item.kind == LogItemKind::kTornTail) stop_ = !options_.follow;
  const std::string where = "at position " + std::to_string(item.position.value());
  if (item.kind == LogItemKind::kTornTail) {
    conf::Notice(settings_, "the log ends in a torn tail " + where + ": " + item.reason);
  } else if (item.kind == LogItemKind::kDamage) {
    conf::Notice(settings_,
                 std::to_string(item.bytes) + " bytes " + where + " are damaged and left out: " + item.reason);
    status_ = 3;
  }
  if (summary || options_.pipe_format || !options_.topics.empty()) return Ok();
  AppendRecordRow(output_.buffer(), item, options_.rows, options_.redact);
  return output_.Added();
}

Result<int> LogPrint::Summary() {
  MQ_TRY(Open());
  store::StoreSummary queues;
  std::map<std::string, store::QueueSummary> topics;
  while (!stop_ && log_->position() < to_ && SignalThatCame() == 0) {
    auto item = log_->Next();
    if (!item) return AtPosition(std::move(item).error());
    if (!item->has_value()) break;
    const LogItem& found = **item;
    if (found.position >= to_) break;
    if (found.kind != LogItemKind::kRecord) {
      MQ_TRY(OnOther(found, true));
    } else if (Wants(found)) {
      queues[{std::string(found.message.topic), found.message.queue_id}].Add(found);
      topics[std::string(found.message.topic)].Add(found);
    }
  }
  auto print = [&](const std::string& topic, const int32_t* queue, const store::QueueSummary& sum) {
    store::DumpRow row(output_.buffer(), options_.rows);
    row.Text("kind", queue != nullptr ? "queue" : "topic").Text("topic", topic);
    if (queue != nullptr) row.Int("queueId", *queue);
    row.Int("records", sum.records);
    if (queue != nullptr) row.Int("minOffset", sum.min_offset).Int("maxOffset", sum.max_offset);
    row.Int("bytes", sum.bytes).Time("firstStoreTimestamp", sum.first_time).Time("lastStoreTimestamp", sum.last_time);
  };
  auto queue = queues.begin();
  for (const auto& [topic, sum] : topics) {
    print(topic, nullptr, sum);
    for (; queue != queues.end() && queue->first.topic == topic; ++queue) {
      print(topic, &queue->first.queue_id, queue->second);
    }
    MQ_TRY(output_.Added());
  }
  MQ_TRY(output_.Flush());
  if (const int signal = SignalThatCame()) return conf::SignalStatus(signal);
  return status_;
}

}  // namespace mq::storedump
