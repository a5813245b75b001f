// Everything that is printed from the option tables: help, manual page parts, completions, example files.
// Pure functions from tables to text; used by conf/run.cc and compared with the committed files by tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conf/option.h"
#include "conf/settings.h"

namespace mq::conf {

inline constexpr std::string_view kVersion = "0.1.0";

// -h (brief: one screen) or --help. `command` is the sub-command or the noun asked about, or null for the whole
// program.
std::string HelpText(const Program& program, const Command* command, bool brief);

// --version and --version --json.
std::string VersionText(const Program& program, bool json);

// --print-config: a line for every row with name, value, default and where the value came from; in columns for a
// terminal, otherwise separated by tabs.
std::string ConfigText(const Settings& settings, bool columns);

// The lines of the synopsis, each beginning with the program's name.
std::vector<std::string> SynopsisOf(const Program& program);

// "-n, --namesrv ADDR" as help and pages name a row.
std::string SpellingOf(const Option& row);

// What stands for the value in help: the metavar, or the choices of an enum.
std::string MetavarOf(const Option& row);

// --emit=man: the page template `page` (mdoc) with its holes filled: @SYNOPSIS@, @OPTIONS@, @COMMANDS@, @ALIASES@,
// @VERSION@ and, for mq.conf(5), @SETTINGS mq-broker@. An unknown hole is an error.
Result<std::string> FillPage(const Program& program, std::string_view page);

// --emit=bash, --emit=zsh and --emit=fish.
std::string BashCompletion(const Program& program);
std::string ZshCompletion(const Program& program);
std::string FishCompletion(const Program& program);

// --emit=conf: an example configuration file with every key, its sentence and its default, commented out.
std::string ExampleFile(const Program& program);

}  // namespace mq::conf
