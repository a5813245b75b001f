#include "remoting/client.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"
#include "loop/connection.h"
#include "loop/loop.h"

namespace mq::remoting {

class Client::Impl : public ChannelOwner {
 public:
  Impl(loop::Loop& loop, ClientOptions options)
      : loop_(loop), options_(std::move(options)), sweep_(loop, [this] { Sweep(); }) {
    const int64_t period = std::max<int64_t>(options_.idle_close_ms / 8, 10);
    sweep_.Start(period, period);
    sweep_.Unref();
  }
  ~Impl() override { CloseAll(); }

  // The channel to that address, connecting when there is none. Null with a reason for a bad address.
  std::shared_ptr<Channel> Get(const std::string& address, std::string* why) {
    const auto found = peers_.find(address);
    if (found != peers_.end()) return found->second.channel;
    if (closed_) {
      *why = address + ": the client is closed";
      return nullptr;
    }
    const Result<loop::Address> parsed = loop::Address::Parse(address);
    if (!parsed) {
      *why = parsed.error().what;
      return nullptr;
    }
    ChannelOptions channel_options;
    channel_options.processors = options_.processors;
    channel_options.close_on_timeout = options_.close_on_timeout;
    // Our own requests are not cut short by what waits to be sent.
    channel_options.output_high_water = kOutputHardLimit;
    auto channel = std::make_shared<Channel>(loop_, this, std::move(channel_options));
    peers_[address] = Peer{channel, {}};
    addresses_[channel->id()] = address;
    channel->Connect(*parsed, options_.connect_timeout_ms);
    return channel;
  }

  void OnChannelConnected(Channel& channel) override {
    Peer* peer = PeerOf(channel);
    if (peer == nullptr) return;
    const std::shared_ptr<Channel> self = peer->channel;
    for (const ReadyCallback& ready : std::exchange(peer->waiting, {})) ready(self, {});
  }

  void OnChannelClosed(Channel& channel, const Error& why, bool /*garbage*/) override {
    const auto named = addresses_.find(channel.id());
    if (named == addresses_.end()) return;
    const std::string address = named->second;
    addresses_.erase(named);
    const auto found = peers_.find(address);
    std::vector<ReadyCallback> waiting;
    if (found != peers_.end() && found->second.channel.get() == &channel) {
      waiting = std::move(found->second.waiting);
      if (!channel.output_done()) lingering_.push_back(found->second.channel);
      peers_.erase(found);
    }
    if (channel.connected() && on_closed_) on_closed_(address);
    for (const ReadyCallback& ready : waiting) ready(nullptr, why.what);
  }

  void Sweep() {
    std::erase_if(lingering_, [](const auto& channel) { return channel->output_done(); });
    const int64_t limit = loop_.now_ms() - options_.idle_close_ms;
    std::vector<std::shared_ptr<Channel>> idle;
    for (const auto& [address, peer] : peers_) {
      if (peer.channel->last_activity_ms() < limit) idle.push_back(peer.channel);
    }
    for (const auto& channel : idle) channel->Abort("idle for too long");
  }

  void CloseAll() {
    closed_ = true;
    on_closed_ = nullptr;
    while (!peers_.empty()) {
      const std::shared_ptr<Channel> channel = peers_.begin()->second.channel;
      channel->Abort("the client closes");
    }
    lingering_.clear();
  }

  struct Peer {
    std::shared_ptr<Channel> channel;
    std::vector<ReadyCallback> waiting;
  };
  Peer* PeerOf(const Channel& channel) {
    const auto named = addresses_.find(channel.id());
    if (named == addresses_.end()) return nullptr;
    const auto found = peers_.find(named->second);
    return found == peers_.end() ? nullptr : &found->second;
  }

  loop::Loop& loop_;
  ClientOptions options_;
  std::function<void(const std::string&)> on_closed_;
  std::unordered_map<std::string, Peer> peers_;
  std::unordered_map<uint64_t, std::string> addresses_;  // by channel id
  std::vector<std::shared_ptr<Channel>> lingering_;
  loop::Timer sweep_;
  bool closed_ = false;
};

Client::Client(loop::Loop& loop, ClientOptions options) : impl_(std::make_unique<Impl>(loop, std::move(options))) {}

Client::~Client() = default;

void Client::Call(const std::string& address, protocol::Command command, int64_t timeout_ms, CallCallback callback) {
  std::string why;
  const std::shared_ptr<Channel> channel = impl_->Get(address, &why);
  if (!channel) {
    impl_->loop_.Post([callback = std::move(callback), why] { callback({CallOutcome::kUnreachable, nullptr, why}); });
    return;
  }
  command.type = channel->preferred_type();
  channel->Call(command, timeout_ms, std::move(callback));
}

void Client::SendOneway(const std::string& address, protocol::Command command) {
  std::string why;
  const std::shared_ptr<Channel> channel = impl_->Get(address, &why);
  if (!channel) return;
  command.type = channel->preferred_type();
  channel->SendOneway(command);
}

std::shared_ptr<Channel> Client::Find(const std::string& address) const {
  const auto found = impl_->peers_.find(address);
  if (found == impl_->peers_.end() || !found->second.channel->connected()) return nullptr;
  return found->second.channel;
}

std::shared_ptr<Channel> Client::Open(const std::string& address, std::string* why) { return impl_->Get(address, why); }

void Client::Connect(const std::string& address, ReadyCallback ready) {
  std::string why;
  const std::shared_ptr<Channel> channel = impl_->Get(address, &why);
  if (channel && !channel->connected()) {
    if (ready) impl_->peers_[address].waiting.push_back(std::move(ready));
    return;
  }
  if (!ready) return;
  impl_->loop_.Post([ready = std::move(ready), channel, why] { ready(channel, why); });
}

void Client::SetOnClosed(std::function<void(const std::string& address)> on_closed) {
  impl_->on_closed_ = std::move(on_closed);
}

void Client::Forget(const std::string& address) {
  const auto found = impl_->peers_.find(address);
  if (found == impl_->peers_.end()) return;
  const std::shared_ptr<Channel> channel = found->second.channel;
  channel->Close();
}

void Client::Close() { impl_->CloseAll(); }

}  // namespace mq::remoting
