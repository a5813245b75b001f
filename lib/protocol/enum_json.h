// Enumerations in JSON bodies: RocketMQ's own peers write the name, C++ and Go clients the ordinal. Internal to the
// body readers of this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/json.h"

namespace mq::protocol {

// A name out of `names` (whose order is the ordinals'), or an ordinal, also a quoted one; `otherwise` when the member
// is absent or says something this code does not know.
template <class Enum>
Enum ReadEnum(const json::Value& object, std::string_view key, std::span<const std::string_view> names,
              Enum otherwise) {
  const json::Value* value = object.Find(key);
  if (value == nullptr || value->is_null()) return otherwise;
  if (value->is_string()) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == value->text()) return static_cast<Enum>(i);
    }
  }
  const int64_t ordinal = value->AsInt(-1);
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= names.size()) return otherwise;
  return static_cast<Enum>(ordinal);
}

}  // namespace mq::protocol
