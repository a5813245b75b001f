// The pull loop of one queue: ask, hand over, ask again; outages, moved offsets and refusals on the way.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/crc32.h"
#include "client/consumer_impl.h"
#include "protocol/compress.h"
#include "protocol/properties.h"

namespace mq::client {

using protocol::PullMessageResponseHeader;
using protocol::ResponseCode;

namespace {

// What a queue is read to is there already: the broker waits for mq-reputd at most, and who waits is told soon.
constexpr int64_t kSuspendToEndMs = 3000;
// A broker that has messages and hands none out for so long has a reason that somebody should know.
constexpr int64_t kStallMs = 3000;

}  // namespace

void PullConsumer::Impl::Pull(const QueuePtr& queue) {
  if (queue->stopped || queue->paused) return;
  if (queue->held) {
    const Queue::Held held = std::move(*queue->held);
    queue->held.reset();
    return OnFound(queue, held.header, held.body);
  }
  if (queue->in_flight || AtEnd(queue)) return;
  const std::string address = AddressOf(queue->name);
  if (address.empty()) return Again(queue, "no live broker");
  std::string why;
  const std::shared_ptr<remoting::Channel> channel = client_.Open(address, &why);
  if (!channel) return Again(queue, why);
  const int64_t timeout = options_.timeout_ms + (queue->suspend ? options_.suspend_ms : 0);
  const auto opaque =
      channel->BeginCall(timeout, [this, queue](const remoting::CallResult& result) { OnReply(queue, result); });
  if (!opaque) return Again(queue, address + ": too many calls wait for an answer");
  queue->in_flight = true;
  WritePull(*queue, *channel, *opaque);
}

void PullConsumer::Impl::WritePull(const Queue& queue, remoting::Channel& channel, int32_t opaque) {
  protocol::PullMessageRequestHeader header;
  header.consumer_group = options_.group;
  header.topic = queue.name.topic;
  header.queue_id = queue.name.queue_id;
  header.queue_offset = queue.next;
  header.max_msg_nums = options_.pull_batch;
  header.sys_flag = protocol::pull_flag::kSubscription | (queue.suspend ? protocol::pull_flag::kSuspend : 0);
  const auto commit = handler_.commit_with_pull ? handler_.commit_with_pull(queue.name) : std::nullopt;
  if (commit) {
    header.sys_flag |= protocol::pull_flag::kCommitOffset;
    header.commit_offset = *commit;
  }
  header.suspend_timeout_ms = queue.to ? std::min(options_.suspend_ms, kSuspendToEndMs) : options_.suspend_ms;
  const protocol::SubscriptionData& subscription = SubscriptionOf(queue.name.topic);
  header.subscription = subscription.sub_string;
  header.expression_type = subscription.expression_type;
  protocol::CommandHead head;
  head.type = channel.preferred_type();
  head.code = static_cast<int32_t>(protocol::RequestCode::kPullMessage);
  head.opaque = opaque;
  protocol::CommandWriter writer(channel.output(), head);
  header.Encode(writer);
  writer.Finish(0);
  channel.OutputAdded();
}

void PullConsumer::Impl::OnReply(const QueuePtr& queue, const remoting::CallResult& result) {
  queue->in_flight = false;
  if (queue->stopped || closed_) return;
  if (result.outcome != remoting::CallOutcome::kReply) {
    RefreshRoute(queue->name.topic);
    return Again(queue, std::string(result.error), result.outcome == remoting::CallOutcome::kTimeout);
  }
  const auto code = static_cast<ResponseCode>(result.reply->code);
  const bool answer = code == ResponseCode::kSuccess || code == ResponseCode::kPullNotFound ||
                      code == ResponseCode::kPullRetryImmediately || code == ResponseCode::kPullOffsetMoved;
  if (!answer) return OnRefused(queue, result);
  const auto header = PullMessageResponseHeader::Decode(*result.reply);
  if (!header) return Fail(queue, header.error());
  queue->backoff_ms = 0;
  queue->suspend = true;
  if (std::exchange(queue->troubled, false) && !TroubledAt(queue->name)) Note(Place(queue->name) + ": reading again");
  if (code == ResponseCode::kPullOffsetMoved) return OnMoved(queue, *header);
  if (code != ResponseCode::kSuccess) return Advance(queue, *header);
  if (queue->paused) {
    queue->held.emplace(Queue::Held{*header, std::string(result.reply->body)});
    return;
  }
  OnFound(queue, *header, result.reply->body);
}

void PullConsumer::Impl::OnFound(const QueuePtr& queue, const PullMessageResponseHeader& header,
                                 std::string_view body) {
  queue->stalled_since_ms = 0;
  queue->next = std::max(queue->next, header.next_begin_offset);
  const bool last = queue->to && queue->next >= *queue->to;
  // The broker fetches the next ones while these are handled.
  if (!last) Pull(queue);
  if (queue->stopped || !Decode(queue, body)) return;
  bool go_on = true;
  if (!messages_.empty() && handler_.on_messages) go_on = handler_.on_messages(queue->name, messages_);
  if (queue->stopped || closed_) return;
  if (!go_on) queue->paused = true;
  if (handler_.on_progress) {
    handler_.on_progress(queue->name, last ? std::min(header.next_begin_offset, *queue->to) : header.next_begin_offset);
    if (queue->stopped || closed_) return;
  }
  if (queue->to) {
    if (last) End(queue);
    return;
  }
  if (header.next_begin_offset >= header.max_offset && handler_.on_end) handler_.on_end(queue->name, queue->next);
}

// Fills messages_; false when the queue cannot go on.
bool PullConsumer::Impl::Decode(const QueuePtr& queue, std::string_view body) {
  messages_.clear();
  inflated_.clear();
  // Bodies are viewed while this grows: strings may not move once they are made.
  size_t compressed = 0;
  const protocol::SubscriptionData& subscription = SubscriptionOf(queue->name.topic);
  std::string_view rest = body;
  while (!rest.empty()) {
    const auto record = protocol::DecodeMessage(rest);
    if (!record) {
      Fail(queue, Result<void>(record.error()).WithContext("pulled from " + Name(queue->name)).error());
      return false;
    }
    rest.remove_prefix(static_cast<size_t>(record->size));
    if (queue->to && record->queue_offset >= *queue->to) break;
    if (!subscription.matches_all()) {
      const auto tag = protocol::FindProperty(record->properties, protocol::property::kTags);
      if (!subscription.MatchesTag(tag.value_or(std::string_view()))) continue;
    }
    if (!record->body.empty() && MessageCrc(record->body) != record->body_crc) NoteDamagedBody(*queue, *record);
    messages_.push_back({*record, record->body, queue->name.broker_name});
    if ((record->sys_flag & protocol::sys_flag::kCompressed) != 0) ++compressed;
  }
  inflated_.reserve(compressed);
  if (compressed == 0) return true;
  for (PulledMessage& message : messages_) {
    if ((message.record.sys_flag & protocol::sys_flag::kCompressed) == 0) continue;
    inflated_.emplace_back();
    auto plain = protocol::MessageBody(message.record, inflated_.back());
    if (plain) {
      message.body = *plain;
    } else {
      Note(Name(queue->name) + " offset " + std::to_string(message.record.queue_offset.value()) +
           ": handing over the compressed body as it is: " + plain.error().what);
    }
  }
  return true;
}

// The broker serves what its log holds; that it is not what was sent is for whoever reads it to know.
void PullConsumer::Impl::NoteDamagedBody(const Queue& queue, const protocol::MessageView& record) {
  uint64_t suppressed = 0;
  ++untold_damage_;
  if (!damage_notes_.Allow(&suppressed)) return;
  std::string text = Name(queue.name) + " offset " + std::to_string(record.queue_offset.value()) +
                     ": the body does not match its checksum; handed over as it is";
  if (suppressed > 0) text += " (and so were " + std::to_string(suppressed) + " more before it)";
  untold_damage_ = 0;
  Note(text);
}

// The rest of those that were too many to name one by one.
void PullConsumer::Impl::NoteUntoldDamage() {
  if (untold_damage_ == 0) return;
  Note(std::to_string(std::exchange(untold_damage_, 0)) +
       " more bodies did not match their checksums; handed over as they are");
}

// An answer without messages although some are there: mq-reputd has not come to them. They will come, so the queue
// waits.
void PullConsumer::Impl::NoteStall(Queue& queue, const PullMessageResponseHeader& header) {
  if (header.next_begin_offset > queue.next || header.max_offset <= queue.next) {
    queue.stalled_since_ms = 0;
    return;
  }
  const int64_t now = MonotonicMs();
  if (queue.stalled_since_ms == 0) queue.stalled_since_ms = now;
  if (queue.stall_told || now - queue.stalled_since_ms < kStallMs) return;
  queue.stall_told = true;
  Note(Name(queue.name) + ": waiting for " + std::to_string(header.max_offset - queue.next) +
       " messages that the broker has not put into its queue yet; mq-admin health says why");
}

// An answer without messages.
void PullConsumer::Impl::Advance(const QueuePtr& queue, const PullMessageResponseHeader& header) {
  NoteStall(*queue, header);
  queue->next = std::max(queue->next, header.next_begin_offset);
  Progress(*queue);
  if (queue->stopped || closed_ || AtEnd(queue)) return;
  if (!queue->to && queue->next >= header.max_offset && handler_.on_end) handler_.on_end(queue->name, queue->next);
  if (!queue->stopped && !closed_) Pull(queue);
}

void PullConsumer::Impl::OnMoved(const QueuePtr& queue, const PullMessageResponseHeader& header) {
  // A queue nothing was written to yet says "moved to 0" for 0: then the end is simply here.
  if (header.next_begin_offset != queue->next) {
    Note(Name(queue->name) + ": offset " + std::to_string(queue->next.value()) + " is not there; going on at " +
         std::to_string(header.next_begin_offset.value()));
  } else if (!queue->to) {
    if (handler_.on_end) handler_.on_end(queue->name, queue->next);
    if (!queue->stopped && !closed_) queue->timer->Start(kPullBackoffMs);
    return;
  }
  queue->next = header.next_begin_offset;
  Progress(*queue);
  if (queue->stopped || AtEnd(queue)) return;
  // From the loop: a broker that moves an offset back and forth must not recurse.
  queue->timer->Start(1);
}

void PullConsumer::Impl::Progress(const Queue& queue) {
  if (handler_.on_progress) handler_.on_progress(queue.name, queue.to ? std::min(queue.next, *queue.to) : queue.next);
}

void PullConsumer::Impl::OnRefused(const QueuePtr& queue, const remoting::CallResult& result) {
  Error error = result.ToError();
  if (error.code == ErrorCode::kBusy) return Again(queue, error.what);
  // A broker that was just started has not heard our heartbeat yet.
  const auto code = static_cast<ResponseCode>(result.reply->code);
  const bool not_yet = code == ResponseCode::kSubscriptionNotExist || code == ResponseCode::kSubscriptionNotLatest;
  if (options_.member && not_yet) return Again(queue, error.what);
  if (code == ResponseCode::kSubscriptionGroupNotExist) {
    error.code = ErrorCode::kNotFound;
    error.hint = "create it with: mq-admin group create " + options_.group;
  }
  Fail(queue, error);
}

// Whether a queue of that topic and broker is in trouble: an outage is told once, not once for each queue.
bool PullConsumer::Impl::TroubledAt(const MessageQueue& name) const {
  return std::any_of(queues_.begin(), queues_.end(), [&](const auto& entry) {
    return entry.second->troubled && entry.first.topic == name.topic && entry.first.broker_name == name.broker_name;
  });
}

// An outage is the broker's; an answer that does not come is one queue's, so that queue is named.
void PullConsumer::Impl::Again(const QueuePtr& queue, const std::string& why, bool names_queue) {
  if (!queue->troubled) {
    const bool told = TroubledAt(queue->name);
    queue->troubled = true;
    queue->troubled_since_ms = MonotonicMs();
    if (!told) Note((names_queue ? Name(queue->name) : Place(queue->name)) + ": " + why + "; trying again");
  }
  if (queue->stopped) return;
  if (queue->to && MonotonicMs() - queue->troubled_since_ms >= options_.give_up_ms) {
    return Fail(queue, MakeError(ErrorCode::kUnreachable, why));
  }
  RefreshRoute(queue->name.topic);
  queue->backoff_ms = std::clamp(queue->backoff_ms * 2, kPullBackoffMs, kMaxPullBackoffMs);
  queue->timer->Start(queue->backoff_ms);
}

bool PullConsumer::Impl::AtEnd(const QueuePtr& queue) {
  if (!queue->to || queue->next < *queue->to) return false;
  End(queue);
  return true;
}

void PullConsumer::Impl::End(const QueuePtr& queue) {
  const MessageQueue name = queue->name;
  Stop(name);
  if (handler_.on_end) handler_.on_end(name, queue->next);
}

void PullConsumer::Impl::Fail(const QueuePtr& queue, const Error& error) {
  const MessageQueue name = queue->name;
  Stop(name);
  if (handler_.on_error) handler_.on_error(name, error);
}

}  // namespace mq::client
