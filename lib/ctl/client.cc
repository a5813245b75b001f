#include "ctl/client.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "ctl/seqpacket.h"
#include "loop/loop.h"

namespace mq::ctl {

namespace {

constexpr std::string_view kSocketName = "ctl.sock";
constexpr int64_t kFirstRetryMs = 10;
constexpr int64_t kLastRetryMs = 1000;
constexpr int kDrainedWaitMs = 5000;  // for a broker that reads nothing; it gives a stop up after 8 s

}  // namespace

Client::Client(loop::Loop& loop, std::string directory, Role role, int64_t page_version, std::string build,
               ClientHandler& handler)
    : loop_(loop),
      directory_(std::move(directory)),
      role_(role),
      page_version_(page_version),
      build_(std::move(build)),
      handler_(handler),
      retry_(std::make_unique<loop::Timer>(loop, [this] { TryConnect(); })),
      retry_ms_(kFirstRetryMs) {}

Client::~Client() { Close(); }

void Client::Start() {
  retry_ms_ = kFirstRetryMs;
  retry_->Start(0);
}

void Client::TryConnect() {
  auto socket = Connect(directory_, kSocketName);
  if (!socket) {
    retry_->Start(retry_ms_);
    retry_ms_ = std::min(retry_ms_ * 2, kLastRetryMs);
    return;
  }
  socket_ = std::move(*socket);
  poller_ = std::make_unique<loop::Poller>(loop_, socket_.get(), [this](int, int) { OnReadable(); });
  poller_->Start(loop::Poller::kReadable);
  Message hello;
  hello.type = MessageType::kHello;
  hello.role = role_;
  hello.pid = ::getpid();
  hello.page_version = page_version_;
  hello.build = build_;
  SendMessage(hello);
}

void Client::OnReadable() {
  while (socket_.valid()) {
    auto received = Receive(socket_.get());
    if (received && received->nothing) return;
    if (!received || received->closed) return Lost();
    auto message = Decode(received->bytes);
    if (!message) {
      log::Warn("ctl", "a message was not understood").Field("error", message.error());
      continue;
    }
    OnMessage(std::move(*message), std::move(received->descriptors));
  }
}

void Client::OnMessage(Message message, std::vector<UniqueFd> descriptors) {
  switch (message.type) {
    case MessageType::kWelcome:
      if (attached_ || descriptors.size() != 2) return Lost();
      attached_ = true;
      retry_ms_ = kFirstRetryMs;
      handler_.OnAttached(message.settings, std::move(descriptors[0]), std::move(descriptors[1]));
      return;
    case MessageType::kRefused:
      Close();
      handler_.OnRefused(MakeError(ErrorCode::kHeldByOther, message.text));
      return;
    case MessageType::kWake:
      if (attached_) handler_.OnWake();
      return;
    case MessageType::kSettings:
      if (attached_) handler_.OnSettings(message.settings);
      return;
    case MessageType::kDrain:
      if (attached_) handler_.OnDrain();
      return;
    default:
      return;
  }
}

// Before the welcome the broker is only starting or going: that is no loss, just another try.
void Client::Lost() {
  const bool was_attached = std::exchange(attached_, false);
  poller_.reset();
  socket_.Reset();
  if (was_attached) {
    handler_.OnLost();
  } else {
    retry_->Start(retry_ms_);
    retry_ms_ = std::min(retry_ms_ * 2, kLastRetryMs);
  }
}

// A full socket loses a wake-up, which the broker's timer makes good; a broken one is noticed when reading.
void Client::SendMessage(const Message& message) {
  if (socket_.valid()) Send(socket_.get(), Encode(message)).Ignore("see above");
}

void Client::Ring(Role to) {
  Message wake;
  wake.type = MessageType::kWake;
  wake.role = to;
  SendMessage(wake);
}

void Client::Drained(const std::string& problem) {
  Message drained;
  drained.type = MessageType::kDrained;
  drained.text = problem;
  // The broker stops only when it hears this: where wake-ups fill the socket, there is time to wait for room.
  pollfd writable{socket_.get(), POLLOUT, 0};
  while (socket_.valid()) {
    const Status sent = Send(socket_.get(), Encode(drained));
    if (sent || sent.error().code != ErrorCode::kBusy || ::poll(&writable, 1, kDrainedWaitMs) <= 0) return;
  }
}

void Client::ReportStatus(const std::string& text) {
  Message status;
  status.type = MessageType::kStatus;
  status.text = text;
  SendMessage(status);
}

void Client::Close() {
  attached_ = false;
  retry_->Stop();
  poller_.reset();
  socket_.Reset();
}

namespace {

// One question, one answer.
Result<Received> AskOnce(const std::string& directory, MessageType question, int timeout_ms) {
  MQ_ASSIGN(const UniqueFd socket, Connect(directory, kSocketName));
  Message message;
  message.type = question;
  MQ_TRY(Send(socket.get(), Encode(message)));
  pollfd wait = {socket.get(), POLLIN, 0};
  if (::poll(&wait, 1, timeout_ms) != 1) return MakeError(ErrorCode::kUnreachable, "the broker does not answer");
  MQ_ASSIGN(Received received, Receive(socket.get()));
  if (received.closed || received.nothing) return MakeError(ErrorCode::kUnreachable, "the broker gave no answer");
  return received;
}

}  // namespace

std::optional<int64_t> AskHolder(const std::string& directory, int timeout_ms) {
  const auto received = AskOnce(directory, MessageType::kWho, timeout_ms);
  if (!received) return std::nullopt;
  auto answer = Decode(received->bytes);
  if (!answer || answer->type != MessageType::kHolder || answer->pid <= 0) return std::nullopt;
  return answer->pid;
}

Error NameHolder(Error error, const std::string& directory) {
  constexpr int kAskMs = 500;
  if (const auto holder = AskHolder(directory, kAskMs)) {
    error.what += " (held by pid " + std::to_string(*holder) + ")";
  }
  return error;
}

Result<UniqueFd> AskPositions(const std::string& directory, int timeout_ms) {
  MQ_ASSIGN(Received received, AskOnce(directory, MessageType::kLook, timeout_ms));
  MQ_ASSIGN(const Message answer, Decode(received.bytes));
  if (answer.type == MessageType::kRefused) return MakeError(ErrorCode::kPermission, answer.text);
  if (answer.type != MessageType::kPositions || received.descriptors.size() != 1) {
    return MakeError(ErrorCode::kProtocol, "the broker does not hand out its positions");
  }
  return std::move(received.descriptors.front());
}

}  // namespace mq::ctl
