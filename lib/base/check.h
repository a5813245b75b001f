// MQ_CHECK: a condition that only a bug of ours can break. Bytes from disk or network must never reach one.
#pragma once

namespace mq {
[[noreturn]] void CheckFailed(const char* condition, const char* text, const char* file, int line);
}  // namespace mq

#define MQ_CHECK(condition, text)                                                                   \
  do {                                                                                              \
    if (__builtin_expect(!(condition), 0)) ::mq::CheckFailed(#condition, text, __FILE__, __LINE__); \
  } while (0)
