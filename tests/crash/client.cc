#include "client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.h"
#include "base/strings.h"
#include "protocol/admin_headers.h"
#include "protocol/batch.h"
#include "protocol/command.h"
#include "protocol/ids.h"
#include "protocol/pull_headers.h"
#include "protocol/send_headers.h"
#include "wire.h"

namespace mq::crash {

using protocol::CommandHead;
using protocol::CommandWriter;
using protocol::RequestCode;

namespace {

std::string PropertiesOf(uint64_t id) {
  std::string text = "KEYS";
  return text.append("\x01").append(KeyOf(id)).append("\x02").append("TAGS\x01").append(id % 2 == 0 ? "even" : "odd");
}

}  // namespace

Status Client::Connect(const std::string& socket_path) {
  Close();
  MQ_ASSIGN(socket_, ConnectTo(socket_path));
  return Ok();
}

void Client::Close() {
  socket_.Reset();
  out_.clear();
  in_.clear();
  waiting_.clear();
  topic_request_ = -1;
  offset_request_ = -1;
}

void Client::Send(const std::string& topic, int32_t queue, const std::vector<int32_t>& body_bytes) {
  std::vector<uint64_t> messages;
  std::string body;
  std::string properties;
  const bool batch = body_bytes.size() > 1;
  for (const int32_t bytes : body_bytes) {
    const uint64_t id = journal_.Add(topic, queue, bytes);
    messages.push_back(id);
    const std::string text = BodyOf(id, bytes);
    if (batch) {
      protocol::AppendBatchEntry(body, {text, PropertiesOf(id), 0});
    } else {
      body = text;
      properties = PropertiesOf(id);
    }
  }
  protocol::SendMessageRequestHeader header;
  header.producer_group = "crash";
  header.topic = topic;
  header.default_topic = "TBW102";
  header.default_topic_queues = 4;
  header.queue_id = queue;
  header.born_timestamp = NowMs();
  header.properties = properties;
  header.batch = batch;
  const int32_t opaque = ++opaque_;
  CommandWriter writer(out_, HeadOf(batch ? RequestCode::kSendBatchMessage : RequestCode::kSendMessageV2, opaque));
  header.EncodeShort(writer);
  writer.Finish(body.size());
  out_ += body;
  waiting_.emplace(opaque, std::move(messages));
}

void Client::MakeTopic(const std::string& topic, int32_t queues) {
  protocol::CreateTopicRequestHeader header;
  header.topic = topic;
  header.default_topic = "TBW102";
  header.read_queues = header.write_queues = queues;
  header.perm = 6;
  header.filter_type = "SINGLE_TAG";
  topic_request_ = ++opaque_;
  CommandWriter writer(out_, HeadOf(RequestCode::kUpdateAndCreateTopic, topic_request_));
  header.Encode(writer);
  writer.Finish(0);
  topic_ = topic;
  topic_becomes_ = TopicState::kMade;
  journal_.topics[topic] = TopicState::kUnknown;
}

void Client::DeleteTopic(const std::string& topic) {
  protocol::TopicRequestHeader header;
  header.topic = topic;
  topic_request_ = ++opaque_;
  CommandWriter writer(out_, HeadOf(RequestCode::kDeleteTopicInBroker, topic_request_));
  header.Encode(writer);
  writer.Finish(0);
  topic_ = topic;
  topic_becomes_ = TopicState::kDeleted;
  journal_.topics[topic] = TopicState::kUnknown;
}

void Client::CleanLog() {
  CommandWriter writer(out_, HeadOf(RequestCode::kDeleteExpiredCommitlog, ++opaque_));
  writer.Finish(0);
}

std::optional<int64_t> Client::MinOffset(const std::string& topic, int32_t queue, int timeout_ms) {
  protocol::QueueRequestHeader header;
  header.topic = topic;
  header.queue_id = queue;
  offset_request_ = ++opaque_;
  offset_.reset();
  CommandWriter writer(out_, HeadOf(RequestCode::kGetMinOffset, offset_request_));
  header.Encode(writer);
  writer.Finish(0);
  const int64_t deadline = MonotonicMs() + timeout_ms;
  while (offset_request_ >= 0 && MonotonicMs() < deadline) {
    if (!Turn(10)) break;
  }
  return offset_;
}

bool Client::WaitForTopic(int timeout_ms) {
  const int64_t deadline = MonotonicMs() + timeout_ms;
  while (topic_request_ >= 0) {
    if (!Turn(10) || MonotonicMs() > deadline) return false;
  }
  return true;
}

bool Client::Turn(int timeout_ms) {
  if (!socket_.valid()) return false;
  pollfd waits{socket_.get(), static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT)), 0};
  if (::poll(&waits, 1, timeout_ms) <= 0) return true;
  if ((waits.revents & POLLOUT) != 0) {
    const ssize_t n = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) out_.erase(0, static_cast<size_t>(n));
    if (n < 0 && errno != EAGAIN) return TakeAnswers(), Close(), false;
  }
  if ((waits.revents & (POLLIN | POLLHUP | POLLERR)) == 0) return true;
  if (Read()) return true;
  Close();
  return false;
}

void Client::TakeAnswers() {
  while (socket_.valid() && Read()) {
    pollfd waits{socket_.get(), POLLIN, 0};
    if (::poll(&waits, 1, 0) <= 0) return;
  }
}

// False at the end of the connection.
bool Client::Read() {
  char buffer[65536];
  const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
  if (n > 0) in_.append(buffer, static_cast<size_t>(n));
  size_t done = 0;
  for (;;) {
    const std::string_view rest = std::string_view(in_).substr(done);
    const auto size = protocol::FrameSize(rest);
    if (!size || *size == 0 || *size > rest.size()) break;
    OnAnswer(rest.substr(0, *size));
    done += *size;
  }
  in_.erase(0, done);
  return true;
}

void Client::OnAnswer(std::string_view frame) {
  protocol::CommandView answer;
  if (!protocol::DecodeCommand(frame, answer) || !answer.is_response()) return;
  if (answer.opaque == topic_request_) {
    topic_request_ = -1;
    if (answer.code == 0) journal_.topics[topic_] = topic_becomes_;
    return;
  }
  if (answer.opaque == offset_request_) {
    offset_request_ = -1;
    const auto header = protocol::OffsetResponseHeader::Decode(answer);
    if (answer.code == 0 && header) offset_ = header->offset.value();
    return;
  }
  const auto it = waiting_.find(answer.opaque);
  if (it == waiting_.end()) return;
  const std::vector<uint64_t> messages = std::move(it->second);
  waiting_.erase(it);
  const auto header = protocol::SendMessageResponseHeader::Decode(answer);
  if (answer.code != 0 || !header) {
    ++refused_;
    return;
  }
  OnSendAnswer(header->msg_id, header->queue_offset.value(), messages);
}

void Client::OnSendAnswer(std::string_view ids, int64_t queue_offset, const std::vector<uint64_t>& messages) {
  size_t i = 0;
  for (const std::string_view word : Split(ids, ',')) {
    const auto id = protocol::ParseOffsetMessageId(word);
    if (!id || i >= messages.size()) return;
    journal_.Acknowledge(messages[i], id->offset.value(), queue_offset + static_cast<int64_t>(i));
    ++i;
  }
}

}  // namespace mq::crash
