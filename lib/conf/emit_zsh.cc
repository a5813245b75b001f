// --emit=zsh.
#include <algorithm>

#include "base/strings.h"
#include "conf/completion.h"
#include "conf/emit.h"

namespace mq::conf {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

// A blank in front of an action keeps _arguments from putting words of its own behind the function's name.
std::string Action(const Option& row) {
  if (!LiveKind(row).empty()) return ":name: _mq_names " + std::string(LiveKind(row));
  if (row.kind == Kind::kEnum) return ":value:(" + CompletionChoices(row) + ")";
  if (row.kind == Kind::kOptValue) return row.choices.empty() ? "::value:" : "::value:(" + CompletionChoices(row) + ")";
  if (row.kind == Kind::kPath) return ":file:_files";
  if (row.kind == Kind::kDirectory) return ":directory:_files -/";
  if (row.kind == Kind::kBool) return ":value:(true false)";
  if (row.kind == Kind::kFlag) return "";
  return ":" + Quoted(row.metavar) + ":";
}

void AppendRows(std::string& out, const std::vector<const Option*>& rows, std::string_view indent) {
  for (const Option* row : CompletionRows(rows)) {
    std::string name = "--" + LongName(*row);
    // "=-": the value only behind "="; "=": behind "=" or as the next word.
    if (row->kind == Kind::kOptValue) name += "=-";
    if (row->kind == Kind::kBool || TakesNextArgument(*row)) name += "=";
    const std::string tail = "[" + Quoted(row->doc) + "]" + Action(*row) + "' \\\n";
    const std::string many = row->repeatable || row->kind == Kind::kFlag ? "*" : "";
    out += std::string(indent) + "'" + many + name + tail;
    if (row->letter != 0) out += std::string(indent) + "'" + many + "-" + row->letter + tail;
  }
}

// As in emit_bash.cc: asked where the line says, soon or not at all, in silence.
constexpr std::string_view kNames =
    "_mq_names() {\n"
    "  local -a names where\n"
    "  local i\n"
    "  if [[ $1 == contexts ]]; then\n"
    "    names=(${XDG_CONFIG_HOME:-$HOME/.config}/mq/*.conf(N:t:r))\n"
    "    compadd -a names\n"
    "    return\n"
    "  fi\n"
    "  for ((i = 2; i < CURRENT; i++)); do\n"
    "    case ${words[i]} in\n"
    "      -n|--namesrv|--broker|--context) where+=(\"${words[i]}\" \"${(Q)words[i + 1]}\") ;;\n"
    "      --namesrv=*|--broker=*|--context=*) where+=(\"${(Q)words[i]}\") ;;\n"
    "    esac\n"
    "  done\n"
    "  names=(${(f)\"$(timeout 0.3 mq-admin complete $1 -q $where 2>/dev/null)\"})\n"
    "  compadd -a names\n"
    "}\n";

// Noun and verb are the first two words that are neither options nor their values.
std::string FindWords(const Program& program) {
  return "local noun= verb= i\nfor ((i = 2; i < CURRENT; i++)); do\n  case ${words[i]} in\n    " +
         JoinStrings(SpellingsWithValue(program), "|") +
         ") ((i++)) ;;\n    -*) ;;\n    *) if [[ -z $noun ]]; then noun=${words[i]}; elif [[ -z $verb ]]; then "
         "verb=${words[i]}; fi ;;\n  esac\ndone\n";
}

std::string Operands(const Command& command) {
  // Noun and verb count as the first two.
  std::string out = command.verb.empty() ? "      '1: :' \\\n" : "      '1: :' '2: :' \\\n";
  std::size_t place = command.verb.empty() ? 2 : 3;
  for (const std::string_view kind : LiveOperands(command)) {
    const std::string action = kind.empty() ? std::string() : " _mq_names " + std::string(kind);
    out += "      '" + std::to_string(place++) + ":name:" + action + "' \\\n";
  }
  return out + "      '*: :'\n";
}

bool AsksNames(const Program& program) {
  const std::vector<const Option*> rows = AllRowsOf(program);
  return std::any_of(rows.begin(), rows.end(), [](const Option* row) { return !LiveKind(*row).empty(); });
}

}  // namespace

std::string ZshCompletion(const Program& program) {
  std::string out = "#compdef " + std::string(program.name) + "\n# zsh completion for " + std::string(program.name) +
                    ", printed by --emit=zsh.\n";
  if (AsksNames(program)) out += kNames;
  if (!HasNouns(program)) {
    out += "_arguments -s -S \\\n";
    AppendRows(out, AllRowsOf(program), "  ");
    out += program.commands.front().operand.max != 0 ? "  '*:file:_files'\n" : "  '*: :'\n";
    return out;
  }
  out += FindWords(program);
  out += "if [[ -z $noun && $PREFIX != -* ]]; then\n  compadd " + JoinStrings(CompletionNouns(program), " ") +
         " help\n  return\nfi\n";
  out += "if [[ -z $verb && $PREFIX != -* ]]; then\n  case $noun in\n    help) compadd " +
         JoinStrings(CompletionNouns(program), " ") + "; return ;;\n";
  for (const std::string& noun : CompletionNouns(program)) {
    const std::vector<std::string> verbs = CompletionVerbs(program, noun);
    if (!verbs.empty()) out += "    " + noun + ") compadd " + JoinStrings(verbs, " ") + "; return ;;\n";
  }
  out += "  esac\nfi\ncase \"$noun $verb\" in\n";
  for (const Command& command : program.commands) {
    if (command.hidden) continue;
    std::string pattern = "'" + std::string(command.noun) + " " + std::string(command.verb) + "'";
    if (command.verb.empty()) pattern = "'" + std::string(command.noun) + " '*";
    out += "  " + pattern + ")\n    _arguments -s -S \\\n";
    AppendRows(out, RowsOf(program, command), "      ");
    out += Operands(command) + "    ;;\n";
  }
  out += "  *)\n    _arguments -s -S \\\n";
  AppendRows(out, RowsOf(program, Command{}), "      ");
  return out + "      '*: :'\n    ;;\nesac\n";
}

}  // namespace mq::conf
