#include "loop/loop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/clock.h"

namespace mq::loop {

struct Loop::Internals {
  uv_prepare_t prepare;
  uv_check_t check;
  uv_async_t async;
  std::mutex mutex;
  std::vector<std::function<void()>> posted;  // guarded by mutex
};

Loop::Loop()
    : raw_(new uv_loop_t, [](uv_loop_t* loop) { delete loop; }),
      internals_(std::make_unique<Internals>()),
      read_buffer_(new char[kReadBufferBytes]) {
  ::signal(SIGPIPE, SIG_IGN);
  MQ_CHECK(uv_loop_init(raw()) == 0, "uv_loop_init");
  uv_prepare_init(raw(), &internals_->prepare);
  uv_check_init(raw(), &internals_->check);
  uv_async_init(raw(), &internals_->async,
                [](uv_async_t* handle) noexcept { static_cast<Loop*>(handle->data)->RunPosted(); });
  internals_->prepare.data = internals_->check.data = internals_->async.data = this;
  // Before and after polling: callbacks of timers and of input alike are followed by one gathering of output.
  uv_prepare_start(&internals_->prepare, [](uv_prepare_t* h) noexcept { static_cast<Loop*>(h->data)->RunTurnEnd(); });
  uv_check_start(&internals_->check, [](uv_check_t* h) noexcept { static_cast<Loop*>(h->data)->RunTurnEnd(); });
  for (auto* handle :
       {reinterpret_cast<uv_handle_t*>(&internals_->prepare), reinterpret_cast<uv_handle_t*>(&internals_->check),
        reinterpret_cast<uv_handle_t*>(&internals_->async)}) {
    uv_unref(handle);
  }
}

Loop::~Loop() {
  // What was posted and never ran may own handles: it goes first.
  std::vector<std::function<void()>> never_run;
  {
    const std::lock_guard<std::mutex> lock(internals_->mutex);
    never_run.swap(internals_->posted);
  }
  never_run.clear();
  uv_close(reinterpret_cast<uv_handle_t*>(&internals_->prepare), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&internals_->check), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&internals_->async), nullptr);
  // Turns without blocking deliver the close callbacks; thread-pool work that still runs is waited for.
  for (int i = 0; i < 1000 && uv_run(raw(), UV_RUN_NOWAIT) != 0; ++i) {
    if (i > 10) ::poll(nullptr, 0, 5);
  }
  const bool closed = uv_loop_close(raw()) == 0;
  if (!closed) uv_print_all_handles(raw(), stderr);
  MQ_CHECK(closed, "a handle outlived its loop");
}

void Loop::Run() {
  stopped_ = false;
  while (!stopped_) {
    ++turn_;
    const int alive = uv_run(raw(), SpinTurn() ? UV_RUN_NOWAIT : UV_RUN_ONCE);
    if (alive == 0 && !stopped_) {
      // What was posted is still to be run, and a last gathering may have queued writes: both may keep the loop alive.
      const bool ran = RunPosted();
      RunTurnEnd();
      if (!ran && uv_loop_alive(raw()) == 0) return;
      // Without a live handle uv_run does not poll: functions that post one another would keep signals out for ever.
      uv_ref(reinterpret_cast<uv_handle_t*>(&internals_->async));
      uv_run(raw(), UV_RUN_NOWAIT);
      uv_unref(reinterpret_cast<uv_handle_t*>(&internals_->async));
    }
  }
}

bool Loop::RunPosted() {
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard<std::mutex> lock(internals_->mutex);
    posted.swap(internals_->posted);
  }
  for (auto& function : posted) function();
  return !posted.empty();
}

bool Loop::SpinTurn() {
  if (spin_ns_ == 0) return false;
  const int64_t now = MonotonicNs();
  if (last_input_turn_ + 1 == turn_) spin_until_ns_ = now + spin_ns_;
  return now < spin_until_ns_;
}

void Loop::Stop() {
  stopped_ = true;
  uv_stop(raw());
}

void Loop::RunReady() {
  uv_run(raw(), UV_RUN_NOWAIT);
  RunTurnEnd();
}

void Loop::AtTurnEnd(TurnEndHook* hook) { turn_end_.push_back(hook); }

void Loop::CancelTurnEnd(TurnEndHook* hook) {
  std::erase(turn_end_, hook);
  std::replace(running_.begin(), running_.end(), hook, static_cast<TurnEndHook*>(nullptr));
}

void Loop::RunTurnEnd() {
  // A hook may schedule another one; that one runs in this gathering too.
  while (!turn_end_.empty()) {
    running_.swap(turn_end_);
    for (size_t i = 0; i < running_.size(); ++i) {
      if (TurnEndHook* hook = std::exchange(running_[i], nullptr)) hook->OnTurnEnd();
    }
    running_.clear();
  }
}

void Loop::Post(std::function<void()> function) {
  {
    const std::lock_guard<std::mutex> lock(internals_->mutex);
    internals_->posted.push_back(std::move(function));
  }
  uv_async_send(&internals_->async);
}

namespace {
struct WorkRequest {
  uv_work_t request;
  std::function<void()> work;
  std::function<void()> done;
};
}  // namespace

void Loop::Work(std::function<void()> work, std::function<void()> done) {
  auto* request = new WorkRequest{{}, std::move(work), std::move(done)};
  request->request.data = request;
  const int rc = uv_queue_work(
      raw(), &request->request, [](uv_work_t* w) noexcept { static_cast<WorkRequest*>(w->data)->work(); },
      [](uv_work_t* w, int /*status*/) noexcept {
        const std::unique_ptr<WorkRequest> owned(static_cast<WorkRequest*>(w->data));
        owned->done();
      });
  MQ_CHECK(rc == 0, "uv_queue_work");
}

void Loop::SetSpinMicros(int64_t micros) {
  // With one processor a spin only takes time from the peer it waits for.
  spin_ns_ = ::sysconf(_SC_NPROCESSORS_ONLN) > 1 ? micros * 1000 : 0;
}

int64_t Loop::now_ms() const { return static_cast<int64_t>(uv_now(raw_.get())); }

void DieOfSigpipe() {
  ::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
  ::_exit(141);
}

// The handles below share one life: the owner's object points to an Impl on the heap; when the owner goes, the callback
// is dropped, the handle is closed, and the Impl is freed by the close callback.
namespace {
template <class Impl>
void CloseAndFree(Impl* impl) {
  impl->callback = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&impl->handle),
           [](uv_handle_t* handle) noexcept { delete static_cast<Impl*>(handle->data); });
}
}  // namespace

struct Timer::Impl {
  uv_timer_t handle;
  std::function<void()> callback;
};

Timer::Timer(Loop& loop, std::function<void()> callback) : impl_(new Impl{{}, std::move(callback)}) {
  uv_timer_init(loop.raw(), &impl_->handle);
  impl_->handle.data = impl_;
}
Timer::~Timer() { CloseAndFree(impl_); }
void Timer::Start(int64_t delay_ms, int64_t repeat_ms) {
  uv_update_time(impl_->handle.loop);
  uv_timer_start(
      &impl_->handle,
      [](uv_timer_t* handle) noexcept {
        // A copy, because the callback may destroy the timer and with it the function that runs.
        const auto call = static_cast<Impl*>(handle->data)->callback;
        if (call) call();
      },
      static_cast<uint64_t>(std::max<int64_t>(delay_ms, 0)), static_cast<uint64_t>(std::max<int64_t>(repeat_ms, 0)));
}
void Timer::Stop() { uv_timer_stop(&impl_->handle); }
bool Timer::active() const { return uv_is_active(reinterpret_cast<const uv_handle_t*>(&impl_->handle)) != 0; }
void Timer::Unref() { uv_unref(reinterpret_cast<uv_handle_t*>(&impl_->handle)); }

struct Again::Impl {
  uv_idle_t handle;
  std::function<void()> callback;
};

Again::Again(Loop& loop, std::function<void()> callback) : impl_(new Impl{{}, std::move(callback)}) {
  uv_idle_init(loop.raw(), &impl_->handle);
  impl_->handle.data = impl_;
}
Again::~Again() { CloseAndFree(impl_); }
void Again::Start() {
  uv_idle_start(&impl_->handle, [](uv_idle_t* handle) noexcept {
    uv_idle_stop(handle);
    const auto call = static_cast<Impl*>(handle->data)->callback;
    if (call) call();
  });
}
void Again::Stop() { uv_idle_stop(&impl_->handle); }

struct Signal::Impl {
  uv_signal_t handle;
  std::function<void()> callback;
};

Signal::Signal(Loop& loop, int signum, std::function<void()> callback) : impl_(new Impl{{}, std::move(callback)}) {
  uv_signal_init(loop.raw(), &impl_->handle);
  impl_->handle.data = impl_;
  uv_signal_start(
      &impl_->handle,
      [](uv_signal_t* handle, int) noexcept {
        const auto call = static_cast<Impl*>(handle->data)->callback;
        if (call) call();
      },
      signum);
  // Waiting for a signal is no reason to go on running.
  uv_unref(reinterpret_cast<uv_handle_t*>(&impl_->handle));
}
Signal::~Signal() { CloseAndFree(impl_); }

struct Poller::Impl {
  uv_poll_t handle;
  std::function<void(int, int)> callback;
  Loop* loop;
};

Poller::Poller(Loop& loop, int fd, std::function<void(int, int)> callback)
    : impl_(new Impl{{}, std::move(callback), &loop}) {
  // libuv makes the descriptor non-blocking, and with it the one of every other process that shares it (a terminal, the
  // standard input of a shell's next command). A readiness poll does not need that.
  const int flags = ::fcntl(fd, F_GETFL);
  const int rc = uv_poll_init(loop.raw(), &impl_->handle, fd);
  if (flags >= 0) ::fcntl(fd, F_SETFL, flags);
  MQ_CHECK(rc == 0, "uv_poll_init: not a descriptor that can be polled");
  impl_->handle.data = impl_;
}
Poller::~Poller() { CloseAndFree(impl_); }
void Poller::Start(int events) {
  const int mask = ((events & kReadable) != 0 ? UV_READABLE : 0) | ((events & kWritable) != 0 ? UV_WRITABLE : 0);
  uv_poll_start(&impl_->handle, mask, [](uv_poll_t* handle, int status, int got) noexcept {
    auto* impl = static_cast<Impl*>(handle->data);
    impl->loop->NoteInput();
    const auto call = impl->callback;
    if (!call) return;
    const int ready = ((got & UV_READABLE) != 0 ? kReadable : 0) | ((got & UV_WRITABLE) != 0 ? kWritable : 0);
    call(ready, status < 0 ? -status : 0);
  });
}
void Poller::Stop() { uv_poll_stop(&impl_->handle); }

}  // namespace mq::loop
