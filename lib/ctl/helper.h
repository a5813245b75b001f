// Helper: the life of mq-flushd and mq-reputd around their work.
//
// Waits for a broker, attaches, runs the work's turns on wake-ups and on a timer (both the same function),
// drains when asked, and finishes when the connection ends: a spawned helper then leaves, an external one
// waits for the next broker. SIGTERM and SIGINT finish and leave with 0. A refusal (second helper, another
// build) ends the run with an error. The work is the part that differs: daemons/flushd, daemons/reputd.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "ctl/client.h"
#include "loop/loop.h"

namespace mq::ctl {

class HelperWork {
 public:
  virtual ~HelperWork() = default;
  // Attached to a broker. The work may write while it keeps `lock`. An error ends the helper.
  virtual Status Attach(const Settings& settings, UniqueFd positions, UniqueFd lock) = 0;
  // Settings that the broker may change while it runs have changed. An error is said; what was in force stays.
  virtual Status Reconfigure(const Settings& settings) = 0;
  // Looks and does what is to do; returns after how many milliseconds it wants to look again at the latest
  // (0: at once). Called on every wake-up, too.
  virtual int64_t Turn() = 0;
  // Everything published is done and durable, or what could not be done.
  virtual Status Drain() = 0;
  // The broker is gone or we leave: finish what was published, then let go of positions and lock.
  virtual Status Detach() = 0;
};

struct HelperOptions {
  std::string directory;  // <root>/mq
  Role role = Role::kNone;
  int64_t page_version = 0;
  std::string build;
  bool supervised = false;  // leave with the broker that started us
  int ready_fd = -1;
  std::string ready_text;
};

class Helper : public ClientHandler {
 public:
  Helper(HelperOptions options, HelperWork& work);
  ~Helper() override;

  // Until it is told to leave; the exit status, or what went wrong.
  Result<int> Run();

  // Doorbells of the work.
  void Ring(Role to) { client_.Ring(to); }
  void ReportStatus(const std::string& text) { client_.ReportStatus(text); }

 private:
  void TakeTurn();
  void StopTurns();
  void Leave();
  void Fail(Error error);
  void DetachWork(const char* why);
  void CheckParent();

  // ClientHandler
  void OnAttached(const Settings& settings, UniqueFd positions, UniqueFd lock) override;
  void OnWake() override;
  void OnSettings(const Settings& settings) override;
  void OnDrain() override;
  void OnLost() override;
  void OnRefused(const Error& error) override;

  HelperOptions options_;
  HelperWork& work_;
  loop::Loop loop_;
  loop::Timer turn_;
  loop::Again next_turn_;  // when there is more to do at once
  loop::Timer parent_check_;
  Client client_;
  bool attached_ = false;
  int64_t parent_ = 0;
  int64_t started_ms_ = 0;
  std::optional<Error> failure_;
};

}  // namespace mq::ctl
