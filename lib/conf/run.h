// What every main() of the toolkit is wrapped in: parsing, --help and its kin, errors and exit statuses.
//
//   int main(int argc, char** argv) { return mq::conf::Run(mq::conf::MqSendProgram(), argc, argv, Main); }
//
// Run answers --help, --version, --print-config and --emit itself, maps an Error to the exit status of cli.md section
// 1, and prints `mq-send: cannot ...: reason` with its hint to stderr. Called once, from main, before any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conf/settings.h"

namespace mq::conf {

// The body of an executable: returns the exit status of a run that ended by itself, or the error that ended it.
using Body = std::function<Result<int>(const Settings&)>;

int Run(const Program& program, int argc, char** argv, const Body& body);

// The exit status of a tool that ended because of signal n.
inline constexpr int SignalStatus(int signal) { return 128 + signal; }

// Prints "PROGRAM: TEXT" and, when there is one, the hint on a line of its own, to stderr.
void PrintError(std::string_view program, const Error& error);

// A notice on stderr, "PROGRAM: TEXT", for tools; dropped when --quiet was given.
void Notice(const Settings& settings, std::string_view text);

// A daemon whose configuration file changed (SIGHUP): reads it again and takes over the rows that may change live.
// Returns the keys that were changed in `settings`; `needs_restart` receives the keys that differ but need a restart.
// A file with an error changes nothing.
Result<std::vector<std::string>> ReloadLive(Settings& settings, std::vector<std::string>* needs_restart);

// What a daemon does on SIGHUP: ReloadLive, and one line each for what changed, what needs a restart, and what is
// wrong. True when something changed.
bool ReloadOnHangup(Settings& settings);

}  // namespace mq::conf
