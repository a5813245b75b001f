// Logging: one event a line to stderr, no files, no rotation.
//
//   log::Info("store.recover", "cut the torn tail").Field("file", path).Field("offset", end);
//   2026-11-29T18:49:02.715Z mq-broker[4711] info store.recover file=/data/... offset=669 msg="cut the torn tail"
//
// Log once, where the error is handled. Usable from any thread. The line is written when the statement ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mq::log {

enum class Level { kDebug, kInfo, kWarn, kError, kOff };

void SetProgram(std::string_view name);
void SetLevel(Level level);
Result<Level> ParseLevel(std::string_view name);  // debug, info, warn, error
bool Enabled(Level level);

class Line {
 public:
  Line(Level level, std::string_view event, std::string_view message);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& Field(std::string_view name, std::string_view value);
  Line& Field(std::string_view name, const char* value) { return Field(name, std::string_view(value)); }
  Line& Field(std::string_view name, const std::string& value) { return Field(name, std::string_view(value)); }
  Line& Field(std::string_view name, bool value) { return Field(name, value ? "true" : "false"); }
  Line& Field(std::string_view name, int64_t value);
  Line& Field(std::string_view name, uint64_t value);
  Line& Field(std::string_view name, int value) { return Field(name, static_cast<int64_t>(value)); }
  Line& Field(std::string_view name, unsigned value) { return Field(name, static_cast<uint64_t>(value)); }
  Line& Field(std::string_view name, long long value) { return Field(name, static_cast<int64_t>(value)); }
  Line& Field(std::string_view name, const Error& error) { return Field(name, error.what); }

 private:
  Level level_;
  bool enabled_;
  std::string message_;
  std::string text_;
};

inline Line Debug(std::string_view event, std::string_view message = {}) { return Line(Level::kDebug, event, message); }
inline Line Info(std::string_view event, std::string_view message = {}) { return Line(Level::kInfo, event, message); }
inline Line Warn(std::string_view event, std::string_view message = {}) { return Line(Level::kWarn, event, message); }
inline Line Err(std::string_view event, std::string_view message = {}) { return Line(Level::kError, event, message); }

// Lets an event through at most `per_minute` times a minute for one key and counts what it held back.
class RateLimit {
 public:
  explicit RateLimit(int per_minute) : per_minute_(per_minute) {}
  // True when the line may be written; *suppressed says how many were held back since the last one.
  bool Allow(uint64_t* suppressed);

 private:
  int per_minute_;
  int in_window_ = 0;
  int64_t window_start_ms_ = 0;
  uint64_t suppressed_ = 0;
};

}  // namespace mq::log
