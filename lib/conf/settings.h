// The values an executable runs with: one for each row of its tables, with the place each came from.
//
// Made by conf/parse.h from arguments, environment, context or configuration file, and defaults; every value has been
// checked against its row, so the getters cannot fail. A name that has no row is a programmer error and aborts.
// Rows are named by `key` when they have one, else by their long name: settings.Int("listenPort"),
// settings.String("topic"). Plain value type; owned by main and passed by const reference; not tied to a thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "conf/option.h"

namespace mq::conf {

// Where a value came from, weakest first.
enum class Source { kBuiltIn, kFile, kContext, kEnvironment, kOption, kBroker };

// "built-in", "file", "context", "environment", "option", "broker".
std::string_view SourceName(Source source);

class Settings {
 public:
  // All rows of `command` at their defaults. `program` and `command` must outlive the object (they are static).
  Settings(const Program& program, const Command& command);

  // Whether this executable's tables have such a row at all.
  bool HasRow(std::string_view name) const { return values_.find(name) != values_.end(); }
  // True when something other than the default gave the value.
  bool Given(std::string_view name) const;
  // True when there is a value at all (given, or a row with a default).
  bool Has(std::string_view name) const;
  Source SourceOf(std::string_view name) const;
  // What gave it: "broker.conf:12: listenPort", "environment variable MQ_NAMESRV", "--window".
  const std::string& Origin(std::string_view name) const;

  bool Bool(std::string_view name) const;                // kFlag, kBool
  int Count(std::string_view name) const;                // kFlag: how often
  std::int64_t Int(std::string_view name) const;         // kInt, kRate
  std::int64_t Bytes(std::string_view name) const;       // kSize
  std::int64_t DurationMs(std::string_view name) const;  // kDuration
  // The text of any kind; "" without a value.
  const std::string& String(std::string_view name) const;
  // All values of a repeatable row in the order given.
  const std::vector<std::string>& Strings(std::string_view name) const;

  const std::vector<std::string>& operands() const { return operands_; }
  void SetOperands(std::vector<std::string> operands) { operands_ = std::move(operands); }
  // "topic create" of mq-admin; "" elsewhere.
  std::string CommandName() const;
  const Program& program() const { return *program_; }
  const Command& command() const { return *command_; }

  // Checks `text` against the row and stores it; the error names the value, the row and `origin`. A repeatable row
  // collects values of one source; a stronger source replaces those of a weaker one.
  Status Set(const Option& row, std::string_view text, Source source, std::string origin);

  // The rows with a `key` as text, for the settings a broker hands to its helpers (ctl hello).
  std::map<std::string, std::string> ToMap() const;
  // Takes from `map` every key this program has a row for; other keys are meant for others and left alone.
  Status FromMap(const std::map<std::string, std::string>& map, Source source);

 private:
  struct Value {
    const Option* row;
    std::vector<std::string> texts;
    std::int64_t number = 0;  // of the last text: integer, bytes, milliseconds, 0/1
    Source source = Source::kBuiltIn;
    std::string origin;
  };
  const Value& Find(std::string_view name) const;

  const Program* program_;
  const Command* command_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<std::string> operands_;
};

// Checks one value against its row and returns its number (0 for texts). The error says what was expected.
Result<std::int64_t> CheckValue(const Option& row, std::string_view text);

}  // namespace mq::conf
