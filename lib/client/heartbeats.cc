#include "client/heartbeats.h"

#include <algorithm>
#include <utility>

namespace mq::client {

using protocol::Command;
using protocol::RequestCode;

namespace {
constexpr int64_t kAnswerMs = 3'000;
}  // namespace

Heartbeats::Heartbeats(loop::Loop& loop, remoting::Client& client, protocol::HeartbeatData data, Handler handler,
                       int64_t period_ms)
    : client_(client),
      data_(std::move(data)),
      body_(protocol::EncodeHeartbeat(data_)),
      handler_(std::move(handler)),
      period_(loop, [this] { BeatAll(); }),
      retry_(loop, [this] { RetryUnknown(); }) {
  period_.Start(period_ms, period_ms);
  period_.Unref();
  client_.SetOnClosed([this, alive = std::weak_ptr(alive_)](const std::string& address) {
    if (!alive.expired()) OnClosed(address);
  });
}

void Heartbeats::SetBrokers(const std::vector<std::string>& addresses, std::function<void()> done) {
  std::erase_if(brokers_, [&](const auto& entry) {
    return std::find(addresses.begin(), addresses.end(), entry.first) == addresses.end();
  });
  std::vector<std::string> added;
  for (const std::string& address : addresses) {
    if (brokers_.try_emplace(address).second) added.push_back(address);
  }
  if (added.empty() && done) return done();
  auto left = std::make_shared<size_t>(added.size());
  for (const std::string& address : added) {
    Beat(address, [left, done](bool /*known*/) {
      if (--*left == 0 && done) done();
    });
  }
}

void Heartbeats::Beat(const std::string& address, std::function<void(bool)> done) {
  Command command(RequestCode::kHeartBeat);
  command.body = body_;
  client_.Call(address, std::move(command), kAnswerMs,
               [this, alive = std::weak_ptr(alive_), address, done = std::move(done)](const auto& result) {
                 if (alive.expired()) return;
                 OnAnswer(address, result);
                 if (done) done(result.ok());
               });
}

void Heartbeats::BeatAll() {
  for (const auto& [address, broker] : brokers_) Beat(address, {});
}

void Heartbeats::OnAnswer(const std::string& address, const remoting::CallResult& result) {
  const auto found = brokers_.find(address);
  if (found == brokers_.end() || left_) return;
  Broker& broker = found->second;
  // One that answers has heard us, even if it wants to know nothing of it.
  if (result.outcome != remoting::CallOutcome::kReply) {
    broker.known = false;
    if (!retry_.active()) retry_.Start(kHeartbeatRetryMs);
    return;
  }
  const bool again = !broker.known && broker.ever_known;
  broker.known = broker.ever_known = true;
  if (again && handler_.on_known_again) handler_.on_known_again(address);
}

void Heartbeats::OnClosed(const std::string& address) {
  const auto found = brokers_.find(address);
  if (found == brokers_.end() || left_) return;
  found->second.known = false;
  if (!retry_.active()) retry_.Start(kHeartbeatRetryMs);
  if (handler_.on_lost) handler_.on_lost(address);
}

void Heartbeats::RetryUnknown() {
  std::vector<std::string> unknown;
  for (const auto& [address, broker] : brokers_) {
    if (!broker.known) unknown.push_back(address);
  }
  for (const std::string& address : unknown) Beat(address, {});
}

void Heartbeats::Unregister(std::string_view consumer_group, std::string_view producer_group,
                            std::function<void()> done) {
  left_ = true;
  period_.Stop();
  retry_.Stop();
  std::vector<std::string> connected;
  for (const auto& [address, broker] : brokers_) {
    if (client_.Find(address)) connected.push_back(address);
  }
  if (connected.empty()) return done();
  auto left = std::make_shared<size_t>(connected.size());
  for (const std::string& address : connected) {
    Command command(RequestCode::kUnregisterClient);
    command.Set("clientID", data_.client_id);
    if (!consumer_group.empty()) command.Set("consumerGroup", std::string(consumer_group));
    if (!producer_group.empty()) command.Set("producerGroup", std::string(producer_group));
    client_.Call(address, std::move(command), kUnregisterMs, [left, done](const remoting::CallResult& /*result*/) {
      if (--*left == 0) done();
    });
  }
}

}  // namespace mq::client
