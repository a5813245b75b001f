#include "conf/completion.h"

#include <algorithm>

#include "base/strings.h"

namespace mq::conf {
namespace {

std::vector<std::string> Unique(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string_view KindOf(std::string_view metavar) {
  if (metavar == "TOPIC") return "topics";
  if (metavar == "GROUP") return "groups";
  if (metavar == "BROKER") return "brokers";
  if (metavar == "CLUSTER") return "clusters";
  return {};
}

}  // namespace

std::string CompletionIdentifier(const Program& program) {
  std::string name(program.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool HasNouns(const Program& program) { return program.commands.size() != 1 || !program.commands.front().noun.empty(); }

std::vector<std::string> CompletionNouns(const Program& program) {
  std::vector<std::string> names;
  for (const Command& noun : program.nouns) names.emplace_back(noun.noun);
  return Unique(std::move(names));
}

std::vector<std::string> CompletionVerbs(const Program& program, std::string_view noun) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) {
    if (command.noun == noun && !command.verb.empty()) names.emplace_back(command.verb);
  }
  return Unique(std::move(names));
}

std::string CompletionChoices(const Option& row) {
  std::string choices(row.choices);
  std::replace(choices.begin(), choices.end(), '|', ' ');
  return choices;
}

std::string_view LiveKind(const Option& row) { return row.name == "context" ? "contexts" : KindOf(row.metavar); }

std::vector<std::string_view> LiveOperands(const Command& command) {
  std::vector<std::string_view> kinds;
  if (command.operand.max <= 0) return kinds;
  for (const std::string_view word : SplitAny(command.operand.metavar, " ")) kinds.push_back(KindOf(word));
  return kinds;
}

std::vector<std::string> SpellingsWithValue(const Program& program) {
  std::vector<std::string> spellings;
  for (const Option* row : AllRowsOf(program)) {
    if (!TakesNextArgument(*row) || row->name == "emit") continue;
    spellings.push_back("--" + LongName(*row));
    if (!row->key.empty() && FlagName(row->key) != LongName(*row)) spellings.push_back("--" + FlagName(row->key));
    if (!row->alias.empty()) spellings.push_back("--" + std::string(row->alias));
    if (row->letter != 0) spellings.push_back(std::string("-") + row->letter);
  }
  return Unique(std::move(spellings));
}

std::vector<const Option*> CompletionRows(const std::vector<const Option*>& rows) {
  std::vector<const Option*> known;
  for (const Option* row : rows) {
    const auto same = [&](const Option* other) { return LongName(*other) == LongName(*row); };
    if (row->name != "emit" && std::none_of(known.begin(), known.end(), same)) known.push_back(row);
  }
  return known;
}

}  // namespace mq::conf
