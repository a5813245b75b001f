#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>

#include "base/clock.h"

namespace mq::log {
namespace {

std::string program = "mq";

spdlog::level::level_enum ToSpdlog(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
    case Level::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

spdlog::logger& Logger() {
  static spdlog::logger* logger = [] {
    // Leaked on purpose: lines may still be written while statics are destroyed.
    auto* l = new spdlog::logger("mq", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    l->set_pattern("%v", spdlog::pattern_time_type::utc);
    l->flush_on(spdlog::level::debug);
    l->set_level(spdlog::level::info);
    return l;
  }();
  return *logger;
}

void ApplyPattern() {
  // The level names of spdlog are those of style (debug, info, error) but "warning": our own text carries the level.
  Logger().set_pattern("%Y-%m-%dT%H:%M:%S.%eZ " + program + "[%P] %v", spdlog::pattern_time_type::utc);
}

const char* LevelName(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarn:
      return "warn";
    case Level::kError:
      return "error";
    case Level::kOff:
      return "off";
  }
  return "info";
}

bool NeedsQuotes(std::string_view value) {
  if (value.empty()) return true;
  for (const char c : value) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 127) return true;
  }
  return false;
}

void AppendQuoted(std::string& out, std::string_view value) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : value) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (u < 0x20 || u == 0x7F) {
      out += "\\x";
      out += kHex[u >> 4];
      out += kHex[u & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

void SetProgram(std::string_view name) {
  program = name;
  ApplyPattern();
}
void SetLevel(Level level) { Logger().set_level(ToSpdlog(level)); }
bool Enabled(Level level) { return Logger().should_log(ToSpdlog(level)); }

Result<Level> ParseLevel(std::string_view name) {
  for (const Level level : {Level::kDebug, Level::kInfo, Level::kWarn, Level::kError}) {
    if (name == LevelName(level)) return level;
  }
  return MakeError(ErrorCode::kConfig, "log level '" + std::string(name) + "' is none of debug, info, warn, error");
}

Line::Line(Level level, std::string_view event, std::string_view message)
    : level_(level), enabled_(Enabled(level)), message_(enabled_ ? message : std::string_view()) {
  if (!enabled_) return;
  text_ = LevelName(level);
  text_ += ' ';
  text_ += event;
}

Line::~Line() {
  if (!enabled_) return;
  if (!message_.empty()) Field("msg", message_);
  Logger().log(ToSpdlog(level_), "{}", text_);
}

Line& Line::Field(std::string_view name, std::string_view value) {
  if (!enabled_) return *this;
  text_ += ' ';
  text_ += name;
  text_ += '=';
  if (NeedsQuotes(value)) {
    AppendQuoted(text_, value);
  } else {
    text_ += value;
  }
  return *this;
}
Line& Line::Field(std::string_view name, int64_t value) {
  return enabled_ ? Field(name, std::string_view(std::to_string(value))) : *this;
}
Line& Line::Field(std::string_view name, uint64_t value) {
  return enabled_ ? Field(name, std::string_view(std::to_string(value))) : *this;
}

bool RateLimit::Allow(uint64_t* suppressed) {
  const int64_t now = MonotonicMs();
  if (window_start_ms_ == 0 || now - window_start_ms_ >= 60000) {
    window_start_ms_ = now;
    in_window_ = 0;
  }
  if (in_window_ >= per_minute_) {
    ++suppressed_;
    return false;
  }
  ++in_window_;
  *suppressed = suppressed_;
  suppressed_ = 0;
  return true;
}

}  // namespace mq::log
