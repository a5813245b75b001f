#include "conf/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/strings.h"

namespace mq::conf {
namespace {

const Command kNoCommand{};

bool IsOption(std::string_view argument) { return argument.size() > 1 && argument.front() == '-'; }

bool IsBoolWord(std::string_view text) { return text.size() > 1 && ParseBool(text).has_value(); }

Error Usage(std::string text, std::string hint = {}) {
  return MakeError(ErrorCode::kConfig, std::move(text)).WithHint(std::move(hint));
}

std::vector<std::string> LongNames(const Option& row) {
  std::vector<std::string> names = {LongName(row)};
  if (!row.key.empty() && FlagName(row.key) != names.front()) names.push_back(FlagName(row.key));
  if (!row.alias.empty()) names.emplace_back(row.alias);
  return names;
}

// The row that an argument such as "--name", "--name=x" or "-nx" spells, among `rows`; null when there is none.
const Option* RowSpelt(const std::vector<const Option*>& rows, std::string_view argument) {
  const bool is_long = argument.substr(0, 2) == "--";
  const std::string_view name = is_long ? argument.substr(2, argument.find('=') - 2) : argument.substr(1, 1);
  for (const Option* row : rows) {
    if (!is_long && row->letter != 0 && name.front() == row->letter) return row;
    if (!is_long) continue;
    const std::vector<std::string> names = LongNames(*row);
    if (std::find(names.begin(), names.end(), name) != names.end()) return row;
  }
  return nullptr;
}

// What was typed names no command: the nearest noun, or the nearest verb of the noun that was right.
Error UnknownCommand(const Program& program, const std::string& noun, const std::string& verb) {
  const auto is_noun = [&](const Command& one) { return one.noun == noun; };
  if (std::any_of(program.nouns.begin(), program.nouns.end(), is_noun)) {
    std::vector<std::string> verbs;
    std::vector<std::string> whole;
    for (const Command& command : program.commands) {
      if (command.noun != noun || command.hidden) continue;
      verbs.emplace_back(command.verb);
      whole.push_back(noun + " " + verbs.back());
    }
    const std::string near = NearestMatch(noun + " " + verb, whole);
    return Usage(noun + " has no verb '" + verb + "'; it has " + JoinStrings(verbs, ", "), DidYouMean(near));
  }
  std::vector<std::string> nouns;
  for (const Command& one : program.nouns) nouns.emplace_back(one.noun);
  const std::string near = NearestMatch(noun, nouns);
  return Usage("no such command: " + noun + (verb.empty() ? "" : " " + verb),
               DidYouMean(near, std::string(program.name) + " --help lists them"));
}

// `help`, `help NOUN` and `help NOUN VERB` ask what --help behind them asks.
void TurnHelpAround(const Program& program, std::vector<std::string>& arguments) {
  const std::vector<std::size_t> words = WordPositions(program, arguments);
  if (words.empty() || arguments[words[0]] != "help") return;
  arguments[words[0]] = "--help";
}

// Chooses the command and removes its words from the arguments. A noun alone is chosen as such.
Result<const Command*> TakeCommand(const Program& program, std::vector<std::string>& arguments) {
  if (program.commands.size() == 1 && program.commands.front().noun.empty()) return &program.commands.front();
  TurnHelpAround(program, arguments);
  const std::vector<std::size_t> words = WordPositions(program, arguments);
  if (words.empty()) return &kNoCommand;
  const std::string noun = arguments[words[0]];
  const std::string verb = words.size() > 1 ? arguments[words[1]] : std::string();
  const auto drop = [&](std::size_t word) {
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(words[word]));
  };
  for (const Command& command : program.commands) {
    if (command.noun != noun || (command.verb != verb && !command.verb.empty())) continue;
    if (!command.verb.empty()) drop(1);
    drop(0);
    return &command;
  }
  if (verb.empty()) {
    for (const Command& one : program.nouns) {
      if (one.noun != noun) continue;
      drop(0);
      return &one;
    }
  }
  return UnknownCommand(program, noun, verb);
}

bool IsNounAlone(const Program& program, const Command* command) {
  return std::any_of(program.nouns.begin(), program.nouns.end(), [&](const Command& one) { return &one == command; });
}

// Brings the spellings that CLI11 reads differently from everybody else into a form it reads as meant: "--name=" with
// an empty value, and booleans with a separate value ("--auto-create-topic-enable false").
std::vector<std::string> Normalise(const std::vector<const Option*>& rows, const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      out.insert(out.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break;
    }
    const Option* row = IsOption(argument) ? RowSpelt(rows, argument) : nullptr;
    const std::size_t equals = argument.find('=');
    const bool is_long = argument.substr(0, 2) == "--";
    if (row != nullptr && is_long && equals + 1 == argument.size() && TakesNextArgument(*row)) {
      out.push_back(argument.substr(0, equals));
      out.emplace_back();
    } else if (row != nullptr && is_long && equals == std::string::npos && row->kind == Kind::kBool &&
               i + 1 < arguments.size() && IsBoolWord(arguments[i + 1])) {
      out.push_back(argument + "=" + arguments[++i]);
    } else {
      out.push_back(argument);
      // The value of an option is never looked at as if it were an option.
      const bool has_value = is_long ? equals != std::string::npos : argument.size() > 2;
      if (row != nullptr && TakesNextArgument(*row) && !has_value && i + 1 < arguments.size()) {
        out.push_back(arguments[++i]);
      }
    }
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const std::vector<const Option*>& rows) : rows_(rows) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const Option* row : rows_) Register(*row);
  }

  Status Read(std::vector<std::string> arguments, CommandLine& line) {
    std::reverse(arguments.begin(), arguments.end());
    try {
      app_.parse(arguments);
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string text = error.what();
      return Usage("option " + text.substr(0, text.find(':')) + " needs a value");
    } catch (const CLI::ParseError& error) {
      return Usage(error.what());
    }
    MQ_TRY(TakeOptions(line));
    return TakeOperands(line);
  }

 private:
  void Register(const Option& row) {
    // Help has two spellings with two meanings, so each is an option of its own here.
    std::string names;
    for (const std::string& name : LongNames(row)) names += (names.empty() ? "--" : ",--") + name;
    if (row.letter != 0 && row.name == "help") Add(row, std::string("-") + row.letter);
    if (row.letter != 0 && row.name != "help") names += std::string(",-") + row.letter;
    Add(row, names);
  }

  void Add(const Option& row, const std::string& names) {
    CLI::Option* option = TakesNextArgument(row)
                              ? app_.add_option(names, [](const CLI::results_t&) { return true; })->expected(1)
                              : app_.add_flag(names);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    row_of_[option] = {&row, names.substr(0, names.find(','))};
  }

  Status TakeOptions(CommandLine& line) {
    std::map<const CLI::Option*, std::size_t> taken;
    for (const CLI::Option* option : app_.parse_order()) {
      const auto& [row, spelling] = row_of_.at(option);
      std::string text = option->results().at(taken[option]++);
      if (row->kind == Kind::kFlag && text != "true") return Usage("option " + spelling + " takes no value");
      if (row->kind == Kind::kOptValue && text == "true") text = row->bare;
      line.given.push_back({row, std::move(text), spelling});
    }
    return Ok();
  }

  Status TakeOperands(CommandLine& line) const {
    bool options_ended = false;
    for (const std::string& rest : app_.remaining()) {
      if (!options_ended && rest == "--") {
        options_ended = true;
      } else if (!options_ended && IsOption(rest)) {
        return UnknownOption(rest);
      } else {
        line.operands.push_back(rest);
      }
    }
    return Ok();
  }

  Error UnknownOption(const std::string& typed) const {
    const std::string name = typed.substr(0, typed.find('='));
    std::vector<std::string> candidates;
    for (const Option* row : rows_) {
      if (row->name == "emit") continue;
      for (const std::string& long_name : LongNames(*row)) candidates.push_back("--" + long_name);
    }
    const std::string near = name.substr(0, 2) == "--" ? NearestMatch(name, candidates) : std::string();
    return Usage("unknown option " + name, DidYouMean(near, "--help lists all options"));
  }

  const std::vector<const Option*>& rows_;
  CLI::App app_;
  std::map<const CLI::Option*, std::pair<const Option*, std::string>> row_of_;
};

}  // namespace

std::vector<std::size_t> WordPositions(const Program& program, const std::vector<std::string>& arguments) {
  const std::vector<const Option*> rows = AllRowsOf(program);
  std::vector<std::size_t> words;
  for (std::size_t i = 0; i < arguments.size() && words.size() < 2; ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") break;
    if (!IsOption(argument)) {
      words.push_back(i);
      continue;
    }
    const Option* row = RowSpelt(rows, argument);
    const bool has_value = argument[1] == '-' ? argument.find('=') != std::string::npos : argument.size() > 2;
    if (row != nullptr && TakesNextArgument(*row) && !has_value) ++i;
  }
  return words;
}

Result<CommandLine> ReadCommandLine(const Program& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> rest = arguments;
  CommandLine line;
  MQ_ASSIGN(line.command, TakeCommand(program, rest));
  const std::vector<const Option*> rows = RowsOf(program, *line.command);
  Reader reader(rows);
  MQ_TRY(reader.Read(Normalise(rows, rest), line));
  if (IsNounAlone(program, line.command)) {
    // A noun alone asks which verbs it has.
    const auto help = std::find_if(rows.begin(), rows.end(), [](const Option* row) { return row->name == "help"; });
    if (help != rows.end()) line.given.push_back({*help, "true", "--help"});
  }
  if (line.command == &kNoCommand) {
    const bool asked = std::any_of(line.given.begin(), line.given.end(), [](const CommandLine::Given& given) {
      return given.row->name == "help" || given.row->name == "version" || given.row->name == "emit";
    });
    if (!asked) return Usage("no command was given", std::string(program.name) + " --help lists them");
  }
  return line;
}

Status CheckOperands(const CommandLine& line) {
  const Operand& operand = line.command->operand;
  const int count = static_cast<int>(line.operands.size());
  if (count < operand.min) {
    // The metavar names the operands in order; those that may be left out are not missing.
    std::vector<std::string> missing;
    const std::vector<std::string_view> words = SplitAny(operand.metavar, " ");
    for (std::size_t i = static_cast<std::size_t>(count); i < words.size() && i < static_cast<std::size_t>(operand.min);
         ++i) {
      missing.emplace_back(words[i]);
    }
    return Usage((missing.size() > 1 ? "operands " : "operand ") + JoinStrings(missing, ", ") +
                 (missing.size() > 1 ? " are missing" : " is missing"));
  }
  if (operand.max >= 0 && count > operand.max) {
    return Usage("unexpected argument '" + line.operands[static_cast<std::size_t>(operand.max)] + "'");
  }
  return Ok();
}

}  // namespace mq::conf
