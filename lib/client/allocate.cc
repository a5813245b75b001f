#include "client/allocate.h"

#include <algorithm>

namespace mq::client {

bool JavaLess(std::string_view a, std::string_view b) {
  const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at_a == a.end() || at_b == b.end()) return at_a == a.end() && at_b != b.end();
  const auto x = static_cast<unsigned char>(*at_a);
  const auto y = static_cast<unsigned char>(*at_b);
  // Lead bytes from 0xF0 on become surrogates (0xD800..), which sort before U+E000..U+FFFF (lead bytes 0xEE, 0xEF).
  const bool surrogate_a = x >= 0xF0;
  const bool surrogate_b = y >= 0xF0;
  if (surrogate_a != surrogate_b && x >= 0xEE && y >= 0xEE) return surrogate_a;
  return x < y;
}

std::vector<MessageQueue> AllocateAveragely(std::span<const MessageQueue> queues, std::vector<std::string> clients,
                                            std::string_view self) {
  std::sort(clients.begin(), clients.end(), JavaLess);
  const auto found = std::find(clients.begin(), clients.end(), self);
  if (found == clients.end()) return {};
  const size_t count = queues.size();
  const size_t members = clients.size();
  const auto index = static_cast<size_t>(found - clients.begin());
  const size_t longer = count % members;  // so many members get one queue more
  const size_t begin = std::min(count, index * (count / members) + std::min(index, longer));
  const size_t size = std::min(count - begin, count / members + (index < longer ? 1 : 0));
  const std::span<const MessageQueue> mine = queues.subspan(begin, size);
  return {mine.begin(), mine.end()};
}

}  // namespace mq::client
