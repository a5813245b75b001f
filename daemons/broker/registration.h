// Registration: keeps every name server informed of this broker (103), asks what it holds (322), and takes leave (104).
//
// Each name server is served on its own: a dead one delays no other. The first registration is tried again from 50 ms
// with back-off, at most 400 ms apart, until it succeeds; when a connection breaks the same begins at once, so a name
// server that comes back is told within half a second; then every 30 s. A registration always carries all topics.
// Loop thread only. Spec: protocol 6, store 12.7.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/core.h"
#include "remoting/client.h"

namespace mq::broker {

class Registration {
 public:
  explicit Registration(Core& core);
  ~Registration();

  // `port` is the one really bound. Calls `first_round` once, when each name server has answered or failed once.
  void Start(int port, std::function<void()> first_round);
  // Something changed: registers at once. `done` comes when every name server that knew us has answered, at the latest
  // after a second; one that was not reachable is not waited for.
  void Announce(std::function<void()> done);
  // The list changed while running: registers with those that are new, takes leave of those that are gone.
  void UseNameServers(const std::vector<std::string>& addresses);
  // Takes leave of all of them; `done` comes after at most a second.
  void Unregister(std::function<void()> done);

  std::string broker_address() const;
  size_t registered() const;

 private:
  struct NameServer;
  // One set of calls to all name servers, and who waits for their answers.
  struct Round {
    int left = 0;
    std::function<void()> done;
    std::unique_ptr<loop::Timer> limit;
  };
  std::shared_ptr<Round> MakeRound(std::function<void()> done, int64_t limit_ms);
  std::shared_ptr<NameServer> MakeServer(const std::string& address);
  void TakeLeave(const std::shared_ptr<NameServer>& server);
  void Schedule(NameServer& server, int64_t delay_ms);
  void Register(const std::shared_ptr<NameServer>& server, std::shared_ptr<Round> round);
  void SendRegister(const std::shared_ptr<NameServer>& server, std::shared_ptr<Round> round);
  void TakeOrderedTopics(const NameServer& server, std::string_view body);
  void OnRegistered(NameServer& server, const remoting::CallResult& result);
  static void Finish(const std::shared_ptr<Round>& round);
  protocol::Command RegisterCommand() const;
  protocol::Command IdentityCommand(protocol::RequestCode code) const;

  Core& core_;
  int port_ = 0;
  std::unique_ptr<remoting::Client> client_;
  std::vector<std::shared_ptr<NameServer>> servers_;
  bool leaving_ = false;
};

}  // namespace mq::broker
