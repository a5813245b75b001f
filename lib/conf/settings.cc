#include "conf/settings.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"

namespace mq::conf {
namespace {

const std::string kEmpty;

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::int64_t> InRange(const Option& row, std::int64_t value, std::string_view text) {
  if (value >= row.min && value <= row.max) return value;
  const std::string shown = "'" + std::string(text) + "'";
  const std::string unit = row.kind == Kind::kSize ? " bytes" : row.kind == Kind::kDuration ? " ms" : "";
  if (row.min == kNoMin) {
    return MakeError(ErrorCode::kConfig, shown + " is above " + std::to_string(row.max) + unit);
  }
  if (row.max == kNoMax) {
    return MakeError(ErrorCode::kConfig, shown + " is below " + std::to_string(row.min) + unit);
  }
  if (row.min == row.max) return MakeError(ErrorCode::kConfig, shown + " must be " + std::to_string(row.min) + unit);
  return MakeError(ErrorCode::kConfig,
                   shown + " is not between " + std::to_string(row.min) + " and " + std::to_string(row.max) + unit);
}

Result<std::int64_t> CheckChoice(const Option& row, std::string_view text) {
  const std::vector<std::string_view> choices = Split(row.choices, '|');
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return 0;
  std::vector<std::string> names(choices.begin(), choices.end());
  Error error = MakeError(ErrorCode::kConfig, "'" + std::string(text) + "' is not one of " + JoinStrings(names, ", "));
  error.hint = DidYouMean(NearestMatch(text, names));
  return error;
}

Error NotA(std::string_view text, std::string_view what) {
  return MakeError(ErrorCode::kConfig, "'" + std::string(text) + "' is not " + std::string(what));
}

}  // namespace

std::string_view SourceName(Source source) {
  switch (source) {
    case Source::kBuiltIn:
      return "built-in";
    case Source::kFile:
      return "file";
    case Source::kContext:
      return "context";
    case Source::kEnvironment:
      return "environment";
    case Source::kOption:
      return "option";
    case Source::kBroker:
      return "broker";
  }
  return "";
}

Result<std::int64_t> CheckValue(const Option& row, std::string_view text) {
  switch (row.kind) {
    case Kind::kFlag:
    case Kind::kBool: {
      const Result<bool> value = ParseBool(text);
      if (!value) return NotA(text, "true or false");
      return *value ? 1 : 0;
    }
    case Kind::kInt: {
      const Result<std::int64_t> value = ParseInt64(text);
      if (!value) return NotA(text, "a whole number");
      return InRange(row, *value, text);
    }
    case Kind::kSize: {
      const Result<std::int64_t> value = ParseSize(text);
      if (!value) return NotA(text, "a size such as 65536, 64K or 1M");
      return InRange(row, *value, text);
    }
    case Kind::kDuration: {
      const bool bare = row.unit == "ms" && IsDigits(text);
      const Result<std::int64_t> value = bare ? ParseInt64(text) : ParseDurationMs(text);
      if (!value) return NotA(text, "a duration such as 250ms, 3s or 2h");
      return InRange(row, *value, text);
    }
    case Kind::kRate: {
      const std::string_view digits = text.ends_with("/s") ? text.substr(0, text.size() - 2) : text;
      const Result<std::int64_t> value = ParseInt64(digits);
      if (!value) return NotA(text, "a rate such as 500/s");
      return InRange(row, *value, text);
    }
    case Kind::kEnum:
      return CheckChoice(row, text);
    case Kind::kOptValue:
      return row.choices.empty() ? Result<std::int64_t>(0) : CheckChoice(row, text);
    case Kind::kString:
      return 0;
    case Kind::kPath:
    case Kind::kDirectory:
      if (text.empty()) return MakeError(ErrorCode::kConfig, "an empty file name");
      return 0;
  }
  return 0;
}

Settings::Settings(const Program& program, const Command& command) : program_(&program), command_(&command) {
  for (const Option* row : RowsOf(program, command)) {
    Value value{.row = row, .texts = {}, .number = 0, .source = Source::kBuiltIn, .origin = {}};
    if (!row->default_value.empty()) {
      const Result<std::int64_t> number = CheckValue(*row, row->default_value);
      MQ_CHECK(number.has_value(), "a default value its own row refuses");
      value.texts.emplace_back(row->default_value);
      value.number = *number;
    }
    values_.emplace(SettingName(*row), std::move(value));
  }
}

const Settings::Value& Settings::Find(std::string_view name) const {
  const auto it = values_.find(name);
  MQ_CHECK(it != values_.end(), "no option of that name in the table");
  return it->second;
}

bool Settings::Given(std::string_view name) const { return Find(name).source != Source::kBuiltIn; }
bool Settings::Has(std::string_view name) const { return !Find(name).texts.empty(); }
Source Settings::SourceOf(std::string_view name) const { return Find(name).source; }
const std::string& Settings::Origin(std::string_view name) const { return Find(name).origin; }

bool Settings::Bool(std::string_view name) const { return Find(name).number != 0; }

int Settings::Count(std::string_view name) const {
  const Value& value = Find(name);
  return value.number == 0 ? 0 : static_cast<int>(value.texts.size());
}

std::int64_t Settings::Int(std::string_view name) const { return Find(name).number; }
std::int64_t Settings::Bytes(std::string_view name) const { return Find(name).number; }
std::int64_t Settings::DurationMs(std::string_view name) const { return Find(name).number; }

const std::string& Settings::String(std::string_view name) const {
  const Value& value = Find(name);
  return value.texts.empty() ? kEmpty : value.texts.back();
}

const std::vector<std::string>& Settings::Strings(std::string_view name) const { return Find(name).texts; }

std::string Settings::CommandName() const {
  std::string name(command_->noun);
  if (!command_->verb.empty()) name += " " + std::string(command_->verb);
  return name;
}

Status Settings::Set(const Option& row, std::string_view text, Source source, std::string origin) {
  const auto it = values_.find(SettingName(row));
  MQ_CHECK(it != values_.end(), "a value for a row of another table");
  Value& value = it->second;
  Result<std::int64_t> number = CheckValue(row, text);
  if (!number) return std::move(number).WithContext(origin).error();
  const bool adds = (row.repeatable || row.kind == Kind::kFlag) && value.source == source;
  if (!adds) value.texts.clear();
  value.texts.emplace_back(text);
  value.number = *number;
  value.source = source;
  value.origin = std::move(origin);
  return Ok();
}

std::map<std::string, std::string> Settings::ToMap() const {
  std::map<std::string, std::string> map;
  for (const auto& [name, value] : values_) {
    if (!value.row->key.empty() && !value.texts.empty()) map.emplace(name, value.texts.back());
  }
  return map;
}

Status Settings::FromMap(const std::map<std::string, std::string>& map, Source source) {
  for (const auto& [key, text] : map) {
    const auto it = values_.find(key);
    if (it == values_.end() || it->second.row->key.empty()) continue;
    MQ_TRY(Set(*it->second.row, text, source, key));
  }
  return Ok();
}

}  // namespace mq::conf
