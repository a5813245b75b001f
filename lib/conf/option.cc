#include "conf/option.h"

#include <algorithm>

namespace mq::conf {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

std::string FlagName(std::string_view key) {
  std::string flag;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!IsUpper(key[i])) {
      flag += key[i];
      continue;
    }
    // A capital begins a word after a small letter or digit, and when it is the last of a run of capitals that a small
    // letter follows: checkCRCOnRecover is check-crc-on-recover.
    const bool after_word = i > 0 && !IsUpper(key[i - 1]);
    const bool ends_run = i > 0 && IsUpper(key[i - 1]) && i + 1 < key.size() && IsLower(key[i + 1]);
    if (after_word || ends_run) flag += '-';
    flag += static_cast<char>(key[i] - 'A' + 'a');
  }
  return flag;
}

std::string LongName(const Option& option) {
  return option.name.empty() ? FlagName(option.key) : std::string(option.name);
}

std::string_view SettingName(const Option& option) { return option.key.empty() ? option.name : option.key; }

bool TakesNextArgument(const Option& option) {
  return option.kind != Kind::kFlag && option.kind != Kind::kOptValue && option.kind != Kind::kBool;
}

std::vector<const Option*> RowsOf(const Program& program, const Command& command) {
  std::vector<const Option*> rows;
  for (const Option& row : command.options) rows.push_back(&row);
  std::vector<std::span<const Option>> tables = program.tables;
  const bool listing = !command.columns.empty();
  if (listing || !command.changes.empty()) tables.insert(tables.begin(), program.listing);
  if (listing) tables.insert(tables.begin(), program.watching);
  for (const auto& table : tables) {
    for (const Option& row : table) {
      // A row of the command stands in for a general one of the same name.
      const auto same = [&](const Option* other) { return SettingName(*other) == SettingName(row); };
      if (std::none_of(rows.begin(), rows.end(), same)) rows.push_back(&row);
    }
  }
  return rows;
}

std::vector<const Option*> AllRowsOf(const Program& program) {
  std::vector<const Option*> rows;
  for (const Command& command : program.commands) {
    for (const Option* row : RowsOf(program, command)) {
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
  }
  if (program.commands.empty()) rows = RowsOf(program, Command{});
  return rows;
}

}  // namespace mq::conf
