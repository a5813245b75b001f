// Child processes of a daemon, and the notice that a daemon is ready.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/loop.h"

namespace mq::loop {

struct ProcessOptions {
  std::string file;               // the executable
  std::vector<std::string> args;  // without args[0]
  bool own_session = false;       // setsid: the terminal's Ctrl-C does not reach it
};

// A child with our stderr and no stdin or stdout. Destroying the object forgets the child without ending it.
class Process {
 public:
  // status: exit status, signal: 0 or the signal that ended it.
  using OnExit = std::function<void(int status, int signal)>;
  static Result<std::unique_ptr<Process>> Start(Loop& loop, const ProcessOptions& options, OnExit on_exit);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  int pid() const;
  void Kill(int signum);

 private:
  struct Impl;
  explicit Process(Impl* impl) : impl_(impl) {}
  Impl* impl_;
};

// Tells whoever started us that we serve: a newline-ended text on the descriptor given as --ready-fd, READY=1 to
// systemd, and one log line "ready <address>".
void NotifyReady(int ready_fd, const std::string& address);
void NotifyStopping();
// Pings systemd's watchdog at half its interval when it asks for that; otherwise does nothing.
std::unique_ptr<Timer> StartWatchdog(Loop& loop);

}  // namespace mq::loop
