#include "broker/append_gate.h"

#include "base/check.h"
#include "base/clock.h"
#include "protocol/send_headers.h"

namespace mq::broker {

AppendGate::AppendGate(Core& core, Again again, Refuse refuse)
    : core_(core), again_(std::move(again)), refuse_(std::move(refuse)) {}

bool AppendGate::Hold(remoting::Channel& channel, const protocol::CommandView& request, HeldFor reason) {
  // The view dies with the call; the frame is written anew from it, field for field.
  std::string frame;
  protocol::EncodeCommand(protocol::CopyCommand(request), frame);
  // One that is handled again is counted already.
  const size_t others = held_bytes_ - (releasing_ ? held_.front().frame.size() : 0);
  if (others + frame.size() > bounds::HeldSendBytes()) return false;
  held_bytes_ = others + frame.size();
  Held held{channel.shared_from_this(), std::move(frame), reason, MonotonicMs()};
  if (releasing_) {
    // Handled again and still not possible: it keeps its place and its deadline.
    held.since_ms = held_.front().since_ms;
    held_.front() = std::move(held);
    held_again_ = true;
  } else {
    held_.push_back(std::move(held));
  }
  return true;
}

void AppendGate::Release() {
  if (releasing_) return;
  releasing_ = true;
  while (!held_.empty()) {
    const std::string frame = held_.front().frame;
    held_again_ = false;
    const auto channel = held_.front().channel;
    protocol::CommandView request;
    MQ_CHECK(protocol::DecodeCommand(frame, request).has_value(), "a frame we wrote ourselves");
    again_(*channel, request);
    if (held_again_) break;
    held_bytes_ -= frame.size();
    held_.pop_front();
  }
  releasing_ = false;
}

std::string AppendGate::Figures() const {
  constexpr const char* kReasons[] = {"the next commit log file", "a free buffer of the transient pool",
                                      "the configuration of a new topic to be saved"};
  const int64_t waited = held_.empty() ? 0 : MonotonicMs() - held_.front().since_ms;
  const size_t reason =
      held_.empty() ? static_cast<size_t>(HeldFor::kBuffer) : static_cast<size_t>(held_.front().reason);
  return "waited " + std::to_string(waited) + " ms for " + kReasons[reason] + "; " + std::to_string(held_.size()) +
         " sends (" + std::to_string(held_bytes_) + " bytes) are held; slowest step: " + core_.SlowestStep();
}

void AppendGate::RefuseFront(protocol::ResponseCode code, const std::string& why) {
  const Held front = std::move(held_.front());
  held_bytes_ -= front.frame.size();
  held_.pop_front();
  protocol::CommandView request;
  MQ_CHECK(protocol::DecodeCommand(front.frame, request).has_value(), "a frame we wrote ourselves");
  refuse_(*front.channel, request, code, why);
}

void AppendGate::AnswerWhenFlushed(remoting::Channel& channel, const protocol::CommandView& request,
                                   store::PhysicalOffset end, std::string message_id, int32_t queue_id,
                                   store::QueueOffset queue_offset) {
  waiting_.push_back({end, channel.weak_from_this(), request.type, request.opaque, std::move(message_id), queue_id,
                      queue_offset, MonotonicMs() + core_.options.sync_flush_timeout_ms});
}

void AppendGate::Answer(const Waiting& wait, protocol::ResponseCode code, std::string_view remark) {
  const auto channel = wait.channel.lock();
  if (!channel) return;
  protocol::CommandHead head;
  head.type = wait.type;
  head.code = static_cast<int32_t>(code);
  head.opaque = wait.opaque;
  head.flag = protocol::kFlagResponse;
  head.remark = remark;
  protocol::SendMessageResponseHeader header;
  header.msg_id = wait.message_id;
  header.queue_id = wait.queue_id;
  header.queue_offset = wait.queue_offset;
  channel->ReplyTo(head, header, {});
}

void AppendGate::OnFlushed(store::PhysicalOffset flushed) {
  while (!waiting_.empty() && waiting_.front().end <= flushed) {
    Answer(waiting_.front(), protocol::ResponseCode::kSuccess, {});
    waiting_.pop_front();
  }
}

void AppendGate::Tick(int64_t now_ms) {
  while (!held_.empty() && held_.front().deadline_ms() <= now_ms) {
    RefuseFront(protocol::ResponseCode::kSystemBusy,
                "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while: " + Figures());
  }
  while (!waiting_.empty() && waiting_.front().deadline_ms <= now_ms) {
    Answer(waiting_.front(), protocol::ResponseCode::kFlushDiskTimeout,
           "stored, but not flushed within " + std::to_string(core_.options.sync_flush_timeout_ms) + " ms");
    waiting_.pop_front();
  }
}

void AppendGate::RefuseAll() {
  while (!held_.empty()) RefuseFront(protocol::ResponseCode::kServiceNotAvailable, "the broker is shutting down");
}

}  // namespace mq::broker
