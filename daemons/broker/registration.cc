#include "broker/registration.h"

#include <algorithm>
#include <utility>

#include "base/crc32.h"
#include "base/log.h"
#include "protocol/admin_headers.h"
#include "protocol/lists.h"
#include "protocol/names.h"
#include "protocol/register_broker.h"

namespace mq::broker {
namespace {
constexpr int64_t kFirstRetryMs = 50;
constexpr int64_t kLongestRetryMs = 400;
constexpr int64_t kAnnounceMs = 1000;
constexpr int64_t kLeaveMs = 1000;
}  // namespace

struct Registration::NameServer {
  std::string address;
  std::unique_ptr<loop::Timer> timer;
  int64_t retry_ms = kFirstRetryMs;
  bool registered = false;
  bool failure_told = false;  // one line when it becomes unreachable, one when it is back
  bool removed = false;       // no longer in the list: answers that still come do nothing
  int64_t sent_version = -1;  // data version of the newest body sent
};

Registration::Registration(Core& core) : core_(core) {
  remoting::ClientOptions options;
  options.idle_close_ms = 2 * core.options.register_period_ms + 60000;
  client_ = std::make_unique<remoting::Client>(core.loop, options);
  for (const auto& address : core.options.name_servers) servers_.push_back(MakeServer(address));
  client_->SetOnClosed([this](const std::string& address) {
    for (auto& server : servers_) {
      if (server->address != address || leaving_) continue;
      server->registered = false;
      server->retry_ms = kFirstRetryMs;
      Schedule(*server, 0);
    }
  });
}

Registration::~Registration() = default;

std::shared_ptr<Registration::NameServer> Registration::MakeServer(const std::string& address) {
  auto server = std::make_shared<NameServer>();
  server->address = address;
  server->timer = std::make_unique<loop::Timer>(core_.loop, [this, weak = std::weak_ptr<NameServer>(server)] {
    if (const auto due = weak.lock()) Register(due, nullptr);
  });
  return server;
}

void Registration::UseNameServers(const std::vector<std::string>& addresses) {
  if (leaving_) return;
  std::vector<std::shared_ptr<NameServer>> kept;
  for (const std::string& address : addresses) {
    const auto found = std::find_if(servers_.begin(), servers_.end(),
                                    [&](const auto& server) { return server && server->address == address; });
    if (found != servers_.end()) {
      kept.push_back(std::move(*found));
      continue;
    }
    kept.push_back(MakeServer(address));
    Schedule(*kept.back(), 0);
  }
  servers_.swap(kept);
  for (const auto& server : kept) {
    if (server) TakeLeave(server);
  }
}

// Clients that still ask the removed one must not be sent here by it for ever.
void Registration::TakeLeave(const std::shared_ptr<NameServer>& server) {
  server->removed = true;
  server->timer->Stop();
  log::Info("register", "no longer in the list").Field("namesrv", server->address);
  if (!server->registered) return client_->Forget(server->address);
  client_->Call(server->address, IdentityCommand(protocol::RequestCode::kUnregisterBroker), kLeaveMs,
                [this, server](const remoting::CallResult&) {
                  if (!leaving_) client_->Forget(server->address);
                });
}

std::string Registration::broker_address() const {
  const std::string& host = core_.options.advertised_host;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port_);
}

size_t Registration::registered() const {
  return static_cast<size_t>(
      std::count_if(servers_.begin(), servers_.end(), [](const auto& server) { return server->registered; }));
}

void Registration::Schedule(NameServer& server, int64_t delay_ms) { server.timer->Start(delay_ms); }

std::shared_ptr<Registration::Round> Registration::MakeRound(std::function<void()> done, int64_t limit_ms) {
  auto round = std::make_shared<Round>();
  round->done = std::move(done);
  round->left = 1;  // the caller's own share, so that `done` cannot come before everybody was asked
  round->limit = std::make_unique<loop::Timer>(core_.loop, [weak = std::weak_ptr<Round>(round)] {
    const auto late = weak.lock();
    if (late && late->done) std::exchange(late->done, nullptr)();
  });
  round->limit->Start(limit_ms);
  return round;
}

void Registration::Finish(const std::shared_ptr<Round>& round) {
  if (!round || --round->left > 0) return;
  round->limit.reset();
  if (round->done) std::exchange(round->done, nullptr)();
}

void Registration::Start(int port, std::function<void()> first_round) {
  port_ = port;
  const auto round = MakeRound(std::move(first_round), core_.options.register_timeout_ms);
  for (auto& server : servers_) {
    ++round->left;
    Register(server, round);
  }
  Finish(round);
}

void Registration::Announce(std::function<void()> done) {
  const auto round = MakeRound(std::move(done), kAnnounceMs);
  for (auto& server : servers_) {
    if (!server->registered) {
      // Being tried all the time; what it is told is always the newest.
      continue;
    }
    ++round->left;
    Register(server, round);
  }
  Finish(round);
}

protocol::Command Registration::IdentityCommand(protocol::RequestCode code) const {
  protocol::Command command(code);
  command.Set("brokerName", core_.options.broker_name);
  command.Set("brokerAddr", broker_address());
  command.Set("clusterName", core_.options.cluster_name);
  command.Set("brokerId", core_.options.broker_id);
  return command;
}

protocol::Command Registration::RegisterCommand() const {
  protocol::RegisterBrokerBody body;
  body.topics = core_.topics->Snapshot();
  constexpr int32_t kReadWrite = protocol::kPermRead | protocol::kPermWrite;
  if ((core_.options.permission & kReadWrite) != kReadWrite) {
    for (auto& [name, config] : body.topics.topics) config.perm = core_.options.permission;
  }
  protocol::Command command = IdentityCommand(protocol::RequestCode::kRegisterBroker);
  auto encoded = protocol::EncodeRegisterBrokerBody(body, core_.options.compressed_register);
  if (!encoded) {
    log::Err("register", "the body could not be written").Field("error", encoded.error());
  } else {
    command.body = std::move(*encoded);
  }
  // There is no replication port; clients of RocketMQ expect the field all the same.
  const bool v6 = core_.options.advertised_host.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + core_.options.advertised_host + "]" : core_.options.advertised_host;
  command.Set("haServerAddr", host + ":" + std::to_string(port_ + 1));
  command.Set("compressed", core_.options.compressed_register ? "true" : "false");
  command.Set("bodyCrc32", static_cast<int64_t>(MessageCrc(command.body)));
  return command;
}

void Registration::Register(const std::shared_ptr<NameServer>& server, std::shared_ptr<Round> round) {
  if (leaving_) return Finish(round);
  if (core_.options.force_register || round || !server->registered) return SendRegister(server, std::move(round));
  // Only when the name server does not hold this version already.
  protocol::Command query = IdentityCommand(protocol::RequestCode::kQueryDataVersion);
  query.body = protocol::EncodeDataVersion(core_.topics->data_version());
  client_->Call(server->address, std::move(query), core_.options.register_timeout_ms,
                [this, server](const remoting::CallResult& result) {
                  if (leaving_ || server->removed) return;
                  if (result.ok() && result.reply->Find("changed") == "false") return OnRegistered(*server, result);
                  SendRegister(server, nullptr);
                });
}

void Registration::SendRegister(const std::shared_ptr<NameServer>& server, std::shared_ptr<Round> round) {
  server->sent_version = core_.topics->data_version().counter;
  client_->Call(server->address, RegisterCommand(), core_.options.register_timeout_ms,
                [this, server, round](const remoting::CallResult& result) {
                  const bool wanted = !leaving_ && !server->removed;
                  if (wanted) OnRegistered(*server, result);
                  if (wanted && result.ok()) TakeOrderedTopics(*server, result.reply->body);
                  Finish(round);
                });
}

// Several name servers may hold different tables; the first of the list that knows this broker decides, so that the
// marks do not go to and fro.
void Registration::TakeOrderedTopics(const NameServer& server, std::string_view body) {
  if (body.empty()) return;
  for (const auto& other : servers_) {
    if (other.get() == &server) break;
    if (other->registered) return;
  }
  const auto table = protocol::DecodeKvTable(body);
  if (!table) {
    log::Warn("register", "a name server's table of ordered topics cannot be read")
        .Field("namesrv", server.address)
        .Field("error", table.error());
    return;
  }
  core_.topics->MarkOrdered(*table);
}

void Registration::OnRegistered(NameServer& server, const remoting::CallResult& result) {
  if (result.ok()) {
    if (!server.registered)
      log::Info("register", "registered").Field("namesrv", server.address).Field("as", broker_address());
    server.registered = true;
    server.failure_told = false;
    server.retry_ms = kFirstRetryMs;
    // What changed while the first registration was under way is told at once.
    const bool newest = server.sent_version == core_.topics->data_version().counter;
    return Schedule(server, newest ? core_.options.register_period_ms : 0);
  }
  server.registered = false;
  if (!server.failure_told) {
    log::Warn("register", "failed; tried again until it succeeds")
        .Field("namesrv", server.address)
        .Field("error", result.ToError());
    server.failure_told = true;
  }
  Schedule(server, server.retry_ms);
  server.retry_ms = std::min(server.retry_ms * 2, kLongestRetryMs);
}

void Registration::Unregister(std::function<void()> done) {
  leaving_ = true;
  const auto round = MakeRound(std::move(done), kLeaveMs);
  for (auto& server : servers_) {
    server->timer->Stop();
    if (!server->registered) continue;
    ++round->left;
    client_->Call(server->address, IdentityCommand(protocol::RequestCode::kUnregisterBroker), kLeaveMs,
                  [round](const remoting::CallResult&) { Finish(round); });
  }
  Finish(round);
}

}  // namespace mq::broker
