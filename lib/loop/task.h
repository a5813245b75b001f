// Coroutines over the loop, for flows of several round trips (rebalance, leaving a group): one after the other in the
// text, never blocking the loop.
//
//   loop::Task<int> Flow() {
//     auto route = loop::Await<Result<TopicRoute>>([&](auto done) { routes.Find(topic, timeout, done); });
//     const Result<TopicRoute> found = co_await route;
//     ...
//   }
//   task = Flow(); task.Start();
//
// A Task owns its frame: destroying it, at any place where the flow waits, ends the flow there and destroys its locals;
// an answer that comes later finds nobody and is dropped. So whoever owns the task needs no flag "am I still alive".
// Nothing runs before Start or co_await. Loop thread only; exceptions do not leave a coroutine (style: values).
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"

namespace mq::loop {

template <class T>
class Task;

namespace internal {

struct PromiseBase {
  // Goes on with whoever waits for this task.
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      const std::coroutine_handle<> next = self.promise().waiting;
      return next ? next : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { std::terminate(); }

  std::coroutine_handle<> waiting;
};

template <class T>
struct Promise : PromiseBase {
  Task<T> get_return_object();
  void return_value(T v) { value.emplace(std::move(v)); }
  T Take() { return std::move(*value); }
  std::optional<T> value;
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void Take() {}
};

}  // namespace internal

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  ~Task() { Reset(); }
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      Reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }

  // Runs until the first wait. Not for a task that is awaited.
  void Start() {
    MQ_CHECK(handle_ && !handle_.done(), "a task is started once");
    handle_.resume();
  }
  // Ends the flow where it waits. Not from inside of it.
  void Reset() {
    if (handle_) std::exchange(handle_, nullptr).destroy();
  }
  bool running() const { return handle_ && !handle_.done(); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().waiting = waiting;
    return handle_;
  }
  T await_resume() { return handle_.promise().Take(); }

 private:
  Handle handle_;
};

namespace internal {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(Task<T>::Handle::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() { return Task<void>(Task<void>::Handle::from_promise(*this)); }
}  // namespace internal

// Waits for a function that answers through a callback. `begin` is called with the callback when the flow gets to the
// co_await; the callback may be called at once or later, and only its first call counts. Keep it in a variable and
// co_await that.
template <class T>
class [[nodiscard]] Await {
 public:
  using Done = std::function<void(T)>;

  explicit Await(std::function<void(Done)> begin) : begin_(std::move(begin)), state_(std::make_shared<State>()) {}
  ~Await() { state_->waiting = nullptr; }
  Await(const Await&) = delete;
  Await& operator=(const Await&) = delete;

  bool await_ready() {
    begin_([state = state_](T value) {
      if (state->value) return;
      state->value.emplace(std::move(value));
      if (state->waiting) std::exchange(state->waiting, nullptr).resume();
    });
    return state_->value.has_value();
  }
  void await_suspend(std::coroutine_handle<> waiting) { state_->waiting = waiting; }
  T await_resume() { return std::move(*state_->value); }

 private:
  struct State {
    std::optional<T> value;
    std::coroutine_handle<> waiting;
  };
  std::function<void(Done)> begin_;
  std::shared_ptr<State> state_;
};

}  // namespace mq::loop
