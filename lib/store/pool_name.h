// mq/pool: which transient pool a store has. Part of transient_pool.h: what it is called, and when it may be believed.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/layout.h"

namespace mq::store {

inline constexpr char kPoolMagic[] = "MQPOOL\r\n";  // 8 bytes without its zero
inline constexpr uint32_t kPoolVersion = 1;

struct PoolName {
  std::string path;     // of the pool's file
  std::string id;       // 32 hexadecimal digits, new for each pool
  std::string boot_id;  // of the machine's life in which it was made
  uint64_t device = 0;  // of the store's directory as it is now: a copy of a store has another one
  uint64_t inode = 0;
  int64_t born_ns = 0;  // when that directory was made: an inode number is used again. 0: the filesystem does not say
};

// A name for a new pool of the store.
Result<PoolName> MakePoolName(const StoreLayout& layout);
// Durable when it returns.
Status WritePoolName(const StoreLayout& layout, const PoolName& name);
// kNotFound without one, kCorruption when the text makes no sense.
Result<PoolName> ReadPoolName(const StoreLayout& layout);
// Of the machine's life now.
Result<std::string> BootId();

}  // namespace mq::store
