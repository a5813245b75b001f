// The strict, allocation-free reader of a JSON command header. Internal to command.cc; the fuzzer and the
// benches reach it through DecodeCommand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"

namespace mq::protocol {

// The other header codec.
Status DecodeBinaryHeader(std::string_view header, CommandView& out);

class HeaderParser {
 public:
  HeaderParser(std::string_view header, CommandView& out)
      : at_(header.data()), begin_(at_), end_(at_ + header.size()), out_(out) {}

  // Fills `out` from the header. Errors name what is wrong and at which byte of the header.
  Status Parse();

 private:
  bool ParseMember();
  bool ParseExtFields();
  bool ParseExtField();
  bool ParseString(std::string_view* text);
  bool ParseEscapes(std::string_view* text, const char* start);
  bool ParseUnicodeEscape();
  bool ParseInt(std::string_view name, int32_t* value);
  bool SkipValue(int depth);
  bool SkipContainer(char close, bool keyed, int depth);
  bool SkipScalar();
  bool NextMember(bool* more);
  void SkipBlanks();
  bool Consume(char c);
  bool Fail(std::string_view what);

  const char* at_;
  const char* begin_;
  const char* end_;
  CommandView& out_;
  uint32_t seen_ = 0;  // bit per known top-level field
  std::string fault_;
};

}  // namespace mq::protocol
