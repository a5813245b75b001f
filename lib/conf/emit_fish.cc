// --emit=fish.
#include <algorithm>

#include "base/strings.h"
#include "conf/completion.h"
#include "conf/emit.h"

namespace mq::conf {
namespace {

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// As in emit_bash.cc: asked where the line says, soon or not at all, in silence.
constexpr std::string_view kNames =
    "function __mq_names\n"
    "  if test $argv[1] = contexts\n"
    "    set -l folder $HOME/.config\n"
    "    set -q XDG_CONFIG_HOME; and set folder $XDG_CONFIG_HOME\n"
    "    for file in $folder/mq/*.conf\n"
    "      string replace -r '.*/(.*)\\.conf$' '$1' -- $file\n"
    "    end\n"
    "    return\n"
    "  end\n"
    "  set -l where\n"
    "  set -l take 0\n"
    "  for token in (commandline -opc)[2..-1]\n"
    "    if test $take = 1\n"
    "      set -a where $token\n"
    "      set take 0\n"
    "      continue\n"
    "    end\n"
    "    switch $token\n"
    "      case -n --namesrv --broker --context\n"
    "        set -a where $token\n"
    "        set take 1\n"
    "      case '--namesrv=*' '--broker=*' '--context=*'\n"
    "        set -a where $token\n"
    "    end\n"
    "  end\n"
    "  timeout 0.3 mq-admin complete $argv[1] -q $where 2>/dev/null\n"
    "end\n";

// The words typed so far that are neither options nor their values, and tests on them.
std::string Functions(const Program& program) {
  const std::string id = "__" + CompletionIdentifier(program);
  return "function " + id +
         "_words\n  set -l skip 0\n  for token in (commandline -opc)[2..-1]\n    if test $skip = 1\n" +
         "      set skip 0\n      continue\n    end\n    switch $token\n      case " +
         JoinStrings(SpellingsWithValue(program), " ") +
         "\n        set skip 1\n      case '-*'\n      case '*'\n        echo $token\n    end\n  end\nend\n"
         "# The noun and verb of the arguments, and as many words behind them as the last one says (any without).\n"
         "function " +
         id + "_at\n  set -l words (" + id +
         "_words)\n  test \"$words[1] $words[2]\" = \"$argv[1] $argv[2]\"; or return 1\n"
         "  test (count $argv) -lt 3; or test (count $words) -eq (math 2 + $argv[3])\nend\n"
         "# Nothing yet; or the noun alone.\n"
         "function " +
         id + "_noun\n  set -l words (" + id + "_words)\n  test \"$words\" = \"$argv\"\nend\n";
}

std::string Values(const Option& row) {
  if (!LiveKind(row).empty()) return " -x -a '(__mq_names " + std::string(LiveKind(row)) + ")'";
  if (row.kind == Kind::kEnum) return " -x -a " + Quoted(CompletionChoices(row));
  if (row.kind == Kind::kPath) return " -r -F";
  if (row.kind == Kind::kDirectory) return " -x -a '(__fish_complete_directories)'";
  if (row.kind == Kind::kBool) return "";
  return TakesNextArgument(row) ? " -x" : "";
}

void AppendRows(std::string& out, const Program& program, const std::vector<const Option*>& rows,
                const std::string& condition) {
  for (const Option* row : CompletionRows(rows)) {
    out += "complete -c " + std::string(program.name) + condition;
    if (row->letter != 0) out += std::string(" -s ") + row->letter;
    out += " -l " + LongName(*row) + Values(*row) + " -d " + Quoted(row->doc) + "\n";
  }
}

}  // namespace

std::string FishCompletion(const Program& program) {
  const std::string name(program.name);
  std::string out = "# fish completion for " + name + ", printed by --emit=fish.\n";
  const std::vector<const Option*> all = AllRowsOf(program);
  if (std::any_of(all.begin(), all.end(), [](const Option* row) { return !LiveKind(*row).empty(); })) out += kNames;
  if (!HasNouns(program)) {
    if (program.commands.front().operand.max == 0) out += "complete -c " + name + " -f\n";
    AppendRows(out, program, all, "");
    return out;
  }
  out += Functions(program) + "complete -c " + name + " -f\n";
  const std::string id = "__" + CompletionIdentifier(program);
  for (const Command& noun : program.nouns) {
    out +=
        "complete -c " + name + " -n " + id + "_noun -a " + std::string(noun.noun) + " -d " + Quoted(noun.doc) + "\n";
  }
  out += "complete -c " + name + " -n " + id + "_noun -a help -d 'say more about a noun or a verb'\n";
  for (const Command& command : program.commands) {
    if (command.hidden) continue;
    const std::string noun(command.noun);
    const std::string at = id + "_at " + noun + " " + Quoted(command.verb);
    if (!command.verb.empty()) {
      out += "complete -c " + name + " -n '" + id + "_noun " + noun + "' -a " + std::string(command.verb) + " -d " +
             Quoted(command.doc) + "\n";
    }
    const std::vector<std::string_view> kinds = LiveOperands(command);
    for (std::size_t place = 0; place < kinds.size(); ++place) {
      if (kinds[place].empty()) continue;
      out += "complete -c " + name + " -n " + Quoted(at + " " + std::to_string(place)) + " -a '(__mq_names " +
             std::string(kinds[place]) + ")'\n";
    }
    std::vector<const Option*> own;
    for (const Option* row : RowsOf(program, command)) {
      const auto general = RowsOf(program, Command{});
      if (std::find(general.begin(), general.end(), row) == general.end()) own.push_back(row);
    }
    AppendRows(out, program, own, " -n " + Quoted(at));
  }
  AppendRows(out, program, RowsOf(program, Command{}), "");
  return out;
}

}  // namespace mq::conf
