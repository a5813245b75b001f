// java.lang.String.hashCode over UTF-8 input: h = 31*h + unit over UTF-16 code units, wrapping at 32 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace mq {

// Bytes that are not UTF-8 count as U+FFFD each, as Java's decoder makes of them.
// `before`: the hash of what stands in front, so that hash(a + b) is JavaHash(b, JavaHash(a)).
int32_t JavaHash(std::string_view utf8, uint32_t before = 0);

}  // namespace mq
