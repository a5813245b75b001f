#include "conf/parse.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/file.h"
#include "base/strings.h"
#include "conf/command_line.h"
#include "conf/programs.h"
#include "conf/properties.h"

namespace mq::conf {
namespace {

std::string UpperSnake(std::string_view flag) {
  std::string out;
  for (const char c : flag) out += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

const Option* FindByKey(const std::vector<const Option*>& rows, std::string_view key, bool daemon) {
  for (const Option* row : rows) {
    if (daemon ? row->key == key : !row->meta && LongName(*row) == key) return row;
  }
  return nullptr;
}

// Whether another executable has this key: one file may serve several of them.
bool KnownElsewhere(std::string_view key, bool daemon) {
  for (const Program* program : AllPrograms()) {
    if (program->daemon == daemon && FindByKey(AllRowsOf(*program), key, daemon) != nullptr) return true;
  }
  return false;
}

// Contexts serve all tools, so the names of all of them count; a daemon's file is its own.
std::string NearestKey(const std::vector<const Option*>& rows, std::string_view key, bool daemon) {
  std::vector<std::string> names;
  for (const Option* row : rows) {
    if (daemon && !row->key.empty()) names.emplace_back(row->key);
  }
  for (const Program* program : AllPrograms()) {
    if (daemon || program->daemon) continue;
    for (const Option* row : AllRowsOf(*program)) {
      if (!row->meta) names.push_back(LongName(*row));
    }
  }
  if (daemon) names.insert(names.end(), UnsupportedBrokerKeys().begin(), UnsupportedBrokerKeys().end());
  return NearestMatch(key, names);
}

Status ApplyProperties(const std::vector<Property>& properties, const std::string& path, Settings& settings,
                       std::vector<Remark>& remarks, bool strict) {
  const bool daemon = settings.program().daemon;
  const Source source = daemon ? Source::kFile : Source::kContext;
  const std::vector<const Option*> rows = RowsOf(settings.program(), settings.command());
  std::set<std::string> seen;
  const auto warn = [&](std::string text) -> Status {
    if (strict) return MakeError(ErrorCode::kConfig, std::move(text));
    remarks.push_back({Remark::Level::kWarning, std::move(text)});
    return Ok();
  };
  for (const Property& property : properties) {
    const std::string where = path + ":" + std::to_string(property.line) + ": ";
    const Option* row = FindByKey(rows, property.key, daemon);
    if (row != nullptr) {
      const bool again = !seen.insert(property.key).second;
      if (again && !row->repeatable) {
        MQ_TRY(warn(where + "key '" + property.key + "' was set before; the last value counts"));
      }
      MQ_TRY(settings.Set(*row, property.value, source, where + property.key));
    } else if (KnownElsewhere(property.key, daemon)) {
      continue;
    } else if (daemon && IsForeignBrokerKey(property.key)) {
      remarks.push_back({Remark::Level::kInfo, where + "key '" + property.key + "' is about the JVM and is ignored"});
    } else if (daemon && IsUnsupportedBrokerKey(property.key)) {
      remarks.push_back(
          {Remark::Level::kWarning, where + "key '" + property.key + "' is not supported and has no effect"});
    } else {
      const std::string hint = DidYouMean(NearestKey(rows, property.key, daemon));
      // A context holds names of options, and an unknown option is an error wherever it stands.
      if (!daemon) return MakeError(ErrorCode::kConfig, where + "unknown option '" + property.key + "'").WithHint(hint);
      MQ_TRY(warn(where + "unknown key '" + property.key + "' has no effect" + (hint.empty() ? "" : "; " + hint)));
    }
  }
  return Ok();
}

Status ApplyEnvironment(Settings& settings, const Environment& environment) {
  for (const Option* row : RowsOf(settings.program(), settings.command())) {
    for (const std::string& name : EnvironmentNames(settings.program(), *row)) {
      const std::optional<std::string> value = environment.variable(name);
      if (!value || value->empty()) continue;
      MQ_TRY(settings.Set(*row, *value, Source::kEnvironment, "environment variable " + name));
      break;
    }
  }
  return Ok();
}

Status ApplyArguments(const CommandLine& line, Settings& settings) {
  for (const CommandLine::Given& given : line.given) {
    MQ_TRY(settings.Set(*given.row, given.text, Source::kOption, given.spelling));
  }
  return Ok();
}

Status CheckRequired(const CommandLine& line, const Settings& settings) {
  for (const Option* row : RowsOf(settings.program(), *line.command)) {
    if (row->required && !settings.Has(SettingName(*row))) {
      return MakeError(ErrorCode::kConfig, "option --" + LongName(*row) + " is needed");
    }
  }
  return Ok();
}

}  // namespace

Environment Environment::OfProcess() {
  return {.variable = [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  }};
}

std::vector<std::string> EnvironmentNames(const Program& program, const Option& row) {
  std::vector<std::string> names;
  for (const std::string_view name : SplitAny(row.env, " ")) names.emplace_back(name);
  if (names.empty() && program.daemon && !row.key.empty()) names.push_back("MQ_" + UpperSnake(LongName(row)));
  return names;
}

Result<std::string> ContextPath(std::string_view name, const Environment& environment) {
  if (name.empty() || name.find('/') != std::string_view::npos || name.front() == '.') {
    return MakeError(ErrorCode::kConfig, "context '" + std::string(name) + "' is not a plain name");
  }
  const std::string file = std::string(name) + ".conf";
  const std::optional<std::string> xdg = environment.variable("XDG_CONFIG_HOME");
  if (xdg && !xdg->empty()) return JoinPath(JoinPath(*xdg, "mq"), file);
  const std::optional<std::string> home = environment.variable("HOME");
  if (!home || home->empty()) {
    return MakeError(ErrorCode::kConfig, "context '" + std::string(name) + "': HOME is not set");
  }
  return JoinPath(JoinPath(*home, ".config/mq"), file);
}

Status ApplyFile(const std::string& path, Settings& settings, std::vector<Remark>& remarks, bool strict) {
  MQ_ASSIGN(const std::vector<Property> properties, ReadProperties(path));
  return ApplyProperties(properties, path, settings, remarks, strict);
}

Result<Parsed> Parse(const Program& program, const std::vector<std::string>& arguments,
                     const Environment& environment) {
  MQ_ASSIGN(CommandLine line, ReadCommandLine(program, arguments));
  Parsed parsed{.settings = Settings(program, *line.command), .remarks = {}};
  // The arguments are applied twice: first to learn which files to read, last because they win.
  MQ_TRY(ApplyArguments(line, parsed.settings));
  Settings& first = parsed.settings;
  if (first.Given("help") || first.Given("version") || first.Given("emit")) return parsed;

  Settings settings(program, *line.command);
  if (program.daemon) {
    if (first.Has("config")) {
      MQ_TRY(ApplyFile(first.String("config"), settings, parsed.remarks, first.Bool("strict")));
    }
  } else {
    const std::optional<std::string> variable = environment.variable("MQ_CONTEXT");
    const std::string context = first.Has("context") ? first.String("context") : variable.value_or("");
    if (!context.empty()) {
      MQ_ASSIGN(const std::string path, ContextPath(context, environment));
      MQ_TRY(ApplyFile(path, settings, parsed.remarks, false));
    }
  }
  MQ_TRY(ApplyEnvironment(settings, environment));
  MQ_TRY(ApplyArguments(line, settings));
  settings.SetOperands(line.operands);
  if (!settings.Given("print-config")) {
    MQ_TRY(CheckRequired(line, settings));
    MQ_TRY(CheckOperands(line));
  }
  parsed.settings = std::move(settings);
  return parsed;
}

}  // namespace mq::conf
