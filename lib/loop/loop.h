// The event loop: one per process, one thread per loop. Everything in lib/loop is used from that thread only; the doors
// in from other threads are Post and Work.
//
// Objects of this folder own a libuv handle that dies in its close callback: destroying the object closes it, at any
// moment, also from inside its own callback. A Loop that is destroyed while a handle is still open is a bug and aborts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

struct uv_loop_s;

namespace mq::loop {

// Something that wants to run once at the end of the present turn: after all input of the turn was handled, before the
// loop may block. Replies and wake-ups are gathered this way.
class TurnEndHook {
 public:
  virtual ~TurnEndHook() = default;
  virtual void OnTurnEnd() = 0;
};

class Loop {
 public:
  // Ignores SIGPIPE for the whole process (a broken socket is an error value); see DieOfSigpipe.
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until Stop, or until nothing is left that could wake it.
  void Run();
  void Stop();
  // Runs what is ready now, without blocking. For tests and shutdown.
  void RunReady();

  // Runs the hook once, at the end of this turn. A hook that is destroyed before that calls CancelTurnEnd.
  void AtTurnEnd(TurnEndHook* hook);
  void CancelTurnEnd(TurnEndHook* hook);

  // Runs the function on the loop's thread, soon. Any thread may call it.
  void Post(std::function<void()> function);
  // Runs `work` on a thread of libuv's pool, then `done` on the loop's thread. For cold reads and slow system calls.
  void Work(std::function<void()> work, std::function<void()> done);

  // Keeps polling without blocking for this many microseconds after the last input (0: never). Worth a processor while
  // traffic flows, on machines that have one to spare: a wake-up costs more than the work of a message.
  void SetSpinMicros(int64_t micros);
  void NoteInput() { last_input_turn_ = turn_; }

  // Milliseconds of the monotonic clock as of the start of this turn.
  int64_t now_ms() const;
  uv_loop_s* raw() { return raw_.get(); }
  char* read_buffer() { return read_buffer_.get(); }
  static constexpr size_t kReadBufferBytes = 256 * 1024;

 private:
  struct Internals;
  void RunTurnEnd();
  bool RunPosted();
  bool SpinTurn();
  std::unique_ptr<uv_loop_s, void (*)(uv_loop_s*)> raw_;
  std::unique_ptr<Internals> internals_;
  std::unique_ptr<char[]> read_buffer_;  // shared by all connections that hold no partial frame
  std::vector<TurnEndHook*> turn_end_;
  std::vector<TurnEndHook*> running_;
  int64_t spin_ns_ = 0;
  int64_t spin_until_ns_ = 0;
  uint64_t turn_ = 1;
  uint64_t last_input_turn_ = 0;
  bool stopped_ = false;
};

// For a tool whose stdout was closed by its reader: ends the process as SIGPIPE would have.
[[noreturn]] void DieOfSigpipe();

// Calls back once after a delay, or again and again. Delays are in milliseconds of monotonic time, 0 or more.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> callback);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  void Start(int64_t delay_ms, int64_t repeat_ms = 0);
  void Stop();
  bool active() const;
  // Lets the loop end although this timer runs.
  void Unref();

 private:
  struct Impl;
  Impl* impl_;
};

// Calls back once, as soon as what is ready by now was handled, and does not let the loop block before that: for work
// that goes on piece by piece. Not a timer of 0 ms for it: libuv runs all timers that are due before it looks at
// anything else, so that one that starts itself again keeps sockets and signals out for as long as the work goes on.
class Again {
 public:
  Again(Loop& loop, std::function<void()> callback);
  ~Again();
  Again(const Again&) = delete;
  Again& operator=(const Again&) = delete;
  void Start();
  void Stop();

 private:
  struct Impl;
  Impl* impl_;
};

// Calls back on the loop for each delivery of a signal, instead of the signal's default action.
class Signal {
 public:
  Signal(Loop& loop, int signum, std::function<void()> callback);
  ~Signal();
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

 private:
  struct Impl;
  Impl* impl_;
};

// Readiness of a descriptor that someone else owns and that must stay open while the Poller lives. Not for plain files.
class Poller {
 public:
  enum Events { kReadable = 1, kWritable = 2 };
  // error is 0, or the errno with which polling itself failed.
  Poller(Loop& loop, int fd, std::function<void(int events, int error)> callback);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;
  void Start(int events);
  void Stop();

 private:
  struct Impl;
  Impl* impl_;
};

}  // namespace mq::loop
