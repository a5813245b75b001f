// A helper's side of ctl: attaches mq-flushd or mq-reputd to the broker of a store.
//
// Connects, says hello, receives settings, positions and its share of the lock, then passes wake-ups and
// orders to its handler. When no broker is there it tries again (10 ms, growing to 1 s). When the
// connection ends it tells the handler once; whether to leave or to Start again is the helper's choice.
// Also Ask(): one blocking question to whatever broker is there. Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "ctl/message.h"

namespace mq::loop {
class Loop;
class Poller;
class Timer;
}  // namespace mq::loop

namespace mq::ctl {

class ClientHandler {
 public:
  virtual ~ClientHandler() = default;
  // Attached. The helper may write while it keeps `lock`.
  virtual void OnAttached(const Settings& settings, UniqueFd positions, UniqueFd lock) = 0;
  virtual void OnWake() = 0;
  // Settings have changed: all of them, as in OnAttached.
  virtual void OnSettings(const Settings& settings) = 0;
  // Finish what was published, make it durable, then call Client::Drained.
  virtual void OnDrain() = 0;
  // The broker is gone: finish what was published, close the lock.
  virtual void OnLost() = 0;
  // Refused for good (second helper of that kind, other build): say it and leave with status 8.
  virtual void OnRefused(const Error& error) = 0;
};

class Client {
 public:
  // `directory` is <root>/mq; it need not exist yet.
  Client(loop::Loop& loop, std::string directory, Role role, int64_t page_version, std::string build,
         ClientHandler& handler);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Tries until a broker answers.
  void Start();
  bool attached() const { return attached_; }
  // Somebody has taken the connection, whether or not the hello is answered yet: a broker that recovers answers late.
  bool connected() const { return socket_.valid(); }

  // Rings the broker, or through it the other helper.
  void Ring(Role to);
  void Drained(const std::string& problem);
  void ReportStatus(const std::string& text);
  void Close();

 private:
  void TryConnect();
  void OnReadable();
  void OnMessage(Message message, std::vector<UniqueFd> descriptors);
  void Lost();
  void SendMessage(const Message& message);

  loop::Loop& loop_;
  std::string directory_;
  Role role_;
  int64_t page_version_;
  std::string build_;
  ClientHandler& handler_;
  UniqueFd socket_;
  std::unique_ptr<loop::Poller> poller_;
  std::unique_ptr<loop::Timer> retry_;
  int64_t retry_ms_ = 10;
  bool attached_ = false;
};

// The process a live broker of this store runs as; nothing when no broker answers within `timeout_ms`.
// A starting broker asks this when it does not get the lock.
std::optional<int64_t> AskHolder(const std::string& directory, int timeout_ms);
// The error of a lock that somebody has, with the pid of the broker that has it, if one answers.
Error NameHolder(Error error, const std::string& directory);

// The positions of the live broker of this store, readable only. kUnreachable when no broker answers within
// `timeout_ms`, kPermission when it refuses. One blocking question; no loop is needed.
Result<UniqueFd> AskPositions(const std::string& directory, int timeout_ms);

}  // namespace mq::ctl
