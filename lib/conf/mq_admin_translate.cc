// From a command name of RocketMQ's with its options to the command it is here.
#include <algorithm>
#include <ctime>
#include <map>
#include <optional>

#include "base/strings.h"
#include "conf/command_line.h"
#include "conf/mq_admin_aliases.h"

namespace mq::conf {
namespace {

Error Usage(std::string text, std::string hint = {}) {
  return MakeError(ErrorCode::kConfig, std::move(text)).WithHint(std::move(hint));
}

const Alias* AliasNamed(std::string_view name) {
  for (const Alias& alias : Aliases()) {
    // As RocketMQ's tool does, which takes them in any case.
    if (EqualsIgnoreCase(alias.name, name)) return &alias;
  }
  return nullptr;
}

// The name that a misspelt first word is nearest to; empty for a noun, and for a word that is near to one.
std::string NearestAlias(const Program& program, const std::string& word) {
  std::vector<std::string> nouns = {"help"};
  for (const Command& command : program.commands) nouns.emplace_back(command.noun);
  if (std::find(nouns.begin(), nouns.end(), word) != nouns.end() || !NearestMatch(word, nouns).empty()) return {};
  std::vector<std::string> names;
  for (const Alias& alias : Aliases()) names.emplace_back(alias.name);
  return NearestMatch(word, names);
}

// One option as it was typed: "-t x", "-tx", "--topic x" or "--topic=x".
struct Typed {
  std::string spelling;
  const AliasOption* option = nullptr;  // null: none of the command's own
  std::optional<std::string> value;     // what stood behind it, if anything did
};

constexpr AliasOption kNamesrv{'n', "namesrvAddr", "--namesrv"};
constexpr AliasOption kHelp{'h', "help", "", Turn::kNothing, false};

Typed TypedOption(const Alias& alias, const std::string& argument) {
  std::vector<const AliasOption*> all = {&kNamesrv, &kHelp};
  for (const AliasOption& option : alias.options) all.push_back(&option);
  Typed typed{.spelling = argument.substr(0, argument.find('=')), .value = {}};
  const bool is_long = argument.starts_with("--");
  for (const AliasOption* option : all) {
    const bool spelt = is_long ? typed.spelling.substr(2) == option->name : argument[1] == option->letter;
    if (spelt) typed.option = option;
  }
  if (is_long && argument.find('=') != std::string::npos) typed.value = argument.substr(argument.find('=') + 1);
  if (!is_long) {
    typed.spelling = argument.substr(0, 2);
    if (argument.size() > 2) typed.value = argument.substr(2);
  }
  return typed;
}

// What the options of one call come to.
struct Collected {
  std::vector<std::string> options;
  std::map<std::string, std::string, std::less<>> operands;  // by place
  std::optional<std::string> key;
  std::optional<std::string> value;
  bool help = false;
};

Status Take(const Alias& alias, const AliasOption& option, const std::string& spelling, const std::string& value,
            Collected& out) {
  const std::string where = std::string(alias.name) + ": option " + spelling;
  switch (option.turn) {
    case Turn::kRefused:
      return Usage(where + " asks for what does not exist here yet");
    case Turn::kOnlyTrue:
    case Turn::kOnlyFalse: {
      const Result<bool> on = ParseBool(value);
      if (!on) return Usage(where + ": " + on.error().what);
      if (*on != (option.turn == Turn::kOnlyTrue))
        return Usage(where + " may only be " + (*on ? "false" : "true") + " here");
      return Ok();
    }
    case Turn::kIfTrue: {
      const Result<bool> on = ParseBool(value);
      if (!on) return Usage(where + ": " + on.error().what);
      if (*on) out.options.emplace_back(option.to);
      return Ok();
    }
    case Turn::kNothing:
      out.help = out.help || &option == &kHelp;
      return Ok();
    case Turn::kKey:
      out.key = value;
      return Ok();
    case Turn::kValue:
      out.value = value;
      return Ok();
    default:
      break;
  }
  Result<std::string> turned = TurnValue(option.turn, value);
  if (!turned) return std::move(turned).WithContext(where).error();
  if (option.to.starts_with("--")) {
    out.options.push_back(std::string(option.to) + "=" + *turned);
  } else {
    out.operands[std::string(option.to)] = *turned;
  }
  return Ok();
}

Result<Collected> Collect(const Program& program, const Alias& alias, std::span<const std::string> arguments) {
  Collected out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() < 2 || argument.front() != '-') {
      return Usage(std::string(alias.name) + ": unexpected argument '" + argument + "'");
    }
    Typed typed = TypedOption(alias, argument);
    if (typed.option == nullptr) {
      // Options of this toolkit that RocketMQ's commands do not have, such as --json, are passed on.
      const auto rows = RowsOf(program, Command{.columns = program.commands.front().columns});
      const bool is_long = typed.spelling.starts_with("--");
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const Option* one) {
        return is_long ? LongName(*one) == typed.spelling.substr(2) : one->letter == typed.spelling[1];
      });
      if (row == rows.end()) {
        std::vector<std::string> names;
        for (const AliasOption& option : alias.options) {
          names.push_back(std::string("-") + option.letter + " (" + std::string(option.name) + ")");
        }
        return Usage(std::string(alias.name) + ": unknown option " + typed.spelling,
                     "it has -n (namesrvAddr)" + (names.empty() ? "" : ", " + JoinStrings(names, ", ")));
      }
      out.options.push_back(argument);
      if (TakesNextArgument(**row) && !typed.value && i + 1 < arguments.size()) out.options.push_back(arguments[++i]);
      continue;
    }
    if (!typed.option->takes_value && typed.value) {
      return Usage(std::string(alias.name) + ": option " + typed.spelling + " takes no value");
    }
    if (typed.option->takes_value && !typed.value) {
      if (i + 1 == arguments.size())
        return Usage(std::string(alias.name) + ": option " + typed.spelling + " needs a value");
      typed.value = arguments[++i];
    }
    // Values typed with a blank in front or behind are trimmed, as RocketMQ's tool does.
    MQ_TRY(Take(alias, *typed.option, typed.spelling, std::string(Trim(typed.value.value_or(""))), out));
  }
  return out;
}

void AppendWords(std::vector<std::string>& out, std::string_view words) {
  for (const std::string_view word : SplitAny(words, " ")) out.emplace_back(word);
}

std::string ShellWord(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_=.,:/@%+").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

Result<std::string> TurnValue(Turn turn, std::string_view value) {
  if (turn == Turn::kSeconds) return std::string(value) + "s";
  if (turn == Turn::kPerm) {
    if (value == "2") return std::string("w");
    if (value == "4") return std::string("r");
    if (value == "6") return std::string("rw");
    return Usage("'" + std::string(value) + "' is none of 2 (write), 4 (read) and 6 (both)");
  }
  if (turn != Turn::kTime || value == "now") return std::string(value);
  if (const auto ms = ParseInt64(value)) {
    // Behind @, 13 digits are milliseconds, and anything else seconds.
    if (value.size() == 13) return "@" + std::string(value);
    if (*ms == -1) return std::string("now");
    if (*ms >= 0) return "@" + std::to_string(*ms / 1000);
  }
  std::tm parts{};
  const std::string text(value);
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%d#%H:%M:%S", &parts);
  const auto ms = rest != nullptr && *rest == ':' ? ParseInt64(rest + 1) : ParseInt64("");
  parts.tm_isdst = -1;
  if (!ms || *ms < 0 || *ms > 999) {
    return Usage("'" + text + "' is neither now nor milliseconds nor yyyy-MM-dd#HH:mm:ss:SSS");
  }
  return "@" + std::to_string(static_cast<std::int64_t>(std::mktime(&parts)) * 1000 + *ms);
}

Result<Translation> TranslateAlias(const Program& program, const std::vector<std::string>& arguments) {
  Translation out{.program = program.name, .arguments = arguments, .hint = {}};
  std::size_t word = 0;
  while (word < arguments.size() && AliasNamed(arguments[word]) == nullptr) ++word;
  // The name is the first word; `help NAME` asks about it.
  const std::vector<std::size_t> words = WordPositions(program, arguments);
  const bool first = !words.empty() && words[0] == word;
  const bool helped = words.size() > 1 && words[1] == word && arguments[words[0]] == "help";
  if (word == arguments.size() || (!first && !helped)) {
    const std::string near = words.empty() ? std::string() : NearestAlias(program, arguments[words[0]]);
    if (near.empty()) return out;
    return Usage("no such command: " + arguments[words[0]], DidYouMean(near));
  }
  const Alias& alias = *AliasNamed(arguments[word]);
  if (!alias.missing.empty()) {
    return Usage(std::string(alias.name) + " is known and does not work yet; missing: " + std::string(alias.missing));
  }
  MQ_ASSIGN(const Collected got, Collect(program, alias, std::span(arguments).subspan(word + 1)));
  out.program = alias.program;
  out.arguments.clear();
  const bool own = alias.program == program.name;
  AppendWords(out.arguments, alias.to);
  if (helped || got.help) {
    std::string text = std::string(alias.name) + " is RocketMQ's name for: " + std::string(alias.program);
    if (own) text += " " + std::string(alias.to);
    for (const AliasOption& option : alias.options) {
      text += std::string("; -") + option.letter + ", --" + std::string(option.name);
      if (!option.to.empty()) text += (option.to.starts_with("-") ? " is " : " is operand ") + std::string(option.to);
    }
    out.hint = text;
    if (!own) out.arguments.clear();
    out.arguments.emplace_back("--help");
    return out;
  }
  for (const auto& [place, operand] : got.operands) {
    if (operand.starts_with("-"))
      return Usage(std::string(alias.name) + ": '" + operand + "' is an option, not a name");
    out.arguments.push_back(operand);
  }
  if (got.key.has_value() != got.value.has_value()) {
    return Usage(std::string(alias.name) + ": -k and -v go together");
  }
  if (got.key) out.arguments.push_back(*got.key + "=" + *got.value);
  AppendWords(out.arguments, alias.always);
  out.arguments.insert(out.arguments.end(), got.options.begin(), got.options.end());
  std::vector<std::string> shown;
  for (const std::string& argument : out.arguments) shown.push_back(ShellWord(argument));
  out.hint = "this is now: " + std::string(alias.program) + " " + JoinStrings(shown, " ");
  // What stood before the name is of the new form already.
  out.arguments.insert(out.arguments.begin(), arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(word));
  return out;
}

}  // namespace mq::conf
