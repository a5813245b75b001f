#include "store/sum_line.h"

#include <cinttypes>
#include <cstdio>

#include "base/crc32.h"

namespace mq::store {

std::string SumLine(std::string_view text) {
  char line[32];
  std::snprintf(line, sizeof line, "sum %08" PRIx32 "\n", Crc32(text));
  return line;
}

std::optional<std::string_view> AboveSumLine(std::string_view text) {
  const size_t at = text.rfind("sum ");
  if (at == std::string_view::npos || text.substr(at) != SumLine(text.substr(0, at))) return std::nullopt;
  return text.substr(0, at);
}

}  // namespace mq::store
