// Helpers: mq-flushd and mq-reputd as the broker sees them: started and supervised (--helpers=spawn), attached over
// mq/ctl.sock, rung when they wait, drained at the end.
//
// A helper that ends is started again at once, with back-off when it keeps ending. Either may die and come back at any
// moment; nothing here waits for them except Drain. Loop thread only. Spec: mq-overview(7); ctl/server.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "ctl/server.h"
#include "loop/loop.h"
#include "loop/process.h"
#include "store/positions.h"
#include "store/store_options.h"

namespace mq::broker {

class Helpers : public ctl::ServerHandler {
 public:
  struct Options {
    std::string store_root;
    bool spawn = true;
    std::string log_level;
  };
  // A helper rang: look at its page.
  using WakeCallback = std::function<void()>;

  Helpers(loop::Loop& loop, Options options, store::Positions& positions);
  ~Helpers() override;

  // Opens mq/ctl.sock and, when asked to, starts both helpers. They wait until the broker serves.
  Status Open(int lock_fd, const store::StoreOptions& store);
  void SetOnWake(WakeCallback on_wake) { on_wake_ = std::move(on_wake); }

  // The broker has published something: rings whoever sleeps. Once per loop turn.
  void RingWaiting();
  void RingAll();
  // What the store's settings say now, for the helpers that act on it.
  void ChangeSettings(const store::StoreOptions& store) { server_->ChangeSettings(store::EncodeOptions(store)); }
  // `wanted_commit` has grown: mq-flushd, when it waits on purpose.
  void RingForCommit();
  void SetState(std::string state) { server_->set_state(std::move(state)); }

  bool attached(ctl::Role role) const { return server_ && server_->attached(role); }
  // Once a second: a helper that has work and does not get on is stalled.
  // mq-flushd has all that is written to do, mq-reputd what is `visible`.
  void NoteProgress(int64_t now_ms, store::PhysicalOffset visible, int64_t flush_patience_ms);
  // "serving", "starting", "stalled", "absent", or what is wrong with it.
  std::string StateOf(ctl::Role role) const;

  // Clean stop: everything flushed, dispatched, and both made durable. `done` learns what was not (empty: all of it).
  // A helper that is missing is waited for (it is being started) until the deadline.
  using Drained = std::function<void(const std::string& problem)>;
  void Drain(int64_t timeout_ms, Drained done);
  // Ends the connections: the helpers let go of the lock and leave. `gone` comes when spawned ones have ended, or after
  // a while with those that have not killed.
  void Close(std::function<void()> gone);

 private:
  struct Child {
    ctl::Role role = ctl::Role::kNone;
    std::string program;
    std::unique_ptr<loop::Process> process;
    std::unique_ptr<loop::Timer> restart;
    int64_t started_ms = 0;
    int64_t backoff_ms = 0;
    bool running = false;
    int64_t position = -1;  // flushed or dispatched, when last looked at
    int64_t moved_ms = 0;   // when that last moved, or had nothing to do
    bool stalled = false;
  };
  void Spawn(Child& child);
  void OnExit(Child& child, int status, int signal);
  void NextDrainStep();
  void CheckGone();

  // ctl::ServerHandler
  void OnHelper(ctl::Role role, bool attached, int64_t pid) override;
  void OnWake(ctl::Role from) override;
  void OnDrained(ctl::Role from, const std::string& problem) override;
  void OnStatus(ctl::Role from, const std::string& text) override;

  loop::Loop& loop_;
  Options options_;
  store::Positions& positions_;
  std::unique_ptr<ctl::Server> server_;
  Child flushd_;
  Child reputd_;
  WakeCallback on_wake_;
  bool closing_ = false;

  // Of a drain under way: log flushed, queues built and flushed, checkpoint written.
  size_t drain_step_ = 0;
  bool drain_asked_ = false;
  Drained drained_;
  std::unique_ptr<loop::Timer> drain_timer_;
  std::unique_ptr<loop::Timer> drain_retry_;
  std::function<void()> gone_;
  std::unique_ptr<loop::Timer> gone_timer_;
};

}  // namespace mq::broker
