// Whether mapped bytes are in memory, and fetching those that are not: how the broker keeps its loop off the disk.
#pragma once

#include <string_view>

namespace mq::store {

// Every page of the view is in the page cache right now. A hint: it may be dropped a moment later. One system call.
bool IsResident(std::string_view mapped);
// Reads the pages in; blocks on the disk. Any thread. The caller's pin keeps the mapping.
void Fetch(std::string_view mapped);

}  // namespace mq::store
