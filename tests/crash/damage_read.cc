#include "damage_read.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/clock.h"
#include "protocol/admin_headers.h"
#include "protocol/message.h"
#include "protocol/pull_headers.h"
#include "protocol/query_headers.h"
#include "wire.h"

namespace mq::crash {

namespace {

constexpr int64_t kAnswerMs = 5000;
constexpr int64_t kQueueMs = 10000;
constexpr int32_t kBatch = 64;
constexpr size_t kQuestions = 256;  // on their way at once

std::string TextOf(const QueueKey& queue) { return queue.first + "/" + std::to_string(queue.second); }

}  // namespace

Status QueueClient::Connect(const std::string& socket_path) {
  in_.clear();
  taken_ = 0;
  MQ_ASSIGN(socket_, ConnectTo(socket_path));
  return Ok();
}

Result<std::string_view> QueueClient::Receive(int64_t deadline_ms) {
  in_.erase(0, taken_);
  taken_ = 0;
  for (;;) {
    const auto size = protocol::FrameSize(in_);
    if (!size) return std::move(size).error();
    if (*size > 0 && *size <= in_.size()) {
      taken_ = *size;
      return std::string_view(in_).substr(0, *size);
    }
    pollfd waits{socket_.get(), POLLIN, 0};
    if (::poll(&waits, 1, 50) > 0) {
      char buffer[65536];
      const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, 0);
      if (n <= 0) return MakeError(ErrorCode::kUnreachable, "the broker has closed the connection");
      in_.append(buffer, static_cast<size_t>(n));
    }
    if (MonotonicMs() > deadline_ms) return MakeError(ErrorCode::kTimeout, "no answer from the broker");
  }
}

Status QueueClient::SendAll(const std::string& requests) {
  if (::send(socket_.get(), requests.data(), requests.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(requests.size())) {
    return ErrnoError(ErrorCode::kUnreachable, "send to the broker");
  }
  return Ok();
}

Result<protocol::CommandView> QueueClient::Exchange(const std::string& request) {
  MQ_TRY(SendAll(request));
  const int64_t deadline = MonotonicMs() + kAnswerMs;
  for (;;) {
    MQ_ASSIGN(const std::string_view frame, Receive(deadline));
    protocol::CommandView answer;
    MQ_TRY(protocol::DecodeCommand(frame, answer));
    if (answer.is_response() && answer.opaque == opaque_) return answer;
  }
}

Result<QueueClient::Pulled> QueueClient::Pull(const QueueKey& queue, int64_t offset) {
  protocol::PullMessageRequestHeader header;
  header.consumer_group = "damage";
  header.topic = queue.first;
  header.queue_id = queue.second;
  header.queue_offset = protocol::QueueOffset(offset);
  header.max_msg_nums = kBatch;
  header.sys_flag = protocol::pull_flag::kSubscription;
  header.subscription = "*";
  std::string request;
  protocol::CommandWriter writer(request, HeadOf(protocol::RequestCode::kPullMessage, ++opaque_));
  header.Encode(writer);
  writer.Finish(0);
  MQ_ASSIGN(const protocol::CommandView answer, Exchange(request));
  Pulled pulled;
  pulled.code = static_cast<protocol::ResponseCode>(answer.code);
  if (pulled.code == protocol::ResponseCode::kTopicNotExist || pulled.code == protocol::ResponseCode::kSystemError ||
      pulled.code == protocol::ResponseCode::kNoPermission) {
    return MakeError(ErrorCode::kNotFound, std::string(answer.remark));
  }
  MQ_ASSIGN(const auto places, protocol::PullMessageResponseHeader::Decode(answer));
  pulled.next = places.next_begin_offset.value();
  pulled.min = places.min_offset.value();
  pulled.max = places.max_offset.value();
  pulled.body = answer.body;
  return pulled;
}

Result<std::map<int64_t, std::string>> QueueClient::ReadQueue(const QueueKey& queue) {
  std::map<int64_t, std::string> records;
  const int64_t deadline = MonotonicMs() + kQueueMs;
  for (int64_t offset = 0;;) {
    if (MonotonicMs() > deadline) {
      return MakeError(ErrorCode::kTimeout, TextOf(queue) + " gives nothing from offset " + std::to_string(offset));
    }
    MQ_ASSIGN(const Pulled pulled, Pull(queue, offset));
    std::string_view rest = pulled.body;
    while (!rest.empty()) {
      const auto message = protocol::DecodeMessage(rest);
      // A record with a body that is hit is served as it is: its reader sees the checksum.
      if (!message) {
        return MakeError(ErrorCode::kCorruption, TextOf(queue) + ": what came at offset " + std::to_string(offset) +
                                                     " is no record: " + message.error().what);
      }
      const int64_t at = message->queue_offset.value();
      const auto [it, added] = records.emplace(at, rest.substr(0, static_cast<size_t>(message->size)));
      if (!added) return MakeError(ErrorCode::kCorruption, TextOf(queue) + ": offset " + std::to_string(at) + " twice");
      rest.remove_prefix(static_cast<size_t>(message->size));
    }
    if (pulled.code == protocol::ResponseCode::kPullNotFound && offset >= pulled.max) return records;
    if (pulled.code == protocol::ResponseCode::kPullOffsetMoved && pulled.next <= offset) return records;
    if (pulled.code != protocol::ResponseCode::kPullNotFound) offset = pulled.next;
    if (offset >= pulled.max) return records;
  }
}

Result<std::vector<QueueClient::KeyAnswer>> QueueClient::FindByKeys(const std::vector<KeyQuestion>& questions) {
  std::vector<KeyAnswer> answers(questions.size());
  for (size_t first = 0; first < questions.size(); first += kQuestions) {
    const size_t behind = std::min(first + kQuestions, questions.size());
    const int32_t first_opaque = opaque_ + 1;
    std::string requests;
    for (size_t i = first; i < behind; ++i) {
      protocol::QueryMessageRequestHeader header;
      header.topic = questions[i].topic;
      header.key = questions[i].key;
      header.max_num = kBatch;
      header.end_timestamp = INT64_MAX;
      protocol::CommandWriter writer(requests, HeadOf(protocol::RequestCode::kQueryMessage, ++opaque_));
      header.Encode(writer);
      writer.Finish(0);
    }
    MQ_TRY(SendAll(requests));
    const int64_t deadline = MonotonicMs() + kAnswerMs;
    for (size_t left = behind - first; left > 0;) {
      MQ_ASSIGN(const std::string_view frame, Receive(deadline));
      protocol::CommandView answer;
      MQ_TRY(protocol::DecodeCommand(frame, answer));
      if (!answer.is_response() || answer.opaque < first_opaque || answer.opaque > opaque_) continue;
      answers[first + static_cast<size_t>(answer.opaque - first_opaque)] = {
          static_cast<protocol::ResponseCode>(answer.code), std::string(answer.body), std::string(answer.remark)};
      --left;
    }
  }
  return answers;
}

Status QueueClient::MakeTopic(const std::string& topic, int32_t queues) {
  protocol::CreateTopicRequestHeader header;
  header.topic = topic;
  header.default_topic = "TBW102";
  header.read_queues = header.write_queues = queues;
  header.perm = 6;
  header.filter_type = "SINGLE_TAG";
  std::string request;
  protocol::CommandWriter writer(request, HeadOf(protocol::RequestCode::kUpdateAndCreateTopic, ++opaque_));
  header.Encode(writer);
  writer.Finish(0);
  MQ_TRY(Exchange(request));
  return Ok();
}

Status CompareQueue(const Truth& truth, const QueueKey& queue, const std::map<int64_t, std::string>& served,
                    const Expectation& expected) {
  std::map<int64_t, size_t> offsets;  // the record that has each
  for (size_t i = 0; i < truth.records.size(); ++i) {
    const TrueRecord& record = truth.records[i];
    if (record.queue == queue && record.queue_offset >= 0) offsets[record.queue_offset] = i;
  }
  for (const auto& [offset, i] : offsets) {
    const TrueRecord& record = truth.records[i];
    const std::string place = TextOf(queue) + " offset " + std::to_string(offset) + ", the record at position " +
                              std::to_string(record.position);
    const auto found = served.find(offset);
    if (!expected.Intact(truth, i)) continue;
    if (found == served.end()) return MakeError(ErrorCode::kCorruption, place + ", is intact and not served");
    if (found->second != truth.BytesOf(record)) return MakeError(ErrorCode::kCorruption, place + ", is not what came");
  }
  for (const auto& [offset, bytes] : served) {
    const auto known = offsets.find(offset);
    if (known != offsets.end()) continue;
    // What a hit record says of itself may be anything.
    if (!expected.hit.empty()) continue;
    return MakeError(ErrorCode::kCorruption,
                     TextOf(queue) + " serves offset " + std::to_string(offset) + ", which nobody was ever told");
  }
  return Ok();
}

}  // namespace mq::crash
