// From argv, environment and files to Settings. Used by conf/run.cc and by tests; nothing here prints or exits.
//
// Order of precedence: option, environment, context (tools) or configuration file (daemons), built-in.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conf/settings.h"

namespace mq::conf {

// The world outside argv, replaceable in tests.
struct Environment {
  // The value of a variable, or nullopt.
  std::function<std::optional<std::string>(std::string_view)> variable;
  // The process's own.
  static Environment OfProcess();
};

// Something that was accepted but should be said: unknown keys, duplicate keys, keys of the JVM.
struct Remark {
  enum class Level { kInfo, kWarning } level;
  std::string text;
};

struct Parsed {
  Settings settings;
  std::vector<Remark> remarks;
};

// Parses arguments (without argv[0]). Any error is a usage or configuration error (exit status 2) and names the
// option, variable or file and line. With one of the meta options --help, --version or --emit, files and required
// options are not looked at.
Result<Parsed> Parse(const Program& program, const std::vector<std::string>& arguments, const Environment& environment);

// `~/.config/mq/NAME.conf`, or under XDG_CONFIG_HOME.
Result<std::string> ContextPath(std::string_view name, const Environment& environment);

// Applies a configuration file to the rows of `settings` that have a key.
Status ApplyFile(const std::string& path, Settings& settings, std::vector<Remark>& remarks, bool strict);

}  // namespace mq::conf
