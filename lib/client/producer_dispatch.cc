// The sending half of the producer: slots of the window, choice of queue and broker, tries and their outcomes.
#include <algorithm>
#include <random>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "client/producer_impl.h"
#include "protocol/batch.h"
#include "protocol/send_headers.h"

namespace mq::client {
namespace {

using protocol::ResponseCode;

// A refusal that another broker, or the same one later, may not repeat. The codes are those of RocketMQ's own
// producer; a failed signature arrives as a system error and is final.
bool RetryMayHelpAfter(int32_t code, std::string_view remark) {
  switch (static_cast<ResponseCode>(code)) {
    case ResponseCode::kSystemError:
      return remark.find("AclException") == std::string_view::npos;
    case ResponseCode::kSystemBusy:
    case ResponseCode::kServiceNotAvailable:
    case ResponseCode::kTopicNotExist:
    case ResponseCode::kNoBuyerId:
    case ResponseCode::kNotInCurrentUnit:
    case ResponseCode::kFlowControl:
      return true;
    default:
      return false;
  }
}

SendStatus StatusOf(int32_t code) {
  switch (static_cast<ResponseCode>(code)) {
    case ResponseCode::kFlushDiskTimeout:
      return SendStatus::kStoredNotFlushed;
    case ResponseCode::kSlaveNotAvailable:
    case ResponseCode::kFlushSlaveTimeout:
      return SendStatus::kStoredNotReplicated;
    default:
      return SendStatus::kStored;
  }
}

// Nothing was stored, and later it will be: such tries cost only time.
bool IsBusy(int32_t code) { return static_cast<ResponseCode>(code) == ResponseCode::kSystemBusy; }

// Between half and all of `delay`, so that many senders that were refused together do not come back together.
int64_t WithJitter(int64_t delay_ms) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return delay_ms - std::uniform_int_distribution<int64_t>(0, delay_ms / 2)(random);
}

bool IsStored(int32_t code) { return code == 0 || StatusOf(code) != SendStatus::kStored; }

}  // namespace

void Producer::Impl::Note(const std::string& text) {
  if (handler_.on_notice) handler_.on_notice(text);
}

void Producer::Impl::Pump() {
  // After a split nothing overtakes the pieces: what is in flight is answered first, and may join them.
  if (split_ && !slots_.empty()) return;
  split_ = false;
  while (slots_.size() < static_cast<size_t>(options_.window)) {
    BatchPtr batch;
    if (!ready_.empty()) {
      batch = std::move(ready_.front());
      ready_.pop_front();
    } else if (!hooked_) {  // at the end of a turn what is open goes too
      batch = TakeOpenBatch();
    }
    if (!batch) return;
    if (options_.oneway && oneway_timer_.active()) {
      ready_.push_front(std::move(batch));
      return;
    }
    slots_.insert(batch);
    Dispatch(batch);
  }
}

Producer::Impl::BatchPtr Producer::Impl::TakeOpenBatch() {
  for (auto& [name, topic] : topics_) {
    for (auto& [key, lane] : topic->lanes) {
      if (lane) return std::exchange(lane, nullptr);
    }
  }
  return nullptr;
}

int64_t Producer::Impl::RemainingMs(const Batch& batch) const {
  return options_.timeout_ms - (MonotonicMs() - batch.first_try_ms);
}

bool Producer::Impl::OthersAvailable(const Topic& topic, std::string_view broker) const {
  const int64_t now = MonotonicMs();
  return std::any_of(topic.queues.begin(), topic.queues.end(), [&](const MessageQueue& queue) {
    return queue.broker_name != broker && !health_.Avoid(queue.broker_name, now);
  });
}

// The next queue in turn whose broker is neither in trouble nor the one that just failed; else simply the next.
bool Producer::Impl::ChooseQueue(Topic& topic, Batch& batch) {
  if (batch.fixed_queue) {
    batch.queue = *batch.fixed_queue;
  } else {
    const int64_t now = MonotonicMs();
    const size_t count = topic.queues.size();
    const size_t first = topic.next_queue++ % count;
    std::optional<size_t> found;
    for (size_t i = 0; i < count && !found; ++i) {
      const std::string& broker = topic.queues[(first + i) % count].broker_name;
      if (broker == batch.tried_broker || health_.Avoid(broker, now)) continue;
      if (!options_.fault_delay || faults_.Available(broker, now)) found = (first + i) % count;
    }
    if (!found && options_.fault_delay) found = LeastBadQueue(topic, batch, first);
    const size_t chosen = found.value_or(first);
    topic.next_queue = chosen + 1;
    batch.queue = topic.queues[chosen];
  }
  batch.address = topic.route.MasterOf(batch.queue.broker_name);
  return !batch.address.empty();
}

// Every broker is to be avoided: the next queue of the least bad one, not of one that just failed if there is another.
std::optional<size_t> Producer::Impl::LeastBadQueue(Topic& topic, const Batch& batch, size_t from) {
  const int64_t now = MonotonicMs();
  std::set<std::string> known;
  for (const MessageQueue& queue : topic.queues) {
    if (queue.broker_name != batch.tried_broker && !health_.Avoid(queue.broker_name, now))
      known.insert(queue.broker_name);
  }
  const std::string broker = faults_.LeastBad(std::vector<std::string>(known.begin(), known.end()), now);
  for (size_t i = 0; i < topic.queues.size(); ++i) {
    const size_t at = (from + i) % topic.queues.size();
    if (topic.queues[at].broker_name == broker) return at;
  }
  return std::nullopt;
}

void Producer::Impl::NoteLatency(const Batch& batch, bool failed) {
  if (!options_.fault_delay) return;
  const int64_t now = MonotonicMs();
  const bool was_available = faults_.Available(batch.queue.broker_name, now);
  const int64_t avoid_ms = faults_.Update(batch.queue.broker_name, now - batch.sent_ms, failed, now);
  if (avoid_ms == 0 || !was_available) return;
  Note("broker " + batch.queue.broker_name + " is avoided for " + std::to_string(avoid_ms / 1000) +
       " s: " + (failed ? "isolated after a failure" : "it took " + std::to_string(now - batch.sent_ms) + " ms"));
}

void Producer::Impl::Dispatch(const BatchPtr& batch) {
  Topic& topic = TopicOf(batch->topic);
  const int64_t now = MonotonicMs();
  if (batch->first_try_ms == 0) batch->first_try_ms = now;
  batch->sent_ms = now;
  const int64_t refresh = topic.route.exists ? kRouteRefreshMs : kNewTopicRefreshMs;
  if (now - topic.asked_ms >= refresh) AskRoute(topic);
  if (!ChooseQueue(topic, *batch)) {
    batch->error = MakeError(ErrorCode::kUnreachable, "broker " + batch->queue.broker_name + " has no live master");
    return TryFailed(batch, true, false);
  }
  std::string why;
  const std::shared_ptr<remoting::Channel> channel = client_.Open(batch->address, &why);
  if (!channel) {
    batch->error = MakeError(ErrorCode::kUnreachable, why);
    return TryFailed(batch, true, false);
  }
  if (options_.oneway) return WriteOneway(batch, *channel);
  const int64_t share = options_.timeout_ms / (options_.retries + 1);
  // A broker that is silent for a try's share of the time is given up; one that answers others of our requests is busy.
  WriteRequest(batch, *channel, std::max<int64_t>(RemainingMs(*batch), 1), std::max<int64_t>(share, 50));
}

void Producer::Impl::WriteRequest(const BatchPtr& batch, remoting::Channel& channel, int64_t timeout_ms,
                                  int64_t silence_ms) {
  const auto opaque = channel.BeginCall(
      timeout_ms, [this, batch](const remoting::CallResult& result) { OnReply(batch, result); }, silence_ms);
  if (!opaque) {
    batch->error = MakeError(ErrorCode::kBusy, batch->address + ": too many calls wait for an answer");
    return TryFailed(batch, true, false);
  }
  ++stats_.requests;
  protocol::CommandHead head;
  head.type = channel.preferred_type();
  head.opaque = *opaque;
  EncodeSend(*batch, {options_.group, options_.wait_store, NowMs()}, head, channel.output());
  channel.OutputAdded();
}

void Producer::Impl::WriteOneway(const BatchPtr& batch, remoting::Channel& channel) {
  if (!channel.connected()) {
    client_.Connect(batch->address,
                    [this, batch](const std::shared_ptr<remoting::Channel>& ready, std::string_view error) {
                      if (closed_) return;
                      if (ready) return WriteOneway(batch, *ready);
                      batch->error = MakeError(ErrorCode::kUnreachable, std::string(error));
                      health_.Failed(batch->queue.broker_name, MonotonicMs());
                      TryFailed(batch, true, false);
                    });
    return;
  }
  oneway_addresses_.insert(batch->address);
  ++stats_.requests;
  ++batch->attempts;
  protocol::CommandHead head;
  head.type = channel.preferred_type();
  head.flag = protocol::kFlagOneway;
  EncodeSend(*batch, {options_.group, options_.wait_store, NowMs()}, head, channel.output());
  channel.OutputAdded();
  if (channel.queued_bytes() > kMaxOnewayOutput) oneway_timer_.Start(1);
  SendReport report;
  report.status = SendStatus::kSent;
  report.broker_name = batch->queue.broker_name;
  report.queue_id = batch->queue.queue_id;
  report.attempts = batch->attempts;
  Reported(batch->count(), true);
  if (handler_.on_report) ReportBatch(*batch, report, {}, handler_.on_report);
  Done(batch);
}

void Producer::Impl::OnReply(const BatchPtr& batch, const remoting::CallResult& result) {
  if (closed_) return;  // reported by Close
  if (result.outcome == remoting::CallOutcome::kReply) {
    // With --retries 0 one try is meant, whatever came of it.
    const bool counts = !IsBusy(result.reply->code) || options_.retries == 0;
    if (counts) ++batch->attempts;
    batch->response_code = result.reply->code;
    if (IsStored(result.reply->code)) {
      health_.Worked(batch->queue.broker_name);
      NoteLatency(*batch, false);
      return Stored(batch, *result.reply);
    }
    batch->error = result.ToError();
    // A refused message says nothing about the broker.
    if (RetryMayHelpAfter(result.reply->code, result.reply->remark)) NoteLatency(*batch, true);
    if (result.reply->code == static_cast<int32_t>(ResponseCode::kMessageIllegal) && batch->count() > 1) {
      return SendOneByOne(batch);
    }
    const bool missing = result.reply->code == static_cast<int32_t>(ResponseCode::kTopicNotExist);
    if (missing) AskRoute(TopicOf(batch->topic));
    return TryFailed(batch, RetryMayHelpAfter(result.reply->code, result.reply->remark), counts);
  }
  const bool reached = result.outcome == remoting::CallOutcome::kTimeout;
  if (reached) ++batch->attempts;
  batch->error = result.ToError();
  health_.Failed(batch->queue.broker_name, MonotonicMs());
  NoteLatency(*batch, true);
  TryFailed(batch, true, reached);
}

// One illegal message made the broker refuse all of the batch: each goes alone, in order and to the same queue, so that
// only the illegal one fails.
void Producer::Impl::SendOneByOne(const BatchPtr& batch) {
  std::deque<BatchPtr> pieces;
  protocol::BatchReader reader(batch->entries);
  for (const uint64_t cookie : batch->cookies) {
    const auto entry = reader.Next();
    MQ_CHECK(entry && entry->has_value(), "a batch we wrote ourselves");
    auto piece = std::make_shared<Batch>();
    piece->topic = batch->topic;
    piece->fixed_queue = batch->queue;
    piece->cookies.push_back(cookie);
    piece->first_try_ms = batch->first_try_ms;
    piece->sequence = batch->sequence;
    protocol::AppendBatchEntry(piece->entries, **entry);
    pieces.push_back(std::move(piece));
  }
  // Several batches may have been refused: the pieces of an earlier one stay before those of a later one.
  const auto later = std::find_if(ready_.begin(), ready_.end(),
                                  [&](const BatchPtr& other) { return other->sequence > batch->sequence; });
  ready_.insert(later, pieces.begin(), pieces.end());
  // The limit may be that of the whole request: the next ones are smaller.
  batch_bytes_ = std::min(batch_bytes_, std::max<size_t>(batch->entries.size() / 2, 1));
  if (!std::exchange(split_, true)) {
    const std::string text = "a batch was refused (" + batch->error.what + "): its messages go one by one; with a " +
                             "window above 1 their order may have changed";
    if (handler_.on_warning) handler_.on_warning(text);
  }
  Done(batch);
}

void Producer::Impl::Stored(const BatchPtr& batch, const protocol::CommandView& reply) {
  const auto header = protocol::SendMessageResponseHeader::Decode(reply);
  SendReport report;
  report.status = StatusOf(reply.code);
  report.broker_name = batch->queue.broker_name;
  report.attempts = batch->attempts;
  report.response_code = reply.code;
  Error half;
  if (report.status != SendStatus::kStored) {
    half = MakeError(ErrorCode::kPartial,
                     "stored, but the broker answered " + std::string(protocol::ResponseCodeName(reply.code)));
    report.error = &half;
  }
  std::string_view ids;
  if (header) {
    report.queue_id = header->queue_id;
    report.queue_offset = header->queue_offset;
    ids = header->msg_id;
  }
  Reported(batch->count(), true);
  if (handler_.on_report) ReportBatch(*batch, report, ids, handler_.on_report);
  Done(batch);
}

void Producer::Impl::TryFailed(const BatchPtr& batch, bool retryable, bool reached) {
  const int64_t remaining = RemainingMs(*batch);
  // Tries that never got to a broker, or to a busy one, cost nothing: those are bounded by the deadline alone.
  const bool tries_left = !reached || batch->attempts <= options_.retries;
  if (!retryable || !tries_left || remaining <= 0) return FailBatch(batch);
  stats_.retried_messages += batch->count();
  Topic& topic = TopicOf(batch->topic);
  batch->tried_broker = batch->queue.broker_name;
  if (MonotonicMs() - topic.asked_ms >= kFirstBackoffMs * 4) AskRoute(topic);
  int64_t delay = 0;
  if (batch->fixed_queue || !OthersAvailable(topic, batch->tried_broker)) {
    const int64_t elapsed = options_.timeout_ms - remaining;
    delay = WithJitter(std::min({std::max(kFirstBackoffMs, elapsed / 4), kMaxBackoffMs, remaining}));
  }
  Note("trying " + std::to_string(batch->count()) + " messages again in " + std::to_string(delay) +
       " ms: " + batch->error.what);
  RetryLater(batch, delay);
}

void Producer::Impl::RetryLater(const BatchPtr& batch, int64_t delay_ms) {
  const int64_t due = MonotonicMs() + delay_ms;
  const bool first = std::all_of(retries_.begin(), retries_.end(), [due](const auto& r) { return due < r.first; });
  retries_.emplace_back(due, batch);
  if (first) retry_timer_.Start(delay_ms);
}

void Producer::Impl::RunRetries() {
  const int64_t now = MonotonicMs();
  std::vector<BatchPtr> due;
  int64_t next = -1;
  std::erase_if(retries_, [&](const auto& retry) {
    if (retry.first <= now) {
      due.push_back(retry.second);
      return true;
    }
    if (next < 0 || retry.first < next) next = retry.first;
    return false;
  });
  if (next >= 0) retry_timer_.Start(next - now);
  for (const BatchPtr& batch : due) {
    if (!closed_) Dispatch(batch);
  }
}

void Producer::Impl::FailBatch(const BatchPtr& batch) {
  SendReport report;
  report.broker_name = batch->queue.broker_name;
  report.queue_id = batch->queue.broker_name.empty() ? -1 : batch->queue.queue_id;
  report.attempts = batch->attempts;
  report.response_code = batch->response_code;
  report.error = &batch->error;
  Reported(batch->count(), false);
  if (handler_.on_report) ReportBatch(*batch, report, {}, handler_.on_report);
  Done(batch);
}

void Producer::Impl::Done(const BatchPtr& batch) {
  // The caller's reference may be the set's own, which dies with it.
  const BatchPtr held = batch;  // NOLINT(performance-unnecessary-copy-initialization)
  slots_.erase(held);
  AskTurnEnd();
}

}  // namespace mq::client
