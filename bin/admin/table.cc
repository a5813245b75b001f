#include "admin/table.h"

#include <algorithm>
#include <cstdio>

#include "base/json.h"
#include "base/strings.h"

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

}  // namespace

Cell Cell::Number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  Cell cell(text);
  cell.kind = Kind::kNumber;
  return cell;
}

std::string Table::Format(const TableStyle& style) const { return style.json ? FormatJson() : FormatText(style); }

std::string Table::FormatJson() const {
  std::string out;
  for (const auto& row : rows_) {
    json::Writer writer;
    writer.BeginObject();
    for (size_t i = 0; i < row.size(); ++i) {
      writer.Key(columns_[i]);
      if (row[i].kind == Cell::Kind::kText) {
        writer.String(row[i].text);
      } else {
        writer.Raw(row[i].text);
      }
    }
    out += writer.EndObject().Take();
    out += '\n';
  }
  return out;
}

std::string Table::FormatText(const TableStyle& style) const {
  std::vector<std::vector<std::string>> lines;
  if (style.terminal || style.header) lines.push_back(columns_);
  for (const auto& row : rows_) {
    lines.emplace_back();
    for (const Cell& cell : row) lines.back().push_back(OneLine(cell.text));
  }
  std::vector<size_t> widths(columns_.size(), 0);
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

Status Table::Print(const TableStyle& style) const { return PrintOut(Format(style)); }

Status PrintOut(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) return ErrnoError(ErrorCode::kIo, "cannot write to standard output");
  return Ok();
}

}  // namespace mq::admin
