#include "admin/table.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "base/json.h"
#include "base/strings.h"
#include "base/time_text.h"
#include "loop/loop.h"

namespace mq::admin {
namespace {

// A value must not break the line or the columns it stands in.
std::string OneLine(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return out;
}

std::optional<size_t> IndexOf(std::span<const conf::Column> columns, std::string_view name) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  return std::nullopt;
}

Error NoSuchColumn(std::span<const conf::Column> columns, const std::string& name) {
  std::vector<std::string> names;
  for (const conf::Column& column : columns) names.emplace_back(column.name);
  Error error =
      MakeError(ErrorCode::kConfig, "no column is named '" + name + "'; there are " + JoinStrings(names, ", "));
  error.hint = DidYouMean(NearestMatch(name, names));
  return error;
}

std::string SortColumn(const TableStyle& style) { return style.sort.substr(style.sort.starts_with("-") ? 1 : 0); }

}  // namespace

Cell Cell::Number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  Cell cell(text);
  cell.kind = Kind::kNumber;
  return cell;
}

Cell Cell::Unknown() {
  Cell cell("-");
  cell.kind = Kind::kUnknown;
  return cell;
}

Cell Cell::Time(int64_t ms) { return ms > 0 ? Cell(FormatTime(ms)) : Unknown(); }

Status CheckStyle(const TableStyle& style, std::span<const conf::Column> columns) {
  for (const std::string& name : style.columns) {
    if (!IndexOf(columns, name)) return NoSuchColumn(columns, name);
  }
  if (!style.sort.empty() && !IndexOf(columns, SortColumn(style))) return NoSuchColumn(columns, SortColumn(style));
  return Ok();
}

void Table::Add(std::vector<Cell> row) {
  MQ_CHECK(row.size() == columns_.size(), "a row that is not of this table");
  rows_.push_back(std::move(row));
}

Result<std::string> Table::Format(const TableStyle& style) const {
  MQ_TRY(CheckStyle(style, columns_));
  std::vector<size_t> chosen;
  for (const std::string& name : style.columns) chosen.push_back(*IndexOf(columns_, name));
  if (chosen.empty()) {
    chosen.resize(columns_.size());
    std::iota(chosen.begin(), chosen.end(), size_t{0});
  }
  std::vector<size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (!style.sort.empty()) order = Order(*IndexOf(columns_, SortColumn(style)), style.sort.starts_with("-"));
  return style.json ? FormatJson(chosen, order) : FormatText(style, chosen, order);
}

// Rows whose value is not known come last either way.
std::vector<size_t> Table::Order(size_t column, bool reverse) const {
  const auto number = [&](size_t row) { return ParseDouble(rows_[row][column].text).value_or(0); };
  const bool numeric = columns_[column].type == conf::Column::Type::kNumber;
  const auto less = [&](size_t a, size_t b) {
    if (numeric) return number(a) < number(b);
    return rows_[a][column].text < rows_[b][column].text;
  };
  const auto known = [&](size_t row) { return rows_[row][column].kind != Cell::Kind::kUnknown; };
  std::vector<size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (known(a) != known(b)) return known(a);
    if (!known(a)) return false;
    return reverse ? less(b, a) : less(a, b);
  });
  return order;
}

std::string Table::FormatJson(const std::vector<size_t>& chosen, const std::vector<size_t>& order) const {
  std::string out;
  for (const size_t row : order) {
    json::Writer writer;
    writer.BeginObject();
    for (const size_t i : chosen) {
      const Cell& cell = rows_[row][i];
      writer.Key(columns_[i].name);
      if (cell.kind == Cell::Kind::kText) {
        writer.String(cell.text);
      } else if (cell.kind == Cell::Kind::kUnknown) {
        writer.Null();
      } else {
        writer.Raw(cell.text);
      }
    }
    out += writer.EndObject().Take();
    out += '\n';
  }
  return out;
}

std::string Table::FormatText(const TableStyle& style, const std::vector<size_t>& chosen,
                              const std::vector<size_t>& order) const {
  std::vector<std::vector<std::string>> lines;
  if (style.terminal || style.header) {
    lines.emplace_back();
    for (const size_t i : chosen) lines.back().emplace_back(columns_[i].name);
  }
  for (const size_t row : order) {
    lines.emplace_back();
    for (const size_t i : chosen) lines.back().push_back(OneLine(rows_[row][i].text));
  }
  std::vector<size_t> widths(chosen.size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], Utf16Length(line[i]));
  }
  std::string out;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 == line.size()) break;
      if (style.terminal) {
        out.append(widths[i] - Utf16Length(line[i]) + 2, ' ');
      } else {
        out += '\t';
      }
    }
    out += '\n';
  }
  return out;
}

Status Table::Print(const TableStyle& style) const {
  MQ_ASSIGN(const std::string text, Format(style));
  return PrintOut(text);
}

Status PrintOut(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // The loop ignores SIGPIPE for its sockets; standard output keeps the signal's meaning, so that `| head` ends
  // quietly.
  if (!written && errno == EPIPE) loop::DieOfSigpipe();
  if (!written) return ErrnoError(ErrorCode::kIo, "cannot write to standard output");
  return Ok();
}

}  // namespace mq::admin
