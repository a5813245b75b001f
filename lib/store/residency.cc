#include "store/residency.h"

#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "store/types.h"

namespace mq::store {
namespace {

struct Pages {
  char* start;
  size_t bytes;
};

Pages PagesOf(std::string_view mapped) {
  const auto address = reinterpret_cast<uintptr_t>(mapped.data());
  const uintptr_t start = address / kPageBytes * kPageBytes;
  return {reinterpret_cast<char*>(start), static_cast<size_t>(address + mapped.size() - start)};
}

}  // namespace

bool IsResident(std::string_view mapped) {
  if (mapped.empty()) return true;
  const Pages pages = PagesOf(mapped);
  std::vector<unsigned char> present((pages.bytes + kPageBytes - 1) / kPageBytes);
  if (::mincore(pages.start, pages.bytes, present.data()) != 0) return true;
  for (const unsigned char page : present) {
    if ((page & 1) == 0) return false;
  }
  return true;
}

void Fetch(std::string_view mapped) {
  if (mapped.empty()) return;
  const Pages pages = PagesOf(mapped);
#ifdef MADV_POPULATE_READ
  if (::madvise(pages.start, pages.bytes, MADV_POPULATE_READ) == 0) return;
#endif
  volatile char sink = 0;
  for (size_t at = 0; at < mapped.size(); at += kPageBytes) sink = sink + mapped[at];
}

}  // namespace mq::store
