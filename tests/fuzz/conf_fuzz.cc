// Configuration files: any text gives properties or one error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "conf/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mq::conf::ParseProperties(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.conf")
      .Ignore("any answer will do");
  return 0;
}
