// The reading of argv by the rows of a table: the only place that uses CLI11. Internal to lib/conf.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "conf/option.h"

namespace mq::conf {

struct CommandLine {
  // One option as it was typed, in the order of argv.
  struct Given {
    const Option* row;
    std::string text;      // "true" for a bare flag, the row's `bare` for a bare kOptValue
    std::string spelling;  // "--window" or "-h"
  };
  const Command* command = nullptr;  // an empty one when only --help or --version of an mq-admin was asked
  std::vector<Given> given;
  std::vector<std::string> operands;
};

// Splits arguments (without argv[0]) by the table. Errors name the option, and the nearest one when it is unknown.
Result<CommandLine> ReadCommandLine(const Program& program, const std::vector<std::string>& arguments);

// The positions of noun and verb: the first two arguments that are neither options nor their values.
std::vector<std::size_t> WordPositions(const Program& program, const std::vector<std::string>& arguments);

// Checks the number of operands against the command's.
Status CheckOperands(const CommandLine& line);

// The environment variables of a row in order; for settings of a daemon MQ_ and the flag in capitals.
std::vector<std::string> EnvironmentNames(const Program& program, const Option& row);

}  // namespace mq::conf
