// Results and errors: the one way in which an operation of ours says that it could not do its work.
//
// An answer a user can expect (no message yet, topic missing, offset too small) is not an error: it is a value of an
// ordinary enum. An Error is an operation that failed; it is a value, so that it can be stored, sent to another
// process, and asserted on in a test. Programmer errors are MQ_CHECK (check.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace mq {

// What kind of failure it is. One table in result.cc maps each to an exit status of the tools, to a RocketMQ response
// code, and to whether trying again may help.
enum class ErrorCode {
  kInvalidArgument,  // the caller gave something that can never work
  kConfig,           // a configuration file, option or environment variable is wrong
  kNotFound,         // what was asked about does not exist
  kRefused,          // the server refused for good: no such topic, illegal message
  kPermission,       // signature or permission
  kUnreachable,      // nobody answers there, or the connection broke
  kTimeout,          // no answer until the deadline
  kBusy,             // refused for now
  kCorruption,       // bytes on disk are not what they must be
  kProtocol,         // bytes from the network are not what they must be
  kIo,               // the operating system refused a file operation
  kNoSpace,          // the disk is full
  kHeldByOther,      // another process holds it (a store's lock, a port)
  kClosed,           // we are shutting down, or the thing was closed
  kPartial,          // some of it was done
  kInternal,         // a bug of ours that is no reason to abort
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string what;   // a whole clause: "open /data/store/lock: Permission denied"
  int sys_errno = 0;  // errno of the failed call, 0 when none
  std::string hint;   // what a person may do about it; empty when there is nothing to say

  Error&& WithHint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
};

const char* ErrorCodeName(ErrorCode code);
int ExitStatusOf(const Error& error);    // exit statuses of the tools: 1 to 9
int ResponseCodeOf(const Error& error);  // RocketMQ's response codes, as sent by a broker
bool RetryMayHelp(const Error& error);

Error MakeError(ErrorCode code, std::string what);
// Takes errno now: what becomes "what: strerror". ENOSPC and EDQUOT become kNoSpace whatever code says.
Error ErrnoError(ErrorCode code, std::string_view what);
Error ErrnoError(ErrorCode code, std::string_view what, int err);

// Wraps an Error so that it converts to any Result.
struct Unexpected {
  Error error;
  explicit Unexpected(Error e) : error(std::move(e)) {}
};

// Result<T> keeps to the names of std::expected<T, Error>.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}                 // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}             // NOLINT
  Result(Unexpected error) : state_(std::in_place_index<1>, std::move(error.error)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& operator*() & { return Get(); }
  const T& operator*() const& { return Get(); }
  T&& operator*() && { return std::move(Get()); }
  T* operator->() { return &Get(); }
  const T* operator->() const { return &Get(); }
  T& value() & { return Get(); }
  const T& value() const& { return Get(); }
  T&& value() && { return std::move(Get()); }
  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? Get() : static_cast<T>(std::forward<U>(other));
  }
  const Error& error() const& {
    MQ_CHECK(!has_value(), "error() of a result that holds a value");
    return std::get<1>(state_);
  }
  Error& error() & {
    MQ_CHECK(!has_value(), "error() of a result that holds a value");
    return std::get<1>(state_);
  }
  // Puts what was attempted in front of the text, outermost first: "append to f: No space left on device".
  Result WithContext(std::string_view context) && {
    if (!has_value()) std::get<1>(state_).what.insert(0, std::string(context) + ": ");
    return std::move(*this);
  }
  void Ignore(const char* /*why*/) const {}

 private:
  T& Get() {
    MQ_CHECK(has_value(), "value of a result that holds an error");
    return std::get<0>(state_);
  }
  const T& Get() const {
    MQ_CHECK(has_value(), "value of a result that holds an error");
    return std::get<0>(state_);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}             // NOLINT: implicit by design
  Result(Unexpected error) : error_(std::move(error.error)) {}  // NOLINT
  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const& {
    MQ_CHECK(error_.has_value(), "error() of a result that holds no error");
    return *error_;
  }
  Error& error() & {
    MQ_CHECK(error_.has_value(), "error() of a result that holds no error");
    return *error_;
  }
  Result WithContext(std::string_view context) && {
    if (error_) error_->what.insert(0, std::string(context) + ": ");
    return std::move(*this);
  }
  void Ignore(const char* /*why*/) const {}

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;
inline Status Ok() { return Status(); }

}  // namespace mq

// Returns the error of a Status or Result from the calling function.
#define MQ_TRY(expr)                                             \
  do {                                                           \
    auto mq_try_result = (expr);                                 \
    if (!mq_try_result) return std::move(mq_try_result).error(); \
  } while (0)

#define MQ_CONCAT_INNER(a, b) a##b
#define MQ_CONCAT(a, b) MQ_CONCAT_INNER(a, b)
#define MQ_ASSIGN_INNER(tmp, decl, expr)   \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp).error(); \
  decl = std::move(*tmp)
// MQ_ASSIGN(auto file, OpenFile(path)): declares file, or returns the error from the calling function.
#define MQ_ASSIGN(decl, expr) MQ_ASSIGN_INNER(MQ_CONCAT(mq_assign_, __COUNTER__), decl, expr)
