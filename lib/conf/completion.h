// What the three completion emitters (emit_bash.cc, emit_zsh.cc, emit_fish.cc) share: which words a program has and
// what can stand for a value. Names a cluster knows come from the hidden `mq-admin complete KIND`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conf/option.h"

namespace mq::conf {

// "mq_admin", as names of shell functions need it.
std::string CompletionIdentifier(const Program& program);

bool HasNouns(const Program& program);
std::vector<std::string> CompletionNouns(const Program& program);
std::vector<std::string> CompletionVerbs(const Program& program, std::string_view noun);

// The choices of an enum, blank separated.
std::string CompletionChoices(const Option& row);

// "topics", "groups", "brokers" or "clusters" when the value is such a name; "contexts" for names of context files;
// empty when nothing can be offered.
std::string_view LiveKind(const Option& row);
// The same for each operand of a command, in order.
std::vector<std::string_view> LiveOperands(const Command& command);

// Every spelling ("-n", "--namesrv") of every option of a program that takes its value from the next word.
std::vector<std::string> SpellingsWithValue(const Program& program);

// The rows of a program that completions know, each spelling once.
std::vector<const Option*> CompletionRows(const std::vector<const Option*>& rows);

}  // namespace mq::conf
