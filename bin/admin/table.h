// The one way in which mq-admin prints: aligned columns with a heading on a terminal; tab-separated lines without one
// in a pipe (--header forces it); one JSON object a line with --json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mq::admin {

struct TableStyle {
  bool terminal = false;
  bool header = false;
  bool json = false;
};

struct Cell {
  enum class Kind { kText, kNumber, kBool } kind = Kind::kText;
  std::string text;
  Cell(std::string_view value) : text(value) {}                              // NOLINT: implicit by design
  Cell(const std::string& value) : text(value) {}                            // NOLINT
  Cell(const char* value) : text(value) {}                                   // NOLINT
  Cell(int64_t value) : kind(Kind::kNumber), text(std::to_string(value)) {}  // NOLINT
  Cell(int32_t value) : Cell(static_cast<int64_t>(value)) {}                 // NOLINT
  Cell(bool value) : kind(Kind::kBool), text(value ? "true" : "false") {}    // NOLINT
  static Cell Number(double value, int decimals);
  static Cell Unknown() { return Cell("-"); }
};

class Table {
 public:
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void Add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  std::string Format(const TableStyle& style) const;
  // To stdout; an error when it cannot be written.
  Status Print(const TableStyle& style) const;

 private:
  std::string FormatJson() const;
  std::string FormatText(const TableStyle& style) const;

  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Writes text to stdout as a whole.
Status PrintOut(std::string_view text);

}  // namespace mq::admin
