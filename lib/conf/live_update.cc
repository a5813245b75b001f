#include "conf/live_update.h"

#include <algorithm>

#include "base/file.h"
#include "base/strings.h"
#include "conf/properties.h"

namespace mq::conf {
namespace {

std::string PropertyText(const Option& row, const Settings& settings) {
  const std::string_view name = SettingName(row);
  if (!settings.Has(name)) return {};
  switch (row.kind) {
    case Kind::kBool:
      return settings.Bool(name) ? "true" : "false";
    case Kind::kSize:
      return std::to_string(settings.Bytes(name));
    case Kind::kDuration:
      return row.unit == "ms" ? std::to_string(settings.DurationMs(name)) : settings.String(name);
    default:
      return settings.String(name);
  }
}

const Option* FindRow(const Settings& settings, std::string_view key) {
  for (const Option* row : RowsOf(settings.program(), settings.command())) {
    if (!row->key.empty() && row->key == key) return row;
  }
  return nullptr;
}

Error UnknownKey(const Settings& settings, const std::string& key) {
  std::vector<std::string> live;
  for (const Option* row : RowsOf(settings.program(), settings.command())) {
    if (!row->key.empty() && row->apply == Apply::kLive) live.emplace_back(row->key);
  }
  const std::string near = NearestMatch(key, live);
  std::string text = "'" + key + "' is not a setting that can be changed here";
  if (!near.empty()) text += "; " + DidYouMean(near);
  return MakeError(ErrorCode::kPermission, std::move(text));
}

// The value as RocketMQ writes it, and checked.
Result<std::string> Normalized(const Settings& settings, const Option& row, const std::string& text) {
  Settings trial(settings.program(), settings.command());
  MQ_TRY(trial.Set(row, text, Source::kFile, std::string(row.key)));
  return PropertyText(row, trial);
}

// First byte after the logical line that begins at `begin`: a line ending in an odd number of backslashes goes on.
size_t EndOfLogicalLine(std::string_view text, size_t begin) {
  size_t at = begin;
  while (at < text.size()) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    size_t slashes = 0;
    while (slashes < line.size() && line[line.size() - 1 - slashes] == '\\') ++slashes;
    const std::string_view blankless = Trim(line);
    const bool comment = at == begin && !blankless.empty() && (blankless[0] == '#' || blankless[0] == '!');
    at = std::min(end + 1, text.size());
    if (comment || slashes % 2 == 0) break;
  }
  return at;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> SettingsAsProperties(
    const Settings& settings, const std::map<std::string, std::string>& worked_out) {
  std::map<std::string, std::string> all;
  for (const Option* row : RowsOf(settings.program(), settings.command())) {
    if (row->key.empty()) continue;
    const auto found = worked_out.find(std::string(row->key));
    std::string text = found != worked_out.end() ? found->second : PropertyText(*row, settings);
    if (!text.empty()) all.emplace(row->key, std::move(text));
  }
  return {all.begin(), all.end()};
}

Result<std::vector<LiveChange>> PlanLiveUpdate(const Settings& settings, std::string_view text,
                                               const std::map<std::string, std::string>& worked_out) {
  MQ_ASSIGN(const std::vector<Property> properties, ParseProperties(text, "the request"));
  if (properties.empty()) return MakeError(ErrorCode::kConfig, "the request names no setting");
  std::vector<LiveChange> changes;
  for (const Property& property : properties) {
    const Option* row = FindRow(settings, property.key);
    if (row == nullptr) return UnknownKey(settings, property.key);
    const auto found = worked_out.find(property.key);
    const std::string current = found != worked_out.end() ? found->second : PropertyText(*row, settings);
    // Tools send a whole configuration back with one value changed: what stays as it is needs no permission.
    if (property.value == current) continue;
    if (row->apply != Apply::kLive) {
      const bool reload = row->apply == Apply::kReload;
      return MakeError(ErrorCode::kPermission,
                       property.key + (reload ? " is not changed by request" : " needs a restart") +
                           ": set it in the configuration file of " + std::string(settings.program().name) +
                           (reload ? " and send SIGHUP" : " and start it again"));
    }
    MQ_ASSIGN(std::string value, Normalized(settings, *row, property.value));
    std::erase_if(changes, [&](const LiveChange& change) { return change.row == row; });
    if (value != current) changes.push_back({row, current, std::move(value)});
  }
  return changes;
}

Status ApplyLiveUpdate(Settings& settings, const std::vector<LiveChange>& changes, const std::string& origin) {
  for (const LiveChange& change : changes) {
    const Source source = std::max(settings.SourceOf(change.row->key), Source::kFile);
    MQ_TRY(settings.Set(*change.row, change.new_value, source, origin));
  }
  return Ok();
}

Status SaveLiveUpdate(const std::string& path, const std::vector<LiveChange>& changes) {
  auto old = ReadFile(path);
  if (!old && old.error().code != ErrorCode::kNotFound) return std::move(old).error();
  if (!old) MQ_TRY(MakeDirectories(DirectoryOf(path)));
  const std::string before = old ? *old : std::string();
  std::string text;
  for (size_t at = 0; at < before.size();) {
    const size_t end = EndOfLogicalLine(before, at);
    const std::string_view line = std::string_view(before).substr(at, end - at);
    const auto parsed = ParseProperties(line, path);
    const bool replaced = parsed && !parsed->empty() &&
                          std::any_of(changes.begin(), changes.end(),
                                      [&](const LiveChange& change) { return change.row->key == parsed->front().key; });
    if (!replaced) text += line;
    at = end;
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  std::vector<std::pair<std::string, std::string>> lines;
  for (const LiveChange& change : changes) lines.emplace_back(change.row->key, change.new_value);
  text += FormatProperties(lines);
  return WriteFileAtomically(path, text, old.has_value());
}

Result<std::vector<LiveChange>> ChangeLive(Settings& settings, std::string_view text,
                                           const std::map<std::string, std::string>& worked_out,
                                           const std::string& path, const std::string& origin,
                                           const std::function<Status(const Settings&)>& check) {
  MQ_ASSIGN(std::vector<LiveChange> changes, PlanLiveUpdate(settings, text, worked_out));
  if (changes.empty()) return changes;
  Settings changed = settings;
  MQ_TRY(ApplyLiveUpdate(changed, changes, origin));
  if (check) MQ_TRY(check(changed));
  if (!path.empty()) MQ_TRY(SaveLiveUpdate(path, changes));
  settings = std::move(changed);
  return changes;
}

}  // namespace mq::conf
