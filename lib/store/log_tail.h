// What may lie behind the end of the log: found and overwritten with zeros. Part of recovery.
//
// A spare file and the allocated rest of the last one are mostly holes: only the extents that hold data
// are read. Overwriting keeps every file at its size; nothing is truncated or unlinked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/types.h"

namespace mq::store {

// Position in the file of its first byte at or behind `from` that is not zero.
Result<std::optional<int64_t>> FindNonZero(const std::string& path, int64_t from);

// Overwrites everything behind `from` that is not zero with zeros, syncs when something was; returns how many
// bytes that took away: up to the last one that is not zero, from `from` on or, in a file that is dropped whole (`from`
// 0), from its first.
Result<int64_t> ZeroTail(const std::string& path, int64_t from);

// How many bytes ZeroTail would take away.
Result<int64_t> TailBytes(const std::string& path, int64_t from);

}  // namespace mq::store
