#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mq {
namespace {

struct ErrorRow {
  ErrorCode code;
  const char* name;
  int exit_status;
  int response_code;
  bool retry_may_help;
};

// Exit statuses: 1 no, 2 usage, 3 partly, 4 refused, 5 not allowed, 6 unreachable, 7 waited in vain, 8 local trouble.
// Response codes: 1 SYSTEM_ERROR, 2 SYSTEM_BUSY, 13 MESSAGE_ILLEGAL, 14 SERVICE_NOT_AVAILABLE, 16 NO_PERMISSION,
// 22 QUERY_NOT_FOUND.
constexpr ErrorRow kRows[] = {
    {ErrorCode::kInvalidArgument, "invalid-argument", 2, 13, false},
    {ErrorCode::kConfig, "config", 2, 1, false},
    {ErrorCode::kNotFound, "not-found", 1, 22, false},
    {ErrorCode::kRefused, "refused", 4, 1, false},
    {ErrorCode::kPermission, "permission", 5, 16, false},
    {ErrorCode::kUnreachable, "unreachable", 6, 14, true},
    {ErrorCode::kTimeout, "timeout", 6, 2, true},
    {ErrorCode::kBusy, "busy", 6, 2, true},
    {ErrorCode::kCorruption, "corruption", 8, 1, false},
    {ErrorCode::kProtocol, "protocol", 6, 1, false},
    {ErrorCode::kIo, "io", 8, 1, false},
    {ErrorCode::kNoSpace, "no-space", 8, 14, true},
    {ErrorCode::kHeldByOther, "held-by-other", 8, 14, false},
    {ErrorCode::kClosed, "closed", 6, 14, true},
    {ErrorCode::kPartial, "partial", 3, 1, true},
    {ErrorCode::kInternal, "internal", 8, 1, false},
};

const ErrorRow& Row(ErrorCode code) {
  const auto& row = kRows[static_cast<int>(code)];
  MQ_CHECK(row.code == code, "kRows is in the order of ErrorCode");
  return row;
}

}  // namespace

const char* ErrorCodeName(ErrorCode code) { return Row(code).name; }
int ExitStatusOf(const Error& error) { return Row(error.code).exit_status; }
int ResponseCodeOf(const Error& error) { return Row(error.code).response_code; }
bool RetryMayHelp(const Error& error) { return Row(error.code).retry_may_help; }

Error MakeError(ErrorCode code, std::string what) { return Error{code, std::move(what), 0, {}}; }

Error ErrnoError(ErrorCode code, std::string_view what) { return ErrnoError(code, what, errno); }

Error ErrnoError(ErrorCode code, std::string_view what, int err) {
  if (err == ENOSPC || err == EDQUOT) code = ErrorCode::kNoSpace;
  return Error{code, std::string(what) + ": " + std::strerror(err), err, {}};
}

void CheckFailed(const char* condition, const char* text, const char* file, int line) {
  std::fprintf(stderr, "panic: %s:%d: %s (%s)\n", file, line, text, condition);
  std::abort();
}

}  // namespace mq
