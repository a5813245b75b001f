// The one way in which mq-admin prints: aligned columns with a heading on a terminal, names never cut; tab-separated
// lines without one in a pipe (--header forces it); one JSON object a line with --json. Which columns there are is said
// by the option table (conf::Column), so that output, page and completions cannot differ; --columns and --sort choose
// among them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conf/option.h"

namespace mq::admin {

struct TableStyle {
  bool terminal = false;
  bool header = false;
  bool json = false;
  std::vector<std::string> columns = {};  // empty: all
  std::string sort = {};                  // a column, "-" in front for the other way round; empty: as they came
};

struct Cell {
  enum class Kind { kText, kNumber, kBool, kUnknown } kind = Kind::kText;
  std::string text;
  Cell(std::string_view value) : text(value) {}                              // NOLINT: implicit by design
  Cell(const std::string& value) : text(value) {}                            // NOLINT
  Cell(const char* value) : text(value) {}                                   // NOLINT
  Cell(int64_t value) : kind(Kind::kNumber), text(std::to_string(value)) {}  // NOLINT
  Cell(int32_t value) : Cell(static_cast<int64_t>(value)) {}                 // NOLINT
  Cell(bool value) : kind(Kind::kBool), text(value ? "true" : "false") {}    // NOLINT
  static Cell Number(double value, int decimals);
  // "-" in text, null in JSON.
  static Cell Unknown();
  // A time in milliseconds since 1970 as RFC 3339 text; unknown when it is 0 or less.
  static Cell Time(int64_t ms);
};

class Table {
 public:
  explicit Table(std::span<const conf::Column> columns) : columns_(columns.begin(), columns.end()) {}
  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }

  // kConfig when the style names a column that is not there.
  Result<std::string> Format(const TableStyle& style) const;
  // To stdout; an error when it cannot be written.
  Status Print(const TableStyle& style) const;

 private:
  std::string FormatJson(const std::vector<size_t>& chosen, const std::vector<size_t>& order) const;
  std::string FormatText(const TableStyle& style, const std::vector<size_t>& chosen,
                         const std::vector<size_t>& order) const;
  std::vector<size_t> Order(size_t column, bool reverse) const;

  std::vector<conf::Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// --columns and --sort as they were typed; kConfig, naming the columns there are, when one is not among `columns`.
Status CheckStyle(const TableStyle& style, std::span<const conf::Column> columns);

// Writes text to stdout as a whole; a reader that is gone ends the process as SIGPIPE would.
Status PrintOut(std::string_view text);

}  // namespace mq::admin
