#include "remoting/server.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "loop/listener.h"
#include "loop/loop.h"
#include "remoting/garbage_log.h"

namespace mq::remoting {

class Server::Impl : public ChannelOwner {
 public:
  Impl(loop::Loop& loop, ServerOptions options)
      : loop_(loop), options_(options), full_log_(1), sweep_(loop, [this] { Sweep(); }) {
    const int64_t shortest = std::min({options_.idle_close_ms, options_.first_frame_ms, options_.whole_frame_ms});
    const int64_t period = std::max<int64_t>(shortest / 8, 10);
    sweep_.Start(period, period);
    sweep_.Unref();
  }
  ~Impl() override { CloseAll(); }

  Result<loop::Address> Listen(const loop::Address& address, std::shared_ptr<const ProcessorTable> table) {
    auto accept = [this, table = std::move(table)](std::unique_ptr<loop::Connection> connection) {
      Accept(std::move(connection), table);
    };
    MQ_ASSIGN(auto listener, loop::Listener::Open(loop_, address, std::move(accept)));
    loop::Address bound = listener->address();
    listeners_.push_back(std::move(listener));
    return bound;
  }

  void Accept(std::unique_ptr<loop::Connection> connection, const std::shared_ptr<const ProcessorTable>& table) {
    if (channels_.size() >= options_.max_connections) {
      ++stats_.refused;
      uint64_t suppressed = 0;
      if (full_log_.Allow(&suppressed)) {
        log::Warn("remoting.full", "refused a connection: as many as allowed are open")
            .Field("limit", uint64_t{options_.max_connections})
            .Field("suppressed", suppressed);
      }
      return;
    }
    ++stats_.accepted;
    ChannelOptions channel_options;
    channel_options.processors = table;
    channel_options.output_high_water = options_.output_high_water;
    channel_options.output_hard_limit = options_.output_hard_limit;
    auto channel = std::make_shared<Channel>(loop_, this, std::move(channel_options));
    channels_.emplace(channel->id(), channel);
    channel->Adopt(std::move(connection));
  }

  void OnChannelClosed(Channel& channel, const Error& why, bool garbage) override {
    if (garbage) {
      ++stats_.garbage;
      garbage_log_.Note(channel.peer(), why.what);
    }
    if (on_closed_) on_closed_(channel);
    const auto found = channels_.find(channel.id());
    if (found == channels_.end()) return;
    if (!channel.output_done()) lingering_.push_back(found->second);
    channels_.erase(found);
  }
  void OnRequest() override { ++stats_.requests; }

  void Sweep() {
    std::erase_if(lingering_, [](const auto& channel) { return channel->output_done(); });
    const int64_t now = loop_.now_ms();
    std::vector<std::shared_ptr<Channel>> idle;
    std::vector<std::shared_ptr<Channel>> silent;
    for (const auto& [id, channel] : channels_) {
      const int64_t since = channel->incomplete_since_ms();
      const int64_t patience = channel->has_spoken() ? options_.whole_frame_ms : options_.first_frame_ms;
      if (since >= 0 && now - since > patience) {
        silent.push_back(channel);
      } else if (channel->last_activity_ms() < now - options_.idle_close_ms) {
        idle.push_back(channel);
      }
    }
    stats_.silent += silent.size();
    for (const auto& channel : silent) channel->Abort("no whole frame came in time");
    for (const auto& channel : idle) channel->Abort("idle for too long");
  }

  void CloseAll() {
    listeners_.clear();
    while (!channels_.empty()) {
      const std::shared_ptr<Channel> channel = channels_.begin()->second;
      channel->Abort("the server closes");
    }
    lingering_.clear();
  }

  loop::Loop& loop_;
  ServerOptions options_;
  ServerStats stats_;
  std::function<void(Channel&)> on_closed_;
  std::vector<std::unique_ptr<loop::Listener>> listeners_;
  std::unordered_map<uint64_t, std::shared_ptr<Channel>> channels_;
  std::vector<std::shared_ptr<Channel>> lingering_;  // closed by us, still sending
  GarbageLog garbage_log_;
  log::RateLimit full_log_;
  loop::Timer sweep_;
};

Server::Server(loop::Loop& loop, ServerOptions options) : impl_(std::make_unique<Impl>(loop, options)) {}

Server::~Server() = default;

Result<loop::Address> Server::Listen(const loop::Address& address, std::shared_ptr<const ProcessorTable> table) {
  return impl_->Listen(address, std::move(table));
}

void Server::SetOnClosed(std::function<void(Channel&)> on_closed) { impl_->on_closed_ = std::move(on_closed); }

void Server::StopListening() { impl_->listeners_.clear(); }

void Server::Close() { impl_->CloseAll(); }

size_t Server::connections() const { return impl_->channels_.size(); }

const ServerStats& Server::stats() const { return impl_->stats_; }

void Server::ForEachChannel(const std::function<void(Channel&)>& visit) {
  std::vector<std::shared_ptr<Channel>> all;
  all.reserve(impl_->channels_.size());
  for (const auto& [id, channel] : impl_->channels_) all.push_back(channel);
  for (const auto& channel : all) {
    if (!channel->closed()) visit(*channel);
  }
}

}  // namespace mq::remoting
