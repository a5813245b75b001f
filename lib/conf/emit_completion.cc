// --emit=bash and --emit=zsh.
#include <algorithm>

#include "base/strings.h"
#include "conf/emit.h"

namespace mq::conf {
namespace {

std::string Identifier(const Program& program) {
  std::string name(program.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string WordsOf(const std::vector<const Option*>& rows) {
  std::string out;
  for (const Option* row : rows) {
    if (row->name == "emit") continue;
    if (!out.empty()) out += ' ';
    if (row->letter != 0) out += std::string("-") + row->letter + " ";
    out += "--" + LongName(*row);
  }
  return out;
}

std::string ChoicesOf(const Option& row) {
  std::string choices(row.choices);
  std::replace(choices.begin(), choices.end(), '|', ' ');
  return choices;
}

bool HasNouns(const Program& program) { return program.commands.size() != 1 || !program.commands.front().noun.empty(); }

std::vector<std::string> Unique(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> Nouns(const Program& program) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.emplace_back(command.noun);
  return Unique(std::move(names));
}

std::vector<std::string> Verbs(const Program& program, std::string_view noun) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) {
    if (command.noun == noun && !command.verb.empty()) names.emplace_back(command.verb);
  }
  return Unique(std::move(names));
}

// What completes the value of a row in bash; empty when there is nothing to offer.
std::string BashValues(const Option& row) {
  if (row.name == "topic") return "COMPREPLY=($(compgen -W \"$(_mq_topics)\" -- \"$cur\"))";
  if (row.kind == Kind::kEnum) return "COMPREPLY=($(compgen -W '" + ChoicesOf(row) + "' -- \"$cur\"))";
  if (row.kind == Kind::kPath) return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  if (row.kind == Kind::kDirectory) return "COMPREPLY=($(compgen -d -- \"$cur\"))";
  return "COMPREPLY=()";
}

std::string BashPattern(const Option& row) {
  std::string pattern = "--" + LongName(row);
  if (!row.key.empty() && FlagName(row.key) != LongName(row)) pattern += "|--" + FlagName(row.key);
  if (row.letter != 0) pattern = std::string("-") + row.letter + "|" + pattern;
  return pattern;
}

std::string BashCommandWords(const Program& program) {
  std::string out = "  local noun= verb= word i\n  for ((i = 1; i < COMP_CWORD; i++)); do\n    word=${COMP_WORDS[i]}\n";
  out +=
      "    [[ $word == -* ]] && continue\n    if [[ -z $noun ]]; then noun=$word; elif [[ -z $verb ]]; then "
      "verb=$word; fi\n  done\n";
  out += "  if [[ $cur != -* && -z $noun ]]; then\n    COMPREPLY=($(compgen -W '" + JoinStrings(Nouns(program), " ") +
         "' -- \"$cur\"))\n    return\n  fi\n";
  out += "  if [[ $cur != -* && -z $verb ]]; then\n    case $noun in\n";
  for (const std::string& noun : Nouns(program)) {
    out += "      " + noun + ") COMPREPLY=($(compgen -W '" + JoinStrings(Verbs(program, noun), " ") +
           "' -- \"$cur\")) ;;\n";
  }
  out += "    esac\n    return\n  fi\n  case \"$noun $verb\" in\n";
  for (const Command& command : program.commands) {
    out += "    '" + std::string(command.noun) + " " + std::string(command.verb) + "') COMPREPLY=($(compgen -W '" +
           WordsOf(RowsOf(program, command)) + "' -- \"$cur\")); return ;;\n";
  }
  return out + "  esac\n";
}

std::string ZshQuoted(std::string_view text) {
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

std::string ZshAction(const Option& row) {
  if (row.name == "topic") return ":topic:_mq_topics";
  if (row.kind == Kind::kEnum) return ":value:(" + ChoicesOf(row) + ")";
  if (row.kind == Kind::kOptValue) return row.choices.empty() ? "::value:" : "::value:(" + ChoicesOf(row) + ")";
  if (row.kind == Kind::kPath) return ":file:_files";
  if (row.kind == Kind::kDirectory) return ":directory:_files -/";
  if (row.kind == Kind::kBool) return ":value:(true false)";
  if (row.kind == Kind::kFlag) return "";
  return ":" + ZshQuoted(row.metavar) + ":";
}

void AppendZshRows(std::string& out, const std::vector<const Option*>& rows, std::string_view indent) {
  for (const Option* row : rows) {
    if (row->name == "emit") continue;
    std::string name = "--" + LongName(*row);
    // "=-": the value only behind "="; "=": behind "=" or as the next word.
    if (row->kind == Kind::kOptValue) name += "=-";
    if (row->kind == Kind::kBool || TakesNextArgument(*row)) name += "=";
    const std::string tail = "[" + ZshQuoted(row->doc) + "]" + ZshAction(*row) + "' \\\n";
    const std::string many = row->repeatable || row->kind == Kind::kFlag ? "*" : "";
    out += std::string(indent) + "'" + many + name + tail;
    if (row->letter != 0) out += std::string(indent) + "'" + many + "-" + row->letter + tail;
  }
}

// Topics of the configured cluster, asked with a short deadline so that a key press never waits.
constexpr std::string_view kTopicFunction =
    "_mq_topics() {\n"
    "  timeout 0.3 mq-admin topic list 2>/dev/null | cut -f1\n"
    "}\n";

constexpr std::string_view kZshTopicFunction =
    "_mq_topics() {\n"
    "  local -a topics\n"
    "  topics=(${(f)\"$(timeout 0.3 mq-admin topic list 2>/dev/null | cut -f1)\"})\n"
    "  compadd -a topics\n"
    "}\n";

bool AsksTopics(const Program& program) {
  const std::vector<const Option*> rows = AllRowsOf(program);
  return std::any_of(rows.begin(), rows.end(), [](const Option* row) { return row->name == "topic"; });
}

}  // namespace

std::string BashCompletion(const Program& program) {
  const std::string id = Identifier(program);
  std::string out = "# bash completion for " + std::string(program.name) + ", printed by --emit=bash.\n";
  if (AsksTopics(program)) out += kTopicFunction;
  out += "_" + id + "() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=\n";
  out += "  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}\n  case $prev in\n";
  std::vector<std::string> seen;
  for (const Option* row : AllRowsOf(program)) {
    const std::string pattern = BashPattern(*row);
    if (!TakesNextArgument(*row) || row->name == "emit" || std::find(seen.begin(), seen.end(), pattern) != seen.end()) {
      continue;
    }
    seen.push_back(pattern);
    out += "    " + pattern + ")\n      " + BashValues(*row) + "\n      return\n      ;;\n";
  }
  out += "  esac\n";
  if (HasNouns(program)) out += BashCommandWords(program);
  out += "  if [[ $cur == -* ]]; then\n    COMPREPLY=($(compgen -W '" +
         WordsOf(HasNouns(program) ? RowsOf(program, Command{}) : AllRowsOf(program)) + "' -- \"$cur\"))\n  else\n";
  out += std::string("    COMPREPLY=(") + (HasNouns(program) ? "" : "$(compgen -f -- \"$cur\")") + ")\n  fi\n}\n";
  return out + "complete -F _" + id + " " + std::string(program.name) + "\n";
}

std::string ZshCompletion(const Program& program) {
  std::string out = "#compdef " + std::string(program.name) + "\n# zsh completion for " + std::string(program.name) +
                    ", printed by --emit=zsh.\n";
  if (AsksTopics(program)) out += kZshTopicFunction;
  if (!HasNouns(program)) {
    out += "_arguments -s -S \\\n";
    AppendZshRows(out, AllRowsOf(program), "  ");
    out += program.commands.front().operand.max != 0 ? "  '*:file:_files'\n" : "  '*: :'\n";
    return out;
  }
  out += "local noun=${words[2]} verb=${words[3]}\n";
  out += "if ((CURRENT == 2)); then\n  compadd " + JoinStrings(Nouns(program), " ") + "\n  return\nfi\n";
  out += "if ((CURRENT == 3)); then\n  case $noun in\n";
  for (const std::string& noun : Nouns(program)) {
    const std::vector<std::string> verbs = Verbs(program, noun);
    if (!verbs.empty()) out += "    " + noun + ") compadd " + JoinStrings(verbs, " ") + "; return ;;\n";
  }
  out += "  esac\nfi\ncase \"$noun $verb\" in\n";
  for (const Command& command : program.commands) {
    std::string pattern = "'" + std::string(command.noun) + " " + std::string(command.verb) + "'";
    if (command.verb.empty()) pattern = "'" + std::string(command.noun) + " '*";
    out += "  " + pattern + ")\n    _arguments -s -S \\\n";
    AppendZshRows(out, RowsOf(program, command), "      ");
    out += "      '*: :'\n    ;;\n";
  }
  return out + "esac\n";
}

}  // namespace mq::conf
