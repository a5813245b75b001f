// Daemons: a broker with its helpers on a store, started, stopped, frozen and killed, with the preloaded layer in all
// of them. One at a time. Everything is waited for with poll and waitpid; processes whose parent died become ours
// (PR_SET_CHILD_SUBREAPER), so that none is left behind.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/kill_point.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "store/positions.h"

namespace mq::crash {

class Daemons {
 public:
  struct Options {
    std::string programs;  // directory of the executables
    std::string layer;     // the preloaded library; empty: none
    std::string store;
    std::string shadow;  // empty: nothing is recorded
    std::string log;     // stderr of all of them is appended to it
  };
  explicit Daemons(Options options) : options_(std::move(options)) {}
  ~Daemons();

  // Once, for all brokers.
  Status StartNameServer();

  // The daemons started from now on wait at that point (slow.cc); no `microseconds`: nowhere.
  void SetSlow(KillPoint point, int microseconds);
  // Starts a broker and returns at once.
  Status Start(const std::vector<std::string>& arguments);
  // Waits until it says that it is ready; false when the broker is gone before it did.
  Result<bool> WaitReady(int64_t timeout_ms);
  // The positions of the broker that is ready; stays mapped when everybody is dead.
  const store::Positions* positions() const { return positions_ ? &*positions_ : nullptr; }
  bool alive();
  // Exit status of the broker once it is gone, 128 + signal when it was killed.
  int status() const { return status_; }

  // Stops every process where it is, so that positions and shadow can be looked at, and no more answers come.
  void Freeze();
  // SIGKILL to all of them; returns when none is left.
  void KillAll();
  // A clean stop, waited for: the exit status; kTimeout when it takes longer.
  Result<int> Stop(int64_t timeout_ms);

 private:
  pid_t Spawn(const std::string& program, const std::vector<std::string>& arguments, UniqueFd* ready, bool layer);
  // Broker and helpers that are there now, children first found by their parents.
  std::vector<pid_t> Everybody() const;
  std::string Describe() const;
  void Reap(bool block);

  Options options_;
  std::string slow_;
  pid_t name_server_ = -1;
  std::string name_server_address_;
  pid_t broker_ = -1;
  int status_ = 0;
  UniqueFd ready_;
  std::string ready_text_;
  std::optional<store::Positions> positions_;
};

}  // namespace mq::crash
