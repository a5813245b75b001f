// Everything that is printed from the option tables: help, manual page parts, completions, example files.
// Pure functions from tables to text; used by conf/run.cc and compared with the committed files by tests.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "conf/option.h"
#include "conf/settings.h"

namespace mq::conf {

inline constexpr std::string_view kVersion = "0.1.0";

// -h (brief: one screen) or --help. `command` is the sub-command asked about, or null for the whole program.
std::string HelpText(const Program& program, const Command* command, bool brief);

// --version and --version --json.
std::string VersionText(const Program& program, bool json);

// --print-config: every row with value, default and source.
std::string ConfigText(const Settings& settings);

// --emit=man: the page template `page` (mdoc) with its holes filled: @SYNOPSIS@, @OPTIONS@, @VERSION@ and, for
// mq.conf(5), @SETTINGS mq-broker@. An unknown hole is an error.
Result<std::string> FillPage(const Program& program, std::string_view page);

// --emit=bash and --emit=zsh.
std::string BashCompletion(const Program& program);
std::string ZshCompletion(const Program& program);

// --emit=conf: an example configuration file with every key, its sentence and its default, commented out.
std::string ExampleFile(const Program& program);

}  // namespace mq::conf
