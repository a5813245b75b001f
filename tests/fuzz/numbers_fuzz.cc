// mq/numbers: any text is refused or is exactly what EncodeNumbers writes of it. A sum is made for half of the inputs,
// or none would ever get behind it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "store/queue_numbers.h"
#include "store/sum_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) text += mq::store::SumLine(text);
  const auto numbers = mq::store::DecodeNumbers(text);
  if (!numbers) return 0;
  if (mq::store::EncodeNumbers(*numbers) != text) __builtin_trap();
  for (const auto& [name, number] : *numbers) {
    if (number.end.value() < 0 || number.known_at.value() < 0 || name.queue_id < 0) __builtin_trap();
  }
  return 0;
}
