// Tables that several executables share.
#include "conf/programs.h"
#include "conf/shared_rows.h"

namespace mq::conf {
namespace {

constexpr Option kMeta[] = {
    {.name = "help",
     .letter = 'h',
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "print help and leave; -h prints one screen, --help everything",
     .brief = true,
     .meta = true},
    {.name = "version",
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "print the version and leave; with --json as an object",
     .brief = true,
     .meta = true},
    {.name = "emit",
     .kind = Kind::kEnum,
     .choices = "man|bash|zsh|fish|conf",
     .group = "General",
     .doc = "print what is generated from the option table",
     .meta = true},
};

constexpr Option kTool[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "no notices on stderr",
     .brief = true},
    {.name = "context",
     .kind = Kind::kString,
     .metavar = "NAME",
     .env = "MQ_CONTEXT",
     .group = "General",
     .doc = "take options that are not given from ~/.config/mq/NAME.conf (lines of option=value)",
     .meta = true},
    {.name = "print-config",
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "print every option with its value and where it came from, and leave",
     .meta = true},
};

constexpr Option kVerbose[] = {
    {.name = "verbose",
     .letter = 'v',
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "say on stderr what is done; twice: every answer of a broker too",
     .brief = true},
};

constexpr Option kRoute[] = {
    NamesrvRow("Where",
               "name servers to ask for routes, separated by semicolons or commas; or http://HOST:PORT/PATH of an "
               "address server that names them"),
    {.name = "broker",
     .kind = Kind::kString,
     .metavar = "ADDR",
     .group = "Where",
     .doc = "talk to this broker and ask no name server; host:port, [v6]:port or unix:/path"},
};

constexpr Option kDaemon[] = {
    {.name = "config",
     .letter = 'c',
     .kind = Kind::kPath,
     .metavar = "FILE",
     .group = "General",
     .doc = "read settings from FILE, a Java properties file as described in mq.conf(5)",
     .brief = true,
     .meta = true},
    {.name = "strict",
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "refuse a configuration file with keys that are unknown or set twice instead of warning",
     .meta = true},
    {.name = "print-config",
     .letter = 'p',
     .kind = Kind::kFlag,
     .group = "General",
     .doc = "print every setting with value, default and source, and leave",
     .brief = true,
     .meta = true},
    {.name = "ready-fd",
     .kind = Kind::kInt,
     .metavar = "N",
     .min = 0,
     .max = 1048575,
     .group = "General",
     .doc = "write the ready line to descriptor N as well, then close it"},
    {.name = "log-level",
     .kind = Kind::kEnum,
     .default_value = "info",
     .choices = "debug|info|warn|error",
     .group = "General",
     .doc = "the least level of event that is printed on stderr"},
    {.name = "json", .kind = Kind::kFlag, .group = "General", .doc = "with --version: print an object", .meta = true},
};

}  // namespace

std::span<const Option> MetaOptions() { return kMeta; }
std::span<const Option> ToolOptions() { return kTool; }
std::span<const Option> VerboseOptions() { return kVerbose; }
std::span<const Option> RouteOptions() { return kRoute; }
std::span<const Option> DaemonOptions() { return kDaemon; }

const std::vector<const Program*>& AllPrograms() {
  static const std::vector<const Program*> programs = {&MqSendProgram(),      &MqConsumeProgram(), &MqAdminProgram(),
                                                       &MqStoredumpProgram(), &MqNamesrvProgram(), &MqBrokerProgram(),
                                                       &MqFlushdProgram(),    &MqReputdProgram()};
  return programs;
}

}  // namespace mq::conf
