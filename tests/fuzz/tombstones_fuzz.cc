// mq/tombstones: any text is refused or is what Encode writes of it. A sum is made for half of the inputs, or none
// would ever get behind it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "store/sum_line.h"
#include "store/tombstones.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) text += mq::store::SumLine(text);
  const auto tombstones = mq::store::Tombstones::Decode(text);
  if (!tombstones) return 0;
  const auto again = mq::store::Tombstones::Decode(tombstones->Encode());
  if (!again || again->positions() != tombstones->positions()) __builtin_trap();
  for (const auto& [topic, position] : tombstones->positions()) {
    if (position.value() < 0 || tombstones->Of(topic) != position) __builtin_trap();
  }
  return 0;
}
