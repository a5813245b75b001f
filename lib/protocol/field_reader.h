// Reads typed values out of a command's ext fields. The first fault is kept and names the field, so
// that a misspelt or missing field never turns into an empty answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "protocol/command.h"

namespace mq::protocol {

class FieldReader {
 public:
  explicit FieldReader(const CommandView& command) : command_(command) {}

  // Required fields: absent (or, in a binary header, empty) is a fault; the value is then empty or 0.
  std::string_view Text(std::string_view key);
  int32_t Int(std::string_view key);
  int64_t Long(std::string_view key);
  // As Java: "true" in any case is true, everything else false.
  bool Bool(std::string_view key);

  // Optional fields: absent gives the default; a value that is no number is a fault.
  std::string_view OptionalText(std::string_view key, std::string_view fallback = {});
  int32_t OptionalInt(std::string_view key, int32_t fallback);
  int64_t OptionalLong(std::string_view key, int64_t fallback);
  bool OptionalBool(std::string_view key, bool fallback);

  bool ok() const { return !fault_.has_value(); }
  // The first fault, or success.
  Status status() const;

 private:
  std::optional<std::string_view> Next(std::string_view key);
  int64_t Number(std::string_view key, std::string_view text, int64_t low, int64_t high);
  void Fail(std::string_view key, std::string_view why);

  const CommandView& command_;
  size_t hint_ = 0;  // fields mostly arrive in the order in which they are asked for
  std::optional<Error> fault_;
};

}  // namespace mq::protocol
