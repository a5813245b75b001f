// mq/dispatched: any text is refused with one error or is exactly what Encode writes of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/dispatched_marker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto marker = mq::store::DispatchedMarker::Decode(text);
  if (!marker) return 0;
  const auto again = mq::store::DispatchedMarker::Decode(marker->Encode());
  if (!again || again->Encode() != marker->Encode()) __builtin_trap();
  return 0;
}
