#include "journal.h"

#include <cinttypes>
#include <cstdio>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/strings.h"
#include "store/commit_log.h"
#include "store/dump_verify.h"
#include "store/layout.h"
#include "store/log_walk.h"

namespace mq::crash {

namespace {

Error Lost(std::string what) { return MakeError(ErrorCode::kCorruption, std::move(what)); }

std::string Describe(uint64_t id, const SentMessage& message) {
  return "message " + std::to_string(id) + " of " + message.topic + "/" + std::to_string(message.queue) + " (offset " +
         std::to_string(message.queue_offset) + ", position " + std::to_string(message.position) + ")";
}

}  // namespace

std::string BodyOf(uint64_t id, int32_t bytes) {
  char head[48];
  const int length = std::snprintf(head, sizeof head, "%" PRIu64 " %d ", id, bytes);
  std::string body(head, static_cast<size_t>(length));
  uint64_t state = id * 0x9E3779B97F4A7C15u + 1;
  while (static_cast<int32_t>(body.size()) < bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    body += static_cast<char>(state >> 56);
  }
  body.resize(static_cast<size_t>(bytes));
  return body;
}

std::string KeyOf(uint64_t id) { return "key-" + std::to_string(id); }

bool ParseBody(std::string_view body, uint64_t* id) {
  const size_t first = body.find(' ');
  const size_t second = first == std::string_view::npos ? first : body.find(' ', first + 1);
  if (second == std::string_view::npos) return false;
  const auto number = ParseInt64(body.substr(0, first));
  const auto bytes = ParseInt64(body.substr(first + 1, second - first - 1));
  if (!number || !bytes || *bytes != static_cast<int64_t>(body.size())) return false;
  *id = static_cast<uint64_t>(*number);
  return body == BodyOf(*id, static_cast<int32_t>(*bytes));
}

uint64_t Journal::Add(std::string topic, int32_t queue, int32_t body_bytes) {
  SentMessage message;
  message.topic = std::move(topic);
  message.queue = queue;
  message.body_bytes = body_bytes;
  messages_.push_back(std::move(message));
  return messages_.size() - 1;
}

void Journal::Acknowledge(uint64_t id, int64_t position, int64_t queue_offset) {
  SentMessage& message = messages_[id];
  message.acknowledged = true;
  message.position = position;
  message.queue_offset = queue_offset;
  ++acknowledged_;
}

void Journal::RequireAfterKill(int64_t in_files) {
  for (SentMessage& message : messages_) {
    // What an earlier cut or recovery did not have was never sure; its place may be another's now.
    if (!message.acknowledged || message.gone || message.unsure || message.expired || message.required) continue;
    message.required = true;
    message.memory_only = message.position >= in_files;
  }
}

void Journal::RequireAfterCut(int64_t flushed, bool all) {
  for (SentMessage& message : messages_) {
    if (!message.acknowledged || message.gone || message.unsure || message.expired) continue;
    if (message.memory_only) message.required = message.memory_only = false;
    // `flushed` is the end of a record, so one that begins below it lies below it whole.
    message.required = message.required || all || message.position < flushed;
    message.unsure = !message.required;
  }
}

// Where the queues go on whose first messages have expired. The topic that is deleted begins again at any time.
std::map<Journal::QueueKey, Journal::QueueEnd> Journal::ExpiredEnds(int64_t begin) const {
  std::map<QueueKey, QueueEnd> ends;
  for (uint64_t id = 0; id < messages_.size(); ++id) {
    const SentMessage& message = messages_[id];
    if (message.gone || message.unsure || message.position < 0 || message.position >= begin) continue;
    if (topics.contains(message.topic)) continue;
    QueueEnd& end = ends[{message.topic, message.queue}];
    end.next = std::max(end.next, message.queue_offset + 1);
    end.last_id = std::max(end.last_id, id);
  }
  return ends;
}

Status Journal::CheckRecord(const protocol::MessageView& record, int64_t position, Seen& seen) {
  const std::string place = "the record at position " + std::to_string(position);
  uint64_t id = 0;
  if (!ParseBody(record.body, &id) || id >= messages_.size()) return Lost(place + " holds what nobody sent");
  SentMessage& message = messages_[id];
  if (record.topic != message.topic || record.queue_id != message.queue) {
    return Lost(place + " is not in the queue it was sent to: " + Describe(id, message));
  }
  if (seen.messages[id]) return Lost(Describe(id, message) + " is there twice");
  if (message.gone) return Lost(Describe(id, message) + " was cut off by a recovery and has come back");
  seen.messages[id] = true;
  const int64_t offset = record.queue_offset.value();
  if (message.acknowledged && (offset != message.queue_offset || position != message.position)) {
    return Lost(Describe(id, message) + " has moved to offset " + std::to_string(offset) + ", position " +
                std::to_string(position));
  }
  message.position = position;
  message.queue_offset = offset;
  QueueEnd& queue = seen.queues[{message.topic, message.queue}];
  // Of what was never acknowledged and has expired nobody knows how much it was: a queue's first record may follow it.
  const bool may_skip = seen.expired && !queue.seen;
  const bool starts_again = offset == 0 && topics.contains(message.topic);
  if (offset != queue.next && !(may_skip && offset > queue.next) && !starts_again) {
    return Lost(Describe(id, message) + " follows offset " + std::to_string(queue.next - 1));
  }
  if (offset > 0 && id < queue.last_id) return Lost(Describe(id, message) + " is out of order");
  queue = {offset + 1, id, true};
  return Ok();
}

// Every record of the recovered log.
Result<Journal::Seen> Journal::Walk(const store::StoreOptions& options, store::PhysicalOffset begin,
                                    store::PhysicalOffset end) {
  Seen seen{std::vector<bool>(messages_.size(), false), ExpiredEnds(begin.value()), begin.value() > 0};
  store::LogReader log(options, nullptr, end);
  store::LogWalk walk(log, begin);
  for (;;) {
    MQ_ASSIGN(const protocol::MessageView* record, walk.Next(end));
    if (record == nullptr) return seen;
    MQ_TRY(CheckRecord(*record, walk.record_position().value(), seen));
  }
}

Status Journal::CheckRecovered(const store::StoreOptions& options, const store::Positions& positions) {
  const store::BrokerPage& page = positions.broker();
  store::PhysicalOffset begin(page.boot_min.load());
  const store::PhysicalOffset end(page.recovered_end.load());
  if (begin.value() > may_go_) {
    return Lost("the log begins at " + std::to_string(begin.value()) + ", and only what lies below " +
                std::to_string(may_go_) + " had to go");
  }
  auto walked = Walk(options, begin, end);
  // The first files may expire while they are walked.
  while (!walked && walked.error().code == ErrorCode::kNotFound && LoadLogMin(positions) > begin) {
    begin = LoadLogMin(positions);
    walked = Walk(options, begin, end);
  }
  MQ_ASSIGN(const Seen seen, std::move(walked));
  for (uint64_t id = 0; id < messages_.size(); ++id) {
    SentMessage& message = messages_[id];
    const bool below = message.position >= 0 && message.position < begin.value() && !message.gone && !message.unsure;
    message.expired = message.expired || below;
    if (message.required && !seen.messages[id] && !message.expired) return Lost(Describe(id, message) + " is LOST");
    if (!seen.messages[id] && !message.gone && !message.expired) ++lost_;
    message.gone = !seen.messages[id] && !message.expired;
    message.unsure = message.memory_only = false;
    message.required = seen.messages[id];
  }
  return Ok();
}

Status Journal::CheckMinOffset(const std::string& topic, int32_t queue, int64_t offset, int64_t before,
                               int64_t after) const {
  for (uint64_t id = 0; id < messages_.size(); ++id) {
    const SentMessage& message = messages_[id];
    if (message.topic != topic || message.queue != queue || message.gone || message.position < 0) continue;
    const bool hidden = message.queue_offset < offset && message.position >= after;
    const bool missing = message.queue_offset >= offset && message.position < before;
    if (!hidden && !missing) continue;
    return Lost("the minimum offset " + std::to_string(offset) + (hidden ? " hides " : " promises ") +
                Describe(id, message) + " although the log begins at " + std::to_string(hidden ? after : before));
  }
  return Ok();
}

Status Journal::CheckStopped(const store::StoreOptions& options) {
  store::VerifyOptions verify;
  verify.root = options.root;
  verify.delay_levels_ms = options.delay_levels_ms;
  verify.index_slots = options.index_slots;
  std::string first;
  MQ_ASSIGN(const store::VerifyReport report, store::VerifyStore(verify, [&first](const store::Fault& fault) {
              if (!first.empty()) return;
              first = std::string(SeverityName(fault.severity)) + " " + fault.file + ":" + std::to_string(fault.byte) +
                      " [" + std::string(fault.rule) + "] " + fault.text;
            }));
  if (report.faults > 0) {
    return Lost("a store that was stopped cleanly has " + std::to_string(report.faults) + " faults: " + first);
  }
  const store::StoreLayout layout(options.root);
  MQ_ASSIGN(const std::string text, ReadFile(layout.ConfigDir() + "/topics.json"));
  for (const auto& [topic, state] : topics) {
    const bool known = text.find("\"" + topic + "\"") != std::string::npos;
    if (state == TopicState::kMade && !known) return Lost("topic " + topic + " was made and is not in topics.json");
    if (state == TopicState::kDeleted && known) return Lost("topic " + topic + " was deleted and is in topics.json");
    if (state == TopicState::kDeleted && PathExists(layout.TopicQueuesDir(topic))) {
      return Lost("topic " + topic + " was deleted and has queues");
    }
  }
  return Ok();
}

}  // namespace mq::crash
