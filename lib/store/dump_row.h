// One line of mq-storedump that is not a message of a pipe: named fields, as text (name=value ...) or as a JSON object.
// Names and their order are part of the contract: scripts read them. Appends to the caller's buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mq::store {

enum class RowStyle { kText, kJson };

class DumpRow {
 public:
  DumpRow(std::string& out, RowStyle style) : out_(out), style_(style) {}
  ~DumpRow();
  DumpRow(const DumpRow&) = delete;
  DumpRow& operator=(const DumpRow&) = delete;

  bool json() const { return style_ == RowStyle::kJson; }
  DumpRow& Int(std::string_view name, int64_t value);
  DumpRow& Bool(std::string_view name, bool value);
  DumpRow& Text(std::string_view name, std::string_view value);
  // Milliseconds: a number in JSON, a time in text.
  DumpRow& Time(std::string_view name, int64_t ms);
  // Text that is right for both styles already.
  DumpRow& Raw(std::string_view name, std::string_view value);

 private:
  void Name(std::string_view name);

  std::string& out_;
  RowStyle style_;
  bool first_ = true;
};

}  // namespace mq::store
