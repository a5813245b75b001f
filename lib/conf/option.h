// Rows of the option tables: the one place where an option or a setting of any executable is described.
//
// From these rows come the parser, range errors, --help, the OPTIONS of the manual pages, mq.conf(5), the completions
// and the example configuration files (conf/emit.h), so an option cannot exist in one of them and miss in another.
//
// To add an option or a setting: add one row to the table of the executable that reads it
//   broker_settings.cc namesrv_settings.cc helper_settings.cc mq_send_options.cc mq_consume_options.cc
//   mq_admin_options.cc mq_storedump_options.cc
// (rows that several executables share are in common_options.cc) and read it with conf/settings.h. Rows describe only
// what works now: an option that does not work yet has no row.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mq::conf {

// What a value may look like; every value is checked while parsing, wherever it comes from.
enum class Kind {
  kFlag,      // --name, no value; repeating it counts (-vv)
  kOptValue,  // --name or --name=VALUE: the value only after '='; bare means `bare`
  kBool,      // true/false/yes/no/on/off/1/0; on the command line also bare (--name is --name=true)
  kInt,       // decimal integer in [min, max]
  kSize,      // 65536, 64K, 1M, 1G; bytes in [min, max]
  kDuration,  // 250ms, 3s, 2h; milliseconds in [min, max]; a bare number only where unit is "ms"
  kRate,      // 500 or 500/s; a number a second in [min, max]
  kString,    // any text
  kEnum,      // one of `choices`
  kPath,      // a file name (completions offer files)
  kDirectory  // a directory name
};

// When a change takes effect: at the next start; when the file is read again (SIGHUP); then, and by request over the
// network. What says where to connect or what to open is never kLive: a request must not choose it.
enum class Apply { kRestart, kReload, kLive };

inline constexpr std::int64_t kNoMin = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoMax = std::numeric_limits<std::int64_t>::max();

// One row. Use designated initializers and leave out what does not apply; all texts are literals.
struct Option {
  // The long name without dashes. Empty for a RocketMQ setting: its flag is derived from `key` (FlagName).
  std::string_view name = {};
  // The key in a configuration file, in RocketMQ's own spelling where it has one. Empty: not a setting of a file.
  std::string_view key = {};
  char letter = 0;              // the short form, only for daily options
  std::string_view alias = {};  // a second long name (storePathRootDir: "store")
  Kind kind = Kind::kFlag;
  std::string_view metavar = {};        // how the value is named in help, for example FILE; kEnum needs none
  std::string_view default_value = {};  // as text in the form of `kind`; empty: no value
  std::string_view default_note = {};   // shown in place of a default that is worked out at start ("the host name")
  std::string_view unit = {};           // "ms" allows bare numbers for kDuration; otherwise for the reader
  std::int64_t min = kNoMin;
  std::int64_t max = kNoMax;
  std::string_view choices = {};  // kEnum, kOptValue: "sync|async|oneway"
  std::string_view bare = {};     // kOptValue: the value of the bare form
  std::string_view env = {};      // environment variables, blank separated, the first one set wins
  std::string_view group = {};    // heading in --help and in the page
  std::string_view doc = {};      // one sentence (or a few), first letter small, no final stop in one-sentence docs
  bool repeatable = false;        // values add up; otherwise the last one wins
  bool required = false;
  bool in_synopsis = false;  // named in the synopsis, as what is almost always given
  bool brief = false;        // shown by -h, which fits one screen
  bool meta = false;         // not a value of its own: --help, --version, --emit, --print-config, --context, --config
  // Daemons only: who reads the setting ("broker", "broker, flushd") and when a change takes effect.
  std::string_view readers = {};
  Apply apply = Apply::kRestart;
};

// An operand such as FILE...; at most one per command, because options name everything else.
struct Operand {
  std::string_view metavar = {};  // empty: the command takes no operands
  std::string_view doc = {};
  int min = 0;
  int max = 0;                     // -1: any number
  std::string_view synopsis = {};  // how it stands in the synopsis, for example "[FILE...]"
};

// One column of what a listing prints: its heading, its key in JSON, and what stands in it. A value that is not known
// is
// "-" in text and null in JSON.
struct Column {
  enum class Type { kText, kNumber, kBool, kTime };  // kTime: RFC 3339 text
  std::string_view name = {};
  Type type = Type::kText;
  std::string_view doc = {};  // a few words
};

// One sub-command of mq-admin ("topic create"), or the only command of any other executable (noun and verb empty).
struct Command {
  std::string_view noun = {};
  std::string_view verb = {};
  std::string_view doc = {};  // one line
  std::span<const Option> options = {};
  Operand operand = {};
  std::span<const Column> columns = {};  // of its listing; empty: it prints something else
  std::span<const Column> changes = {};  // of what it prints about a change it made
  std::string_view json = {};            // where --json prints other objects than the columns: which
  bool hidden = false;                   // for completions: in no help and no page
};

// What a program makes of a command name of RocketMQ's: the arguments in the new form, and for whom.
struct Translation {
  std::string_view program = {};  // another executable than the one called: it is run in its place
  std::vector<std::string> arguments;
  std::string hint;  // empty: nothing was translated
};

// One executable. Built once by the functions of conf/programs.h and never changed afterwards.
struct Program {
  std::string_view name;                        // "mq-send"
  int section = 1;                              // of its manual page
  std::string_view doc;                         // the one line under NAME
  bool daemon = false;                          // reads -c FILE and MQ_<FLAG> variables, has -p; a tool has contexts
  std::vector<std::span<const Option>> tables;  // options every command has, in the order help shows them
  std::vector<Command> commands;                // one without noun and verb, or the sub-commands
  std::vector<Command> nouns = {};              // each noun with its sentence, in the order help shows them
  std::span<const Option> listing = {};         // options of every command that has columns
  std::span<const Option> watching = {};        // options of every command whose output is a listing
  // Turns foreign command names into ours before anything is read; null: there are none.
  Result<Translation> (*translate)(const Program& program, const std::vector<std::string>& arguments) = nullptr;
};

// "flushDiskType" -> "flush-disk-type", "brokerIP1" -> "broker-ip1", "checkCRCOnRecover" -> "check-crc-on-recover".
std::string FlagName(std::string_view key);

// The long name of a row: `name`, else derived from `key`.
std::string LongName(const Option& option);

// The name Settings knows the row by: `key`, else `name`.
std::string_view SettingName(const Option& option);

// Whether the option takes its value from the next argument when there is no "=VALUE".
bool TakesNextArgument(const Option& option);

// All rows of a command: its own options, those of listings when it prints one, and the tables of the program.
std::vector<const Option*> RowsOf(const Program& program, const Command& command);

// All rows of a program, each once, over all its commands.
std::vector<const Option*> AllRowsOf(const Program& program);

}  // namespace mq::conf
