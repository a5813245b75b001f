// --emit=bash.
#include <algorithm>

#include "base/strings.h"
#include "conf/completion.h"
#include "conf/emit.h"

namespace mq::conf {
namespace {

std::string WordsOf(const std::vector<const Option*>& rows) {
  std::string out;
  for (const Option* row : CompletionRows(rows)) {
    if (!out.empty()) out += ' ';
    if (row->letter != 0) out += std::string("-") + row->letter + " ";
    out += "--" + LongName(*row);
  }
  return out;
}

std::string Offer(std::string_view words) { return "COMPREPLY=($(compgen -W " + std::string(words) + " -- \"$cur\"))"; }

std::string OfferNames(std::string_view kind) { return Offer("\"$(_mq_names " + std::string(kind) + ")\""); }

// What completes the value of a row; nothing when there is nothing to offer.
std::string Values(const Option& row) {
  if (!LiveKind(row).empty()) return OfferNames(LiveKind(row));
  if (row.kind == Kind::kEnum) return Offer("'" + CompletionChoices(row) + "'");
  if (row.kind == Kind::kPath) return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  if (row.kind == Kind::kDirectory) return "COMPREPLY=($(compgen -d -- \"$cur\"))";
  return "COMPREPLY=()";
}

std::string Pattern(const Option& row) {
  std::string pattern = "--" + LongName(row);
  if (!row.key.empty() && FlagName(row.key) != LongName(row)) pattern += "|--" + FlagName(row.key);
  if (row.letter != 0) pattern = std::string("-") + row.letter + "|" + pattern;
  return pattern;
}

// Names that the cluster, or the folder of contexts, knows. It is asked where the line being typed says, under a
// deadline that a key press can wait for, and in silence.
constexpr std::string_view kNames =
    "_mq_names() {\n"
    "  if [[ $1 == contexts ]]; then\n"
    "    local file\n"
    "    for file in \"${XDG_CONFIG_HOME:-$HOME/.config}\"/mq/*.conf; do\n"
    "      [[ -e $file ]] && file=${file##*/} && echo \"${file%.conf}\"\n"
    "    done\n"
    "    return\n"
    "  fi\n"
    "  local -a typed where=()\n"
    "  local i\n"
    "  read -ra typed <<< \"${COMP_LINE:-}\"\n"
    "  for ((i = 1; i < ${#typed[@]}; i++)); do\n"
    "    case ${typed[i]} in\n"
    "      -n|--namesrv|--broker|--context) where+=(\"${typed[i]}\" \"${typed[i + 1]//[\\'\\\"]/}\") ;;\n"
    "      --namesrv=*|--broker=*|--context=*) where+=(\"${typed[i]//[\\'\\\"]/}\") ;;\n"
    "    esac\n"
    "  done\n"
    "  timeout 0.3 mq-admin complete \"$1\" -q \"${where[@]}\" 2>/dev/null\n"
    "}\n";

// The words up to the cursor. Bash itself would cut them at colons and equal signs as well.
constexpr std::string_view kWords =
    "  local cur prev word noun= verb= i place=0\n"
    "  local -a words=(\"${COMP_WORDS[@]:0:COMP_CWORD + 1}\")\n"
    "  if [[ -n ${COMP_LINE:-} ]]; then\n"
    "    read -ra words <<< \"${COMP_LINE:0:COMP_POINT}\"\n"
    "    [[ ${COMP_LINE:0:COMP_POINT} == *[[:blank:]] ]] && words+=('')\n"
    "  fi\n"
    "  cur=${words[${#words[@]} - 1]}\n"
    "  prev=\n"
    "  ((${#words[@]} > 1)) && prev=${words[${#words[@]} - 2]}\n"
    "  if [[ $cur == --*=* ]]; then prev=${cur%%=*} cur=${cur#*=}; fi\n";

std::string Commands(const Program& program) {
  std::string out = "  for ((i = 1; i < ${#words[@]} - 1; i++)); do\n    word=${words[i]}\n    case $word in\n      ";
  out += JoinStrings(SpellingsWithValue(program), "|") + ") ((i++)) ;;\n      -*) ;;\n";
  out +=
      "      *) if [[ -z $noun ]]; then noun=$word; elif [[ -z $verb ]]; then verb=$word; else ((place++)); fi ;;\n"
      "    esac\n  done\n";
  out += "  if [[ $cur != -* && -z $noun ]]; then\n    " +
         Offer("'" + JoinStrings(CompletionNouns(program), " ") + " help'") + "\n    return\n  fi\n";
  out += "  if [[ $cur != -* && -z $verb ]]; then\n    case $noun in\n      help) " +
         Offer("'" + JoinStrings(CompletionNouns(program), " ") + "'") + " ;;\n";
  for (const std::string& noun : CompletionNouns(program)) {
    const std::vector<std::string> verbs = CompletionVerbs(program, noun);
    if (!verbs.empty()) out += "      " + noun + ") " + Offer("'" + JoinStrings(verbs, " ") + "'") + " ;;\n";
  }
  out += "    esac\n    return\n  fi\n  if [[ $cur != -* ]]; then\n    case \"$noun $verb $place\" in\n";
  for (const Command& command : program.commands) {
    const std::vector<std::string_view> kinds = LiveOperands(command);
    for (std::size_t place = 0; place < kinds.size(); ++place) {
      if (kinds[place].empty()) continue;
      out += "      '" + std::string(command.noun) + " " + std::string(command.verb) + " " + std::to_string(place) +
             "') " + OfferNames(kinds[place]) + " ;;\n";
    }
  }
  out += "    esac\n    return\n  fi\n  case \"$noun $verb\" in\n";
  for (const Command& command : program.commands) {
    if (command.hidden) continue;
    out += "    '" + std::string(command.noun) + " " + std::string(command.verb) + "') " +
           Offer("'" + WordsOf(RowsOf(program, command)) + "'") + "; return ;;\n";
  }
  return out + "  esac\n";
}

bool AsksNames(const Program& program) {
  const std::vector<const Option*> rows = AllRowsOf(program);
  return std::any_of(rows.begin(), rows.end(), [](const Option* row) { return !LiveKind(*row).empty(); });
}

}  // namespace

std::string BashCompletion(const Program& program) {
  const std::string id = CompletionIdentifier(program);
  std::string out = "# bash completion for " + std::string(program.name) + ", printed by --emit=bash.\n";
  if (AsksNames(program)) out += kNames;
  out += "_" + id + "() {\n";
  out += kWords;
  out += "  COMPREPLY=()\n  case $prev in\n";
  std::vector<std::string> seen;
  for (const Option* row : AllRowsOf(program)) {
    const std::string pattern = Pattern(*row);
    if (!TakesNextArgument(*row) || row->name == "emit" || std::find(seen.begin(), seen.end(), pattern) != seen.end()) {
      continue;
    }
    seen.push_back(pattern);
    out += "    " + pattern + ")\n      " + Values(*row) + "\n      return\n      ;;\n";
  }
  out += "  esac\n";
  if (HasNouns(program)) out += Commands(program);
  out += "  if [[ $cur == -* ]]; then\n    " +
         Offer("'" + WordsOf(HasNouns(program) ? RowsOf(program, Command{}) : AllRowsOf(program)) + "'") + "\n";
  if (!HasNouns(program)) out += "  else\n    COMPREPLY=($(compgen -f -- \"$cur\"))\n";
  return out + "  fi\n}\ncomplete -F _" + id + " " + std::string(program.name) + "\n";
}

}  // namespace mq::conf
