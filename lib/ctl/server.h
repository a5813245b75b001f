// The broker's side of ctl: mq/ctl.sock. Hands positions, lock and settings to its helpers, rings
// their doorbells, hears theirs, asks them to drain, and answers "who holds this store".
//
// Owned by the broker, used on its loop thread. Opened right after the lock was taken; helpers may
// attach during recovery and wait for BrokerState::kServing by themselves. One mq-flushd and one
// mq-reputd: a second one, another build or page version, or another user is refused in one line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "ctl/message.h"

namespace mq::loop {
class Loop;
class Poller;
}  // namespace mq::loop

namespace mq::ctl {

class ServerHandler {
 public:
  virtual ~ServerHandler() = default;
  // A helper is there (or, with attached = false, gone; it may come again).
  virtual void OnHelper(Role role, bool attached, int64_t pid) = 0;
  // A helper rings: look at its page.
  virtual void OnWake(Role from) = 0;
  // The answer to Drain: empty when everything was finished.
  virtual void OnDrained(Role from, const std::string& problem) = 0;
  virtual void OnStatus(Role from, const std::string& text) = 0;
};

class Server {
 public:
  // `directory` is <root>/mq. The two descriptors (positions memfd and lock) must outlive the server.
  // `page_version` and `build` are what a helper's hello must carry (store/positions.h).
  struct Options {
    std::string directory;
    int positions_fd = -1;
    int lock_fd = -1;
    int64_t page_version = 0;
    std::string build;
    Settings settings;
  };
  static Result<std::unique_ptr<Server>> Open(loop::Loop& loop, Options options, ServerHandler& handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool attached(Role role) const;
  int64_t pid(Role role) const;  // 0 when not attached
  std::string status(Role role) const;

  // "Look now." Lost without harm when the helper is not there or its socket is full. Call it only when
  // the helper waits (store::MustRing on its flag), once per loop turn.
  void Ring(Role role);
  // What the answer to "who holds this store" says besides our pid.
  void set_state(std::string state) { state_ = std::move(state); }
  // For helpers that are attached and those that come.
  void ChangeSettings(Settings settings);
  // Asks for drain; false when that helper is not attached (nothing will be answered).
  bool Drain(Role role);

  // Closes the socket and all connections: helpers see the end, finish, and let go of the lock.
  void Close();

 private:
  struct Peer;
  Server(loop::Loop& loop, Options options, ServerHandler& handler);
  void OnAcceptable();
  void OnReadable(Peer& peer);
  void OnMessage(Peer& peer, const Message& message);
  void OnHello(Peer& peer, const Message& message);
  void OnLook(Peer& peer);
  void Refuse(Peer& peer, const std::string& text);
  void Remove(Peer& peer);
  Peer* Find(Role role) const;

  loop::Loop& loop_;
  Options options_;
  ServerHandler& handler_;
  std::string state_;
  UniqueFd listener_;
  std::unique_ptr<loop::Poller> acceptor_;
  std::vector<std::shared_ptr<Peer>> peers_;
};

}  // namespace mq::ctl
