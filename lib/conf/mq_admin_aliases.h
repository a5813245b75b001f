// RocketMQ's own command names for mq-admin ("updateTopic -n ... -t ... -c ..."): one table says what each is here, and
// one function turns what was typed into it. Names, letters and long options are those of RocketMQ 4.9.8.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conf/option.h"

namespace mq::conf {

// What becomes of the value of an option of RocketMQ's.
enum class Turn {
  kAsIs,
  kPerm,       // 2, 4, 6 -> w, r, rw
  kTime,       // "now", milliseconds, yyyy-MM-dd#HH:mm:ss:SSS in local time -> @MILLISECONDS
  kSeconds,    // 5 -> 5s
  kIfTrue,     // true: the option is given; false: it is not
  kOnlyTrue,   // any other value is refused, because what it asks for does not exist here
  kOnlyFalse,  // the same for false
  kKey,        // with kValue: the operand KEY=VALUE
  kValue,
  kRefused,  // what it asks for does not exist here
  kNothing,  // it asks for what is done anyway
};

struct AliasOption {
  char letter = 0;
  std::string_view name = {};
  // "--cluster" (an option), "1" (an operand, by its place), "" (see `turn`).
  std::string_view to = {};
  Turn turn = Turn::kAsIs;
  bool takes_value = true;
};

struct Alias {
  std::string_view name;
  std::string_view to = {};      // "topic create"; for another program its options that are always given
  std::string_view always = {};  // options that are always given: RocketMQ's commands never ask
  std::span<const AliasOption> options = {};
  std::string_view missing = {};  // what does not exist yet; then there is nothing else
  std::string_view program = "mq-admin";
};

// All of them, in RocketMQ's order.
std::span<const Alias> Aliases();

// The value of an option in the form of this toolkit.
Result<std::string> TurnValue(Turn turn, std::string_view value);

// Program::translate of mq-admin. Errors are usage errors and name the command and the option.
Result<Translation> TranslateAlias(const Program& program, const std::vector<std::string>& arguments);

}  // namespace mq::conf
