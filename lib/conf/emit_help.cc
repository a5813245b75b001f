// --help, --version and --print-config.
#include <algorithm>

#include "base/json.h"
#include "base/strings.h"
#include "conf/emit.h"

namespace mq::conf {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kDocColumn = 34;

// Appends `text` word by word from `column` on, later lines indented by kDocColumn.
void AppendWrapped(std::string& out, std::string_view text, std::size_t column) {
  bool first = true;
  for (const std::string_view word : SplitAny(text, " ")) {
    if (!first && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(kDocColumn, ' ');
      column = kDocColumn;
      first = true;
    }
    if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

void AppendEntry(std::string& out, std::string_view left, std::string_view doc) {
  out += left;
  std::size_t column = left.size();
  if (column + 2 > kDocColumn) {
    out += '\n';
    column = 0;
  }
  out += std::string(kDocColumn - column, ' ');
  AppendWrapped(out, doc, kDocColumn);
}

std::string DocOf(const Program& program, const Option& row) {
  std::string doc(row.doc);
  if (row.default_value == ",")
    doc += " (default ',')";
  else if (!row.default_value.empty())
    doc += " (default " + std::string(row.default_value) + ")";
  if (row.default_value.empty() && !row.default_note.empty())
    doc += " (default: " + std::string(row.default_note) + ")";
  if (!row.env.empty() && !program.daemon)
    doc += "; else from " + JoinStrings(
                                [&] {
                                  std::vector<std::string> names;
                                  for (const std::string_view name : SplitAny(row.env, " ")) names.emplace_back(name);
                                  return names;
                                }(),
                                ", ");
  return doc;
}

void AppendRows(std::string& out, const Program& program, const std::vector<const Option*>& rows, bool brief) {
  std::vector<std::string_view> groups;
  for (const Option* row : rows) {
    if (std::find(groups.begin(), groups.end(), row->group) == groups.end()) groups.push_back(row->group);
  }
  for (const std::string_view group : groups) {
    bool heading = false;
    for (const Option* row : rows) {
      if (row->group != group || row->name == "emit" || (brief && !row->brief)) continue;
      if (!heading && !brief) out += "\n" + std::string(group) + ":\n";
      heading = true;
      AppendEntry(out, "  " + SpellingOf(*row), DocOf(program, *row));
    }
  }
}

// The commands of a noun, or all of them.
void AppendCommands(std::string& out, const Program& program, std::string_view noun = {}) {
  out += "\nCommands:\n";
  for (const Command& command : program.commands) {
    if (command.hidden || (!noun.empty() && command.noun != noun)) continue;
    std::string left = "  " + std::string(command.noun);
    if (!command.verb.empty()) left += " " + std::string(command.verb);
    if (!command.operand.synopsis.empty()) left += " " + std::string(command.operand.synopsis);
    AppendEntry(out, left, command.doc);
  }
}

void AppendColumns(std::string& out, std::string_view heading, std::span<const Column> columns) {
  if (columns.empty()) return;
  out += "\n" + std::string(heading) + ":\n";
  for (const Column& column : columns) AppendEntry(out, "  " + std::string(column.name), column.doc);
}

bool IsNounAlone(const Program& program, const Command& command) {
  return std::any_of(program.nouns.begin(), program.nouns.end(), [&](const Command& one) { return &one == &command; });
}

std::string Columns(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out += std::string(widths[i] - line[i].size() + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string MetavarOf(const Option& row) {
  if (row.kind == Kind::kEnum) return std::string(row.choices);
  if (row.kind == Kind::kOptValue) return row.choices.empty() ? std::string(row.metavar) : std::string(row.choices);
  if (row.kind == Kind::kFlag) return {};
  if (row.kind == Kind::kBool) return "true|false";
  return std::string(row.metavar);
}

std::string SpellingOf(const Option& row) {
  std::string text = row.letter != 0 ? std::string("-") + row.letter + ", " : "    ";
  text += "--" + LongName(row);
  const std::string metavar = MetavarOf(row);
  if (row.kind == Kind::kOptValue) {
    text += "[=" + metavar + "]";
  } else if (!metavar.empty()) {
    text += " " + metavar;
  }
  return text;
}

std::vector<std::string> SynopsisOf(const Program& program) {
  std::vector<std::string> lines;
  const std::string name(program.name);
  if (program.commands.size() != 1 || !program.commands.front().noun.empty()) {
    lines.push_back(name + " NOUN VERB [options] [operands]");
    return lines;
  }
  std::string line = name;
  for (const Option* row : RowsOf(program, program.commands.front())) {
    if (row->in_synopsis) line += std::string(" -") + row->letter + " " + MetavarOf(*row);
  }
  line += " [options]";
  const Operand& operand = program.commands.front().operand;
  if (!operand.synopsis.empty()) line += " " + std::string(operand.synopsis);
  lines.push_back(line);
  return lines;
}

std::string HelpText(const Program& program, const Command* command, bool brief) {
  std::string out;
  if (command != nullptr && IsNounAlone(program, *command)) {
    out += std::string(program.name) + " " + std::string(command->noun) + " VERB [options] [operands]\n\n";
    out += std::string(command->doc) + "\n";
    AppendCommands(out, program, command->noun);
    out += "\n" + std::string(program.name) + " " + std::string(command->noun) + " VERB --help says more about each.\n";
    return out;
  }
  if (command != nullptr) {
    out += std::string(program.name) + " " + std::string(command->noun);
    if (!command->verb.empty()) out += " " + std::string(command->verb);
    if (!command->operand.synopsis.empty()) out += " " + std::string(command->operand.synopsis);
    out += " [options]\n\n" + std::string(command->doc) + "\n";
    AppendRows(out, program, RowsOf(program, *command), false);
    AppendColumns(out, "Columns", command->columns);
    AppendColumns(out, "Columns of a change", command->changes);
    if (!command->json.empty()) AppendEntry(out += "\n", "With --json", command->json);
    return out;
  }
  for (const std::string& line : SynopsisOf(program)) out += line + "\n";
  out += "\n" + std::string(program.name) + " - " + std::string(program.doc) + "\n";
  const bool nouns = program.commands.size() != 1 || !program.commands.front().noun.empty();
  if (nouns && !brief) AppendCommands(out, program);
  if (nouns && brief) {
    out += "\nNouns:\n";
    for (const Command& noun : program.nouns) AppendEntry(out, "  " + std::string(noun.noun), noun.doc);
  }
  if (brief) out += "\n";
  AppendRows(out, program, nouns ? RowsOf(program, Command{}) : AllRowsOf(program), brief);
  out += "\n";
  if (brief && nouns) {
    out += std::string(program.name) +
           " NOUN lists the verbs of a noun, NOUN VERB --help their options; the manual page is ";
    out += std::string(program.name) + "(" + std::to_string(program.section) + ").\n";
  } else if (brief) {
    out += "--help lists everything; the manual page is " + std::string(program.name) + "(" +
           std::to_string(program.section) + ").\n";
  } else {
    out += "Exit statuses are in the manual page " + std::string(program.name) + "(" + std::to_string(program.section) +
           ").\n";
  }
  return out;
}

std::string VersionText(const Program& program, bool json) {
  if (!json) return std::string(program.name) + " " + std::string(kVersion) + "\n";
  json::Writer writer;
  writer.BeginObject();
  writer.Key("name").String(program.name);
  writer.Key("version").String(kVersion);
  writer.Key("compiler").String(__VERSION__);
  writer.EndObject();
  return writer.Take() + "\n";
}

std::string ConfigText(const Settings& settings, bool columns) {
  std::vector<std::vector<std::string>> lines;
  for (const Option* row : RowsOf(settings.program(), settings.command())) {
    if (row->meta && row->name != "config" && row->name != "context") continue;
    const std::string_view name = SettingName(*row);
    std::string value = row->repeatable ? JoinStrings(settings.Strings(name), ",") : settings.String(name);
    if (row->kind == Kind::kFlag) {
      // How often a flag was given matters only beyond once.
      const int count = settings.Count(name);
      value = count > 1 ? std::to_string(count) : count == 1 ? "true" : "false";
    }
    if (row->kind == Kind::kBool && !value.empty()) value = settings.Bool(name) ? "true" : "false";
    std::string standard(row->default_value.empty() ? row->default_note : row->default_value);
    std::string source(SourceName(settings.SourceOf(name)));
    if (settings.Given(name)) source += " (" + settings.Origin(name) + ")";
    const auto dash = [&](std::string text) { return text.empty() && columns ? std::string("-") : text; };
    lines.push_back({std::string(name), dash(std::move(value)), dash(std::move(standard)), std::move(source)});
  }
  if (columns) {
    lines.insert(lines.begin(), {"NAME", "VALUE", "DEFAULT", "SOURCE"});
    return Columns(lines);
  }
  std::string out;
  for (const auto& line : lines) out += JoinStrings(line, "\t") + "\n";
  return out;
}

}  // namespace mq::conf
