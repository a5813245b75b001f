#include "store/dump_row.h"

#include "base/json.h"
#include "base/strings.h"
#include "base/time_text.h"

namespace mq::store {

namespace {

bool IsPlain(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == '"' || byte == '\\' || byte == '=' || byte == 0x7F) return false;
  }
  return IsValidUtf8(text);
}

}  // namespace

DumpRow::~DumpRow() { out_ += json() ? (first_ ? "{}\n" : "}\n") : "\n"; }

void DumpRow::Name(std::string_view name) {
  if (json()) {
    out_ += first_ ? "{\"" : ",\"";
    out_ += name;
    out_ += "\":";
  } else {
    if (!first_) out_ += ' ';
    out_ += name;
    out_ += '=';
  }
  first_ = false;
}

DumpRow& DumpRow::Int(std::string_view name, int64_t value) { return Raw(name, std::to_string(value)); }

DumpRow& DumpRow::Bool(std::string_view name, bool value) { return Raw(name, value ? "true" : "false"); }

DumpRow& DumpRow::Text(std::string_view name, std::string_view value) {
  Name(name);
  if (!json() && IsPlain(value)) {
    out_ += value;
  } else {
    json::AppendQuoted(out_, value);
  }
  return *this;
}

DumpRow& DumpRow::Time(std::string_view name, int64_t ms) { return json() ? Int(name, ms) : Raw(name, FormatTime(ms)); }

DumpRow& DumpRow::Raw(std::string_view name, std::string_view value) {
  Name(name);
  out_ += value;
  return *this;
}

}  // namespace mq::store
