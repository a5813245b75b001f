// --emit=man and --emit=conf: mdoc for the holes of manual pages, and example configuration files.
#include <algorithm>

#include "base/strings.h"
#include "conf/command_line.h"
#include "conf/emit.h"
#include "conf/mq_admin_aliases.h"
#include "conf/programs.h"

namespace mq::conf {
namespace {

// Text inside a roff line: backslashes, and a leading dot or quote, would be read as requests. Hyphens of options are
// escaped so that they can be copied from a terminal.
std::string Roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if ((c == '.' || c == '\'') && out.empty()) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

// An argument of an mdoc macro: one word for the macro parser, whatever it contains.
std::string MacroArgument(std::string_view text) {
  // A delimiter alone would be set as one even when it is quoted.
  if (text.size() == 1 && std::string_view(".,:;()[]?!|").find(text[0]) != std::string_view::npos) {
    return "\\&" + std::string(text);
  }
  std::string out = "\"";
  for (const char c : Roff(text)) out += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return out + "\"";
}

// Lines of at most 78 characters, as mandoc's lint asks for. A line must not begin as a request does.
void AppendFilled(std::string& out, std::string_view text) {
  constexpr std::size_t kLineWidth = 78;
  std::size_t column = 0;
  for (const std::string_view word : SplitAny(text, " ")) {
    if (column > 0 && column + 1 + word.size() > kLineWidth) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    if (column == 0 && (word.front() == '.' || word.front() == '\'')) out += "\\&";
    out += word;
    column += word.size();
  }
  out += '\n';
}

void AppendSentence(std::string& out, std::string_view text) {
  std::string sentence = Roff(text);
  if (!sentence.empty() && sentence.front() >= 'a' && sentence.front() <= 'z') {
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  }
  if (!sentence.ends_with('.')) sentence += '.';
  AppendFilled(out, sentence);
}

void AppendFacts(std::string& out, const Program& program, const Option& row, bool settings) {
  if (!row.default_value.empty()) {
    out += "The default is\n.Ql " + MacroArgument(row.default_value) + " .\n";
  } else if (!row.default_note.empty()) {
    AppendFilled(out, "The default: " + Roff(row.default_note) + ".");
  }
  if (row.min != kNoMin && row.max != kNoMax && row.kind != Kind::kFlag) {
    out += "From " + std::to_string(row.min) + " to " + std::to_string(row.max);
    if (row.kind == Kind::kDuration) out += " milliseconds";
    if (row.kind == Kind::kSize) out += " bytes";
    out += ".\n";
  }
  const std::vector<std::string> variables = EnvironmentNames(program, row);
  if (!variables.empty() && (settings || !program.daemon)) {
    out += "Environment:\n";
    for (std::size_t i = 0; i < variables.size(); ++i) {
      out += ".Ev " + variables[i] + (i + 1 < variables.size() ? " ,\n" : " .\n");
    }
  }
  if (settings) out += std::string("Read by: ") + Roff(row.readers) + ".\n";
  if (settings && row.apply != Apply::kRestart) out += "Changes take effect on SIGHUP.\n";
}

void AppendOption(std::string& out, const Program& program, const Option& row) {
  out += ".It ";
  if (row.letter != 0) out += std::string("Fl ") + row.letter + " , ";
  out += "Fl \\-" + LongName(row);
  const std::string metavar = MetavarOf(row);
  if (row.kind == Kind::kOptValue) {
    out += " Ns Op = Ns Ar " + MacroArgument(metavar);
  } else if (!metavar.empty()) {
    out += " Ar " + MacroArgument(metavar);
  }
  out += "\n";
  AppendSentence(out, row.doc);
  if (!row.key.empty() && program.daemon) {
    if (!row.name.empty() && FlagName(row.key) != row.name) out += "Also\n.Fl \\-" + FlagName(row.key) + " .\n";
    out += "The key\n.Li " + MacroArgument(row.key) + "\nof\n.Xr mq.conf 5 .\n";
  }
  AppendFacts(out, program, row, false);
}

void AppendOptionList(std::string& out, const Program& program, const std::vector<const Option*>& rows) {
  std::vector<std::string_view> groups;
  for (const Option* row : rows) {
    if (row->name == "emit") continue;
    if (std::find(groups.begin(), groups.end(), row->group) == groups.end()) groups.push_back(row->group);
  }
  for (const std::string_view group : groups) {
    out += ".Ss " + std::string(group) + "\n.Bl -tag -width Ds\n";
    for (const Option* row : rows) {
      if (row->group == group && row->name != "emit") AppendOption(out, program, *row);
    }
    out += ".El\n";
  }
}

bool HasNouns(const Program& program) { return program.commands.size() != 1 || !program.commands.front().noun.empty(); }

std::string OptionsHole(const Program& program) {
  std::string out;
  if (!HasNouns(program)) {
    AppendOptionList(out, program, AllRowsOf(program));
    return out;
  }
  AppendOptionList(out, program, RowsOf(program, Command{}));
  // What every listing has besides.
  std::vector<const Option*> listing;
  for (const auto& table : {program.listing, program.watching}) {
    for (const Option& row : table) listing.push_back(&row);
  }
  if (listing.empty()) return out;
  out += ".Ss Listings and changes\n.Bl -tag -width Ds\n";
  for (const Option* row : listing) AppendOption(out, program, *row);
  return out + ".El\n";
}

void AppendColumns(std::string& out, std::string_view heading, std::span<const Column> columns) {
  if (columns.empty()) return;
  out += std::string(heading) + "\n.Bl -tag -width consume_from_min -compact\n";
  for (const Column& column : columns) {
    out += ".It Va " + std::string(column.name) + "\n";
    constexpr std::string_view kTypes[] = {"", "number: ", "true or false: ", "time: "};
    AppendFilled(out, std::string(kTypes[static_cast<std::size_t>(column.type)]) + Roff(column.doc));
  }
  out += ".El\n";
}

std::string CommandsHole(const Program& program) {
  std::string out;
  for (const Command& command : program.commands) {
    if (command.hidden) continue;
    std::string name(command.noun);
    if (!command.verb.empty()) name += " " + std::string(command.verb);
    out += ".Ss " + name + "\n";
    if (!command.operand.synopsis.empty())
      out += "Operands:\n.Ar " + MacroArgument(command.operand.synopsis) + "\n.Pp\n";
    AppendSentence(out, command.doc);
    if (!command.options.empty()) {
      out += ".Bl -tag -width Ds\n";
      for (const Option& row : command.options) AppendOption(out, program, row);
      out += ".El\n";
    }
    const bool before = !command.options.empty();
    if (!before && (!command.columns.empty() || !command.changes.empty() || !command.json.empty())) out += ".Pp\n";
    AppendColumns(out, "It prints, and its JSON has:", command.columns);
    if (!command.columns.empty() && !command.changes.empty()) out += ".Pp\n";
    AppendColumns(out, "Of a change it prints, and its JSON has:", command.changes);
    if (!command.json.empty()) {
      if (!command.columns.empty()) out += ".Pp\n";
      AppendSentence(out, "JSON: " + std::string(command.json));
    }
  }
  return out;
}

// RocketMQ's names and what each is here, or what it waits for.
std::string AliasesHole() {
  std::string working;
  std::string missing;
  for (const Alias& alias : Aliases()) {
    std::string& list = alias.missing.empty() ? working : missing;
    list += ".It Li " + std::string(alias.name) + "\n";
    std::string here = alias.missing.empty() ? std::string(alias.program) : "missing: " + std::string(alias.missing);
    if (alias.missing.empty() && alias.program == "mq-admin") here += " " + std::string(alias.to);
    if (!alias.always.empty()) here += " " + std::string(alias.always);
    AppendFilled(list, Roff(here));
  }
  const std::string begin = ".Bl -tag -width skipAccumulatedMessage -compact\n";
  return begin + working + ".El\n.Pp\nThese are known and do not work yet; each says so with status 2.\n" + begin +
         missing + ".El\n";
}

std::string SynopsisHole(const Program& program) {
  std::string out;
  for (const std::string& line : SynopsisOf(program)) {
    out += ".Nm\n";
    const std::vector<std::string_view> words = SplitAny(std::string_view(line).substr(program.name.size()), " ");
    for (const std::string_view word : words) {
      if (word.front() == '[') {
        out += ".Op Ar " + MacroArgument(word.substr(1, word.size() - 2)) + "\n";
      } else if (word.front() == '-') {
        out += ".Fl " + std::string(word.substr(1)) + "\n";
      } else {
        out += ".Ar " + MacroArgument(word) + "\n";
      }
    }
  }
  return out;
}

std::string SettingsHole(const Program& program) {
  std::string out = ".Bl -tag -width Ds\n";
  for (const Option* row : AllRowsOf(program)) {
    if (row->key.empty()) continue;
    out += ".It Li " + MacroArgument(row->key) + " = Ar " + MacroArgument(MetavarOf(*row)) + "\n";
    AppendSentence(out, row->doc);
    AppendFacts(out, program, *row, true);
  }
  return out + ".El\n";
}

const Program* ProgramNamed(std::string_view name) {
  for (const Program* program : AllPrograms()) {
    if (program->name == name) return program;
  }
  return nullptr;
}

// The text for one hole, without its @ signs; nullptr-like empty Result error for an unknown one.
Result<std::string> HoleText(const Program& program, std::string_view hole) {
  if (hole == "SYNOPSIS") return SynopsisHole(program);
  if (hole == "OPTIONS") return OptionsHole(program);
  if (hole == "COMMANDS") return CommandsHole(program);
  if (hole == "ALIASES") return AliasesHole();
  if (hole == "VERSION") return std::string(kVersion);
  if (hole.starts_with("SETTINGS ")) {
    const Program* named = ProgramNamed(hole.substr(9));
    if (named != nullptr) return SettingsHole(*named);
  }
  return MakeError(ErrorCode::kConfig, "the page has an unknown hole @" + std::string(hole) + "@");
}

}  // namespace

Result<std::string> FillPage(const Program& program, std::string_view page) {
  std::string out;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size() - 1) + 1;
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(end);
    // A hole is a line of its own: @NAME@.
    const std::string_view trimmed = Trim(line);
    if (trimmed.size() < 3 || trimmed.front() != '@' || trimmed.back() != '@') {
      out += line;
      continue;
    }
    MQ_ASSIGN(const std::string text, HoleText(program, trimmed.substr(1, trimmed.size() - 2)));
    out += text;
  }
  return out;
}

std::string ExampleFile(const Program& program) {
  std::string out =
      "# Settings of " + std::string(program.name) + "(8), described in mq.conf(5). Every line is a default.\n";
  std::string_view group;
  for (const Option* row : AllRowsOf(program)) {
    if (row->key.empty()) continue;
    if (row->group != group) {
      group = row->group;
      out += "\n## " + std::string(group) + "\n";
    }
    out += "\n# " + std::string(row->doc) + "\n";
    if (!row->choices.empty()) out += "# one of " + std::string(row->choices) + "\n";
    if (row->default_value.empty()) out += "# default: " + std::string(row->default_note) + "\n";
    out += "#" + std::string(row->key) + "=" + std::string(row->default_value) + "\n";
  }
  return out;
}

}  // namespace mq::conf
