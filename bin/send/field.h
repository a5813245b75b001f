// Picks a value out of a message body: the N-th field, or a place in a JSON body. For --key-field, --key-json,
// --shard-field and --shard-json of mq-send.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace mq::send {

// Field `number` (from 1) of a body cut at `separator`; an error when the body has fewer.
Result<std::string_view> FieldOf(std::string_view body, std::size_t number, std::string_view separator);

// A place in a JSON value: .name, .name.name, [0], .name[0]; "." is the value itself.
class JsonPath {
 public:
  static Result<JsonPath> Parse(std::string_view text);
  // The string, number or boolean there as text; anything else, or a body that is no JSON, is an error.
  Result<std::string> ValueIn(std::string_view body) const;

 private:
  struct Step {
    std::string name;  // of a member; empty: an index
    std::size_t index = 0;
    bool is_index = false;
  };
  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace mq::send
