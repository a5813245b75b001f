#include "ctl/server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "ctl/seqpacket.h"
#include "loop/loop.h"

namespace mq::ctl {

namespace {

constexpr std::string_view kSocketName = "ctl.sock";
// Two helpers, and some who ask and go; more is somebody's mistake.
constexpr size_t kMaxPeers = 64;

}  // namespace

struct Server::Peer : std::enable_shared_from_this<Server::Peer> {
  UniqueFd fd;
  std::unique_ptr<loop::Poller> poller;
  Credentials credentials;
  Role role = Role::kNone;  // after its hello
  std::string status;
  bool dead = false;
};

Server::Server(loop::Loop& loop, Options options, ServerHandler& handler)
    : loop_(loop), options_(std::move(options)), handler_(handler) {}

Server::~Server() { Close(); }

Result<std::unique_ptr<Server>> Server::Open(loop::Loop& loop, Options options, ServerHandler& handler) {
  std::unique_ptr<Server> server(new Server(loop, std::move(options), handler));
  MQ_ASSIGN(server->listener_, Listen(server->options_.directory, kSocketName));
  Server* self = server.get();
  server->acceptor_ =
      std::make_unique<loop::Poller>(loop, server->listener_.get(), [self](int, int) { self->OnAcceptable(); });
  server->acceptor_->Start(loop::Poller::kReadable);
  return server;
}

void Server::OnAcceptable() {
  for (;;) {
    auto accepted = Accept(listener_.get());
    if (!accepted) {
      log::Warn("ctl", "a helper could not be accepted").Field("error", accepted.error());
      return;
    }
    if (!accepted->valid()) return;
    auto credentials = PeerOf(accepted->get());
    if (!credentials || peers_.size() >= kMaxPeers) continue;
    auto peer = std::make_shared<Peer>();
    peer->fd = std::move(*accepted);
    peer->credentials = *credentials;
    Peer* raw = peer.get();
    peer->poller = std::make_unique<loop::Poller>(loop_, peer->fd.get(), [this, raw](int, int) { OnReadable(*raw); });
    peer->poller->Start(loop::Poller::kReadable);
    peers_.push_back(std::move(peer));
  }
}

void Server::OnReadable(Peer& peer) {
  // A handler may close everything; this peer stays until we are done with it.
  const std::shared_ptr<Peer> keep = peer.shared_from_this();
  while (!peer.dead) {
    auto received = Receive(peer.fd.get());
    if (!received) {
      log::Warn("ctl", "a message was not understood")
          .Field("pid", peer.credentials.pid)
          .Field("error", received.error());
      break;
    }
    if (received->nothing) return;
    if (received->closed) break;
    auto message = Decode(received->bytes);
    if (!message) {
      log::Warn("ctl", "a message was not understood")
          .Field("pid", peer.credentials.pid)
          .Field("error", message.error());
      continue;
    }
    OnMessage(peer, *message);
  }
  if (!peer.dead || peer.fd.valid()) Remove(peer);
}

void Server::OnMessage(Peer& peer, const Message& message) {
  switch (message.type) {
    case MessageType::kHello:
      OnHello(peer, message);
      return;
    case MessageType::kWho: {
      Message answer;
      answer.type = MessageType::kHolder;
      answer.pid = ::getpid();
      answer.text = state_;
      Send(peer.fd.get(), Encode(answer)).Ignore("who asks may have gone");
      return;
    }
    case MessageType::kLook:
      OnLook(peer);
      return;
    case MessageType::kWake:
      // A helper that means the other helper has read its flag in the shared page.
      if (peer.role == Role::kNone) return;
      if (message.role == Role::kBroker || message.role == Role::kNone) {
        handler_.OnWake(peer.role);
      } else {
        Ring(message.role);
      }
      return;
    case MessageType::kDrained:
      if (peer.role != Role::kNone) handler_.OnDrained(peer.role, message.text);
      return;
    case MessageType::kStatus:
      if (peer.role == Role::kNone) return;
      peer.status = message.text;
      handler_.OnStatus(peer.role, message.text);
      return;
    default:
      return;
  }
}

void Server::OnHello(Peer& peer, const Message& message) {
  if (peer.role != Role::kNone) return;
  const std::string name = "mq-" + std::string(RoleName(message.role));
  if (message.role != Role::kFlushd && message.role != Role::kReputd) {
    return Refuse(peer, "only mq-flushd and mq-reputd may attach");
  }
  if (peer.credentials.uid != ::geteuid()) {
    return Refuse(peer, name + " runs as user " + std::to_string(peer.credentials.uid) + ", the broker as " +
                            std::to_string(::geteuid()));
  }
  if (message.page_version != options_.page_version || message.build != options_.build) {
    return Refuse(
        peer, name + " is of another build than the broker (" + message.build + ", broker: " + options_.build + ")");
  }
  if (const Peer* other = Find(message.role)) {
    return Refuse(peer, "another " + name + " (pid " + std::to_string(other->credentials.pid) + ") serves this store");
  }
  Message welcome;
  welcome.type = MessageType::kWelcome;
  welcome.pid = ::getpid();
  welcome.settings = options_.settings;
  if (Status sent = Send(peer.fd.get(), Encode(welcome), {options_.positions_fd, options_.lock_fd}); !sent) {
    log::Warn("ctl", "a helper could not be welcomed").Field("helper", name).Field("error", sent.error());
    peer.dead = true;
    return;
  }
  peer.role = message.role;
  log::Debug("ctl", "helper attached").Field("helper", name).Field("pid", peer.credentials.pid);
  handler_.OnHelper(peer.role, true, peer.credentials.pid);
}

// A descriptor of its own, opened for reading: whoever holds it can map the pages but never write them.
void Server::OnLook(Peer& peer) {
  if (peer.credentials.uid != ::geteuid() && peer.credentials.uid != 0) {
    return Refuse(peer, "only the broker's own user may look at its positions");
  }
  const std::string own = "/proc/self/fd/" + std::to_string(options_.positions_fd);
  const UniqueFd readable(::open(own.c_str(), O_RDONLY | O_CLOEXEC));
  if (!readable.valid()) return Refuse(peer, "the positions cannot be opened for reading");
  Message answer;
  answer.type = MessageType::kPositions;
  answer.pid = ::getpid();
  Send(peer.fd.get(), Encode(answer), {readable.get()}).Ignore("who asks may have gone");
}

void Server::Refuse(Peer& peer, const std::string& text) {
  log::Warn("ctl", "refused").Field("pid", peer.credentials.pid).Field("reason", text);
  Message refused;
  refused.type = MessageType::kRefused;
  refused.text = text;
  Send(peer.fd.get(), Encode(refused)).Ignore("it may have gone");
}

// A Poller may be destroyed inside its own callback (loop.h).
void Server::Remove(Peer& peer) {
  auto it = std::find_if(peers_.begin(), peers_.end(), [&](const auto& each) { return each.get() == &peer; });
  if (it == peers_.end()) return;
  std::shared_ptr<Peer> gone = std::move(*it);
  peers_.erase(it);
  const Role role = gone->role;
  const int64_t pid = gone->credentials.pid;
  gone->poller.reset();
  gone->fd.Reset();
  if (role == Role::kNone) return;
  log::Debug("ctl", "helper detached").Field("helper", RoleName(role)).Field("pid", pid);
  handler_.OnHelper(role, false, pid);
}

Server::Peer* Server::Find(Role role) const {
  for (const auto& peer : peers_) {
    if (peer->role == role) return peer.get();
  }
  return nullptr;
}

bool Server::attached(Role role) const { return Find(role) != nullptr; }

int64_t Server::pid(Role role) const {
  const Peer* peer = Find(role);
  return peer == nullptr ? 0 : peer->credentials.pid;
}

std::string Server::status(Role role) const {
  const Peer* peer = Find(role);
  return peer == nullptr ? "" : peer->status;
}

void Server::Ring(Role role) {
  Message wake;
  wake.type = MessageType::kWake;
  wake.role = role;
  if (Peer* peer = Find(role)) Send(peer->fd.get(), Encode(wake)).Ignore("a lost wake-up costs latency only");
}

void Server::ChangeSettings(Settings settings) {
  options_.settings = std::move(settings);
  Message changed;
  changed.type = MessageType::kSettings;
  changed.settings = options_.settings;
  for (const Role role : {Role::kFlushd, Role::kReputd}) {
    Peer* peer = Find(role);
    if (peer == nullptr) continue;
    if (Status sent = Send(peer->fd.get(), Encode(changed)); !sent) {
      log::Warn("ctl", "a helper did not get the changed settings")
          .Field("helper", RoleName(role))
          .Field("error", sent.error());
    }
  }
}

bool Server::Drain(Role role) {
  Peer* peer = Find(role);
  if (peer == nullptr) return false;
  Message drain;
  drain.type = MessageType::kDrain;
  return Send(peer->fd.get(), Encode(drain)).has_value();
}

void Server::Close() {
  acceptor_.reset();
  if (listener_.valid()) {
    ::unlink((options_.directory + "/" + std::string(kSocketName)).c_str());
    listener_.Reset();
  }
  for (const auto& peer : peers_) {
    peer->dead = true;
    peer->poller.reset();
    peer->fd.Reset();
  }
  peers_.clear();
}

}  // namespace mq::ctl
