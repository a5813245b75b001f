#include "store/sum_line.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/crc32.h"
#include "base/strings.h"

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

bool ReadFields(std::string_view line, std::string_view word, std::initializer_list<int64_t*> numbers,
                std::string_view* rest) {
  if (!line.starts_with(word)) return false;
  line.remove_prefix(word.size());
  for (int64_t* number : numbers) {
    if (!line.starts_with(' ')) return false;
    line.remove_prefix(1);
    const size_t end = std::min(line.find(' '), line.size());
    auto value = ParseInt64(line.substr(0, end));
    if (!value) return false;
    *number = *value;
    line.remove_prefix(end);
  }
  if (rest == nullptr) return line.empty();
  if (line.size() < 2 || line[0] != ' ') return false;
  *rest = line.substr(1);
  return true;
}

}  // namespace mq::store
