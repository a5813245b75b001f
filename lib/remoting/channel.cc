#include "remoting/channel.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "loop/loop.h"
#include "remoting/call_table.h"

namespace mq::remoting {
namespace {

using protocol::CommandView;

uint64_t NextChannelId() {
  static uint64_t last = 0;  // loop thread only
  return ++last;
}

// One decoded frame at a time is in use on a loop thread: reading never nests.
CommandView& SharedView() {
  thread_local CommandView view;
  return view;
}

}  // namespace

ErrorCode ErrorCodeOf(int32_t response_code) {
  using protocol::ResponseCode;
  switch (static_cast<ResponseCode>(response_code)) {
    case ResponseCode::kSystemBusy:
    case ResponseCode::kServiceNotAvailable:
    case ResponseCode::kFlowControl:
      return ErrorCode::kBusy;
    case ResponseCode::kNoPermission:
      return ErrorCode::kPermission;
    case ResponseCode::kQueryNotFound:
      return ErrorCode::kNotFound;
    case ResponseCode::kFlushDiskTimeout:
    case ResponseCode::kSlaveNotAvailable:
    case ResponseCode::kFlushSlaveTimeout:
      return ErrorCode::kPartial;
    default:
      return ErrorCode::kRefused;
  }
}

Error CallResult::ToError() const {
  switch (outcome) {
    case CallOutcome::kTimeout:
      return MakeError(ErrorCode::kTimeout, std::string(error));
    case CallOutcome::kUnreachable:
      return MakeError(ErrorCode::kUnreachable, std::string(error));
    case CallOutcome::kRefused:
      return MakeError(ErrorCode::kBusy, std::string(error));
    case CallOutcome::kReply:
      break;
  }
  return ErrorOfReply(reply->code, reply->remark);
}

Error ErrorOfReply(int32_t response_code, std::string_view remark) {
  std::string what = "code " + std::to_string(response_code);
  what.append(" ").append(protocol::ResponseCodeName(response_code));
  // Java's remarks may hold several lines; the first says it.
  if (!remark.empty()) what.append(": ").append(remark.substr(0, remark.find_first_of("\r\n")));
  return MakeError(ErrorCodeOf(response_code), std::move(what));
}

Channel::Channel(loop::Loop& loop, ChannelOwner* owner, ChannelOptions options)
    : loop_(loop),
      owner_(owner),
      options_(std::move(options)),
      calls_(std::make_unique<CallTable>()),
      id_(NextChannelId()),
      last_activity_ms_(MonotonicMs()),
      incomplete_since_ms_(last_activity_ms_) {}

Channel::~Channel() = default;

void Channel::Adopt(std::unique_ptr<loop::Connection> connection) {
  connection_ = std::move(connection);
  connection_->WatchOutput(options_.output_high_water);
  connected_ = true;
  NotePeer();
  connection_->Start(this);
}

void Channel::Connect(const loop::Address& address, int64_t timeout_ms) {
  peer_ = address.ToString();
  connection_ = loop::Connection::Connect(loop_, address, timeout_ms, this);
  connection_->WatchOutput(options_.output_high_water);
}

void Channel::NotePeer() {
  peer_ = connection_->peer_text();
  const loop::HostPort& peer = connection_->peer();
  peer_host_.v6 = peer.length == 16;
  std::memcpy(peer_host_.address.data(), peer.bytes, static_cast<size_t>(peer.length));
  peer_host_.port = peer.port;
}

void Channel::OnConnected() {
  connected_ = true;
  last_activity_ms_ = MonotonicMs();
  NotePeer();
  if (owner_ != nullptr) owner_->OnChannelConnected(*this);
}

size_t Channel::OnData(std::string_view bytes) {
  const std::shared_ptr<Channel> self = shared_from_this();
  last_activity_ms_ = heard_ms_ = loop_.now_ms();
  CommandView& view = SharedView();
  size_t used = 0;
  bool incomplete = false;
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    Result<size_t> size = protocol::FrameSize(rest);
    if (!size) {
      Finished(size.error(), true);
      return used;
    }
    if (*size == 0 || *size > rest.size()) {
      if (*size > 0) connection_->Expect(*size);
      incomplete = true;
      break;
    }
    const Status status = protocol::DecodeCommand(rest.substr(0, *size), view);
    if (!status) {
      Finished(status.error(), true);
      return used;
    }
    used += *size;
    has_spoken_ = true;
    incomplete_since_ms_ = -1;
    Dispatch(view);
    if (closed_) return used;
    if (TooMuchQueued()) break;
  }
  if (incomplete && incomplete_since_ms_ < 0) incomplete_since_ms_ = last_activity_ms_;
  return used;
}

// A reader that does not take its answers gets no more of them: its next requests wait unread.
bool Channel::TooMuchQueued() {
  const size_t queued = connection_->queued_bytes();
  if (queued <= options_.output_high_water) return false;
  connection_->PauseReading();
  return true;
}

void Channel::OnDrained() { connection_->ResumeReading(); }

void Channel::Dispatch(const CommandView& command) {
  if (command.type == protocol::SerializeType::kRocketMq) {
    peer_speaks_binary_ = true;
  } else if (command.is_response() && command.version >= kVersionBinaryHeader &&
             command.language_code == static_cast<int>(protocol::LanguageCode::kJava)) {
    peer_speaks_binary_ = true;
  }
  if (command.is_response()) {
    const CallCallback callback = calls_->Take(command.opaque);
    if (callback) callback({CallOutcome::kReply, &command, {}});
    return;
  }
  if (owner_ != nullptr) owner_->OnRequest();
  if (!options_.processors) return;
  const Processor& processor = options_.processors->Find(command.code);
  if (processor) processor(*this, command);
}

void Channel::Reply(const CommandView& request, protocol::ResponseCode code, std::string_view remark) {
  if (!request.is_oneway()) ReplyTo(protocol::ReplyHead(request, code, remark));
}

void Channel::ReplyTo(const protocol::CommandHead& head, std::string_view body) {
  std::string& out = output();
  protocol::CommandWriter writer(out, head);
  writer.Finish(body.size());
  out.append(body);
  OutputAdded();
}

void Channel::ReplyBody(const CommandView& request, std::string_view body, std::string_view remark) {
  if (!request.is_oneway()) ReplyTo(protocol::ReplyHead(request, protocol::ResponseCode::kSuccess, remark), body);
}

void Channel::OutputAdded() {
  last_activity_ms_ = loop_.now_ms();
  if (closed_ || connection_->queued_bytes() <= options_.output_hard_limit) return;
  Abort("too much output waits for a slow reader");
}

void Channel::WritePinned(std::shared_ptr<const void> pin, std::string_view bytes) {
  connection_->WritePinned(std::move(pin), bytes);
}

std::optional<int32_t> Channel::BeginCall(int64_t timeout_ms, CallCallback callback, int64_t silence_ms) {
  if (closed_) return std::nullopt;
  const int64_t now = MonotonicMs();
  const CallDeadline deadline{now, now + timeout_ms, silence_ms};
  const std::optional<int32_t> opaque = calls_->Add(deadline, std::move(callback));
  if (opaque) ArmTimer(deadline.At(heard_ms_));
  return opaque;
}

void Channel::Call(protocol::Command& command, int64_t timeout_ms, CallCallback callback) {
  const std::optional<int32_t> opaque = BeginCall(timeout_ms, callback);
  if (!opaque) {
    const std::string why = peer_ + (closed_ ? ": the connection is closed" : ": too many calls wait for an answer");
    const CallOutcome outcome = closed_ ? CallOutcome::kUnreachable : CallOutcome::kRefused;
    loop_.Post([callback = std::move(callback), why, outcome] { callback({outcome, nullptr, why}); });
    return;
  }
  command.opaque = *opaque;
  protocol::EncodeCommand(command, output());
  OutputAdded();
}

void Channel::SendOneway(protocol::Command& command) {
  if (closed_) return;
  command.flag |= protocol::kFlagOneway;
  protocol::EncodeCommand(command, output());
  OutputAdded();
}

void Channel::ArmTimer(int64_t deadline_ms) {
  if (armed_ms_ >= 0 && armed_ms_ <= deadline_ms) return;
  if (!timer_) timer_ = std::make_unique<loop::Timer>(loop_, [this] { ExpireCalls(); });
  armed_ms_ = deadline_ms;
  timer_->Start(std::max<int64_t>(deadline_ms - MonotonicMs(), 1));
}

void Channel::ExpireCalls() {
  const std::shared_ptr<Channel> self = shared_from_this();
  armed_ms_ = -1;
  const int64_t now = MonotonicMs();
  // Timers run before input: after a pause of our own process the answers may be there already. They are read first.
  const int64_t earliest = calls_->EarliestDeadline(heard_ms_);
  if (earliest >= 0 && earliest <= now && !std::exchange(expiry_noted_, true)) return ArmTimer(now + 1);
  expiry_noted_ = false;
  bool expired = false;
  while (CallCallback callback = calls_->TakeExpired(now, heard_ms_)) {
    expired = true;
    const std::string why =
        peer_ + (connected_ ? ": no answer before the deadline" : ": not connected before the deadline");
    callback({CallOutcome::kTimeout, nullptr, why});
  }
  if (closed_) return;
  if (expired && options_.close_on_timeout) {
    Abort("a call was not answered in time");
    return;
  }
  const int64_t next = calls_->EarliestDeadline(heard_ms_);
  if (next >= 0) ArmTimer(next);
}

void Channel::FailCalls(CallOutcome outcome, const std::string& why) {
  while (CallCallback callback = calls_->TakeAny()) callback({outcome, nullptr, why});
}

void Channel::OnClosed(const Error& why) { Finished(why, false); }

void Channel::Finished(const Error& why, bool garbage) {
  if (closed_) return;
  const std::shared_ptr<Channel> self = shared_from_this();
  closed_ = true;
  timer_.reset();
  connection_->Close();
  if (ChannelOwner* owner = std::exchange(owner_, nullptr)) owner->OnChannelClosed(*this, why, garbage);
  const bool timed_out = why.code == ErrorCode::kTimeout;
  FailCalls(timed_out ? CallOutcome::kTimeout : CallOutcome::kUnreachable, why.what);
}

void Channel::Close() {
  if (closed_) return;
  const std::shared_ptr<Channel> self = shared_from_this();
  closed_ = true;
  timer_.reset();
  connection_->CloseAfterWrite();
  const Error why = MakeError(ErrorCode::kClosed, peer_ + ": closed by us");
  if (ChannelOwner* owner = std::exchange(owner_, nullptr)) owner->OnChannelClosed(*this, why, false);
  FailCalls(CallOutcome::kUnreachable, why.what);
}

void Channel::Abort(std::string_view why) {
  Finished(MakeError(ErrorCode::kClosed, peer_ + ": " + std::string(why)), false);
}

std::string Channel::local() const { return connection_->local_text(); }

size_t Channel::queued_bytes() const { return connection_->queued_bytes(); }

size_t Channel::pending_calls() const { return calls_->size(); }

bool Channel::output_done() const { return connection_->closed(); }

}  // namespace mq::remoting
