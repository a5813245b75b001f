#include "base/java_hash.h"

#include "base/strings.h"

namespace mq {

int32_t JavaHash(std::string_view utf8, uint32_t before) {
  uint32_t h = before;
  size_t i = 0;
  while (i < utf8.size()) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if (c < 0x80) {
      h = 31 * h + c;
      ++i;
      continue;
    }
    uint32_t point = 0xFFFD;
    const size_t length = Utf8Sequence(utf8.substr(i), &point);
    i += length == 0 ? 1 : length;
    if (length == 0) point = 0xFFFD;
    if (point >= 0x10000) {
      h = 31 * h + (0xD800 + ((point - 0x10000) >> 10));
      h = 31 * h + (0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      h = 31 * h + point;
    }
  }
  return static_cast<int32_t>(h);
}

}  // namespace mq
