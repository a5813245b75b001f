// Stores of RocketMQ 5.x that keep their queues or their configuration in formats this version neither reads nor keeps
// up to date: batch consume queues (batchconsumequeue/) and RocksDB (storeType=defaultRocksDB, configuration in
// RocksDB). Going on would serve empty queues or give their offsets a second time, so a broker refuses such a store
// whole. Spec: store 13.
#pragma once

#include <optional>
#include <string>

namespace mq::store {

struct ForeignFormat {
  std::string path;  // the folder it was found by
  std::string what;  // a clause: "holds ..."
};

// Looks at names only. Nothing when the store has none, also when it does not exist.
std::optional<ForeignFormat> FindForeignFormat(const std::string& root);

}  // namespace mq::store
