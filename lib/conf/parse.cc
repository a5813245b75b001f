#include "conf/parse.h"

#include <algorithm>
#include <cstdlib>
#include <map>
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

constexpr size_t kMaxRemarks = 100;  // of one file; more are counted

// The reading of one file. What every line needs is looked up once: a file may have a hundred thousand lines.
class FileReader {
 public:
  FileReader(const std::string& path, Settings& settings, std::vector<Remark>& remarks, bool strict)
      : path_(path),
        settings_(settings),
        remarks_(remarks),
        strict_(strict),
        daemon_(settings.program().daemon),
        rows_(RowsOf(settings.program(), settings.command())) {
    for (const Option* row : rows_) {
      if (daemon_ ? !row->key.empty() : !row->meta) by_key_.emplace(KeyOf(*row), row);
    }
    // One file may serve several executables.
    for (const Program* program : AllPrograms()) {
      if (program->daemon != daemon_) continue;
      for (const Option* row : AllRowsOf(*program)) {
        if (daemon_ || !row->meta) elsewhere_.insert(KeyOf(*row));
      }
    }
  }

  Status Apply(const std::vector<Property>& properties) {
    for (const Property& property : properties) MQ_TRY(ApplyOne(property));
    if (unsaid_ > 0) {
      remarks_.push_back({Remark::Level::kWarning, path_ + ": " + std::to_string(unsaid_) + " more such lines"});
    }
    return Ok();
  }

 private:
  std::string KeyOf(const Option& row) const { return daemon_ ? std::string(row.key) : LongName(row); }

  void Say(Remark::Level level, std::string text) {
    if (said_ == kMaxRemarks) {
      ++unsaid_;
      return;
    }
    ++said_;
    remarks_.push_back({level, std::move(text)});
  }

  Status Warn(std::string text) {
    if (strict_) return MakeError(ErrorCode::kConfig, std::move(text));
    Say(Remark::Level::kWarning, std::move(text));
    return Ok();
  }

  Status ApplyOne(const Property& property) {
    const std::string where = path_ + ":" + std::to_string(property.line) + ": ";
    const std::string& key = property.key;
    if (const auto row = by_key_.find(key); row != by_key_.end()) {
      const bool again = !seen_.insert(key).second;
      if (again && !row->second->repeatable) {
        MQ_TRY(Warn(where + "key '" + key + "' was set before; the last value counts"));
      }
      return settings_.Set(*row->second, property.value, daemon_ ? Source::kFile : Source::kContext, where + key);
    }
    if (elsewhere_.contains(key)) return Ok();
    if (daemon_ && IsForeignBrokerKey(key)) {
      Say(Remark::Level::kInfo, where + "key '" + key + "' is about the JVM and is ignored");
      return Ok();
    }
    if (daemon_ && IsUnsupportedBrokerKey(key)) {
      Say(Remark::Level::kWarning, where + "key '" + key + "' is not supported and has no effect");
      return Ok();
    }
    if (said_ == kMaxRemarks && !strict_ && daemon_) {
      ++unsaid_;
      return Ok();
    }
    const std::string hint = DidYouMean(NearestMatch(key, Names()));
    // A context holds names of options, and an unknown option is an error wherever it stands.
    if (!daemon_) return MakeError(ErrorCode::kConfig, where + "unknown option '" + key + "'").WithHint(hint);
    return Warn(where + "unknown key '" + key + "' has no effect" + (hint.empty() ? "" : "; " + hint));
  }

  // Contexts serve all tools, so the names of all of them count; a daemon's file is its own.
  const std::vector<std::string>& Names() {
    if (!names_.empty()) return names_;
    for (const Option* row : rows_) {
      if (daemon_ && !row->key.empty()) names_.emplace_back(row->key);
    }
    for (const Program* program : AllPrograms()) {
      if (daemon_ || program->daemon) continue;
      for (const Option* row : AllRowsOf(*program)) {
        if (!row->meta) names_.push_back(LongName(*row));
      }
    }
    if (daemon_) names_.insert(names_.end(), UnsupportedBrokerKeys().begin(), UnsupportedBrokerKeys().end());
    return names_;
  }

  const std::string& path_;
  Settings& settings_;
  std::vector<Remark>& remarks_;
  bool strict_;
  bool daemon_;
  std::vector<const Option*> rows_;
  std::map<std::string, const Option*, std::less<>> by_key_;
  std::set<std::string, std::less<>> elsewhere_;
  std::set<std::string, std::less<>> seen_;
  std::vector<std::string> names_;  // near which an unknown key may be
  size_t said_ = 0;
  size_t unsaid_ = 0;
};

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
  if (!program.daemon || row.key.empty()) return names;
  // First: who knows it means this program.
  std::string own = "MQ_" + UpperSnake(LongName(row));
  if (std::find(names.begin(), names.end(), own) == names.end()) names.insert(names.begin(), std::move(own));
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
  return FileReader(path, settings, remarks, strict).Apply(properties);
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
