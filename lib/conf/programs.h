// The executables and their tables. Each function builds its Program once and returns the same object ever after.
//
// mq-admin's rows are in mq_admin_options.cc, one Command per noun and verb: its main gets the command that was typed
// from Settings::CommandName() ("topic create") and its operands from Settings::operands().
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conf/option.h"

namespace mq::conf {

const Program& MqNamesrvProgram();
const Program& MqBrokerProgram();
const Program& MqFlushdProgram();
const Program& MqReputdProgram();
const Program& MqSendProgram();
const Program& MqConsumeProgram();
const Program& MqAdminProgram();
const Program& MqStoredumpProgram();

// All of the above, tools first: for the page and completion checks and to tell a misspelt key from a foreign one.
const std::vector<const Program*>& AllPrograms();

// Tables shared by several programs (common_options.cc).
std::span<const Option> MetaOptions();     // every executable: --help --version --json --print-config --emit
std::span<const Option> ToolOptions();     // tools: --context --quiet --print-config
std::span<const Option> VerboseOptions();  // tools that explain what they do: --verbose
std::span<const Option> RouteOptions();    // tools that talk to a cluster: --namesrv --broker
std::span<const Option> DaemonOptions();   // daemons: --config --strict --ready-fd --log-level
std::span<const Option> BrokerSettings();  // broker.conf
std::span<const Option> NamesrvSettings();

// True for keys of RocketMQ 4.9's own configuration files that are known here and have nothing to act on (thread
// pools, Netty, features of the JVM): accepted with one line at level info.
bool IsForeignBrokerKey(std::string_view key);

// Keys of RocketMQ 4.9's broker.conf that would change what a broker does and are not supported: accepted with a
// warning that says so.
bool IsUnsupportedBrokerKey(std::string_view key);
std::span<const std::string_view> UnsupportedBrokerKeys();

}  // namespace mq::conf
