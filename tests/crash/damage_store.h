// The stores that are damaged, and what is known of them before: every record with its bytes.
//
// Recorded ones come from tests/golden/store; our own are made once at the run's begin by real daemons: many small log
// files, batches, keys, a deleted topic; stopped cleanly or killed; one with two log paths; one killed while records
// lay in its transient pool. A round works on a copy, always at the same place, because a store with log paths names
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "daemons.h"
#include "disk.h"
#include "store/store_options.h"

namespace mq::crash {

using QueueKey = std::pair<std::string, int32_t>;  // topic, queue id

struct TrueRecord {
  int64_t position = 0;
  int64_t bytes = 0;
  int64_t store_time = 0;
  QueueKey queue;
  int64_t queue_offset = -1;      // -1: it enters no queue, or its topic was deleted since
  std::vector<std::string> keys;  // as they are put into the index
  int64_t end() const { return position + bytes; }
};

struct Truth {
  std::vector<TrueRecord> records;         // all of the log, in order
  std::map<QueueKey, size_t> queues;       // how many records of each queue count
  std::map<std::string, std::string> log;  // each log file's bytes, by path below the store's folder
  std::map<std::string, int64_t> starts;   // and where it begins
  int64_t log_end = 0;
  int64_t pool_from = INT64_MAX;  // records from there on lie in the transient pool, and not in the files
  int64_t marked = 0;             // mq/dispatched: durable up to there
  int64_t flushed = 0;            // durable up to there, as the checkpoint says; 0: it is RocketMQ's, and does not
  int64_t entries_end = 0;        // where the last record ends that a queue entry speaks of
  int64_t checkpoint_time = 0;    // durable up to that store time
  int64_t index_time = 0;         // and the index up to that
  size_t index_files = 0;

  std::string_view BytesOf(const TrueRecord& record) const;
};

struct BaseStore {
  std::string name;
  std::string folder;  // holds the store and, with log paths, their folders beside it
  store::StoreOptions options;
  std::vector<std::string> arguments;
  Truth truth;
  bool clean = true;  // stopped cleanly
  std::string pool;   // bytes of the transient pool that was left; empty: none
};

enum class OwnKind { kClean, kKilled, kPaths, kPool };

struct DamageStores {
  std::string base;      // everything lies below it
  std::string golden;    // tests/golden/store
  std::string programs;  // where the executables are
  std::string work() const { return base + "/work"; }
  std::string root() const { return work() + "/store"; }
  std::string log() const { return base + "/daemons.log"; }

  Result<std::vector<BaseStore>> Make(Random& random) const;
  // A fresh copy of it in work(), with its pool.
  Status Lay(const BaseStore& store) const;
  // No store's pool is left in memory.
  void RemovePool() const;
  // Keeps work() as it is now, until the next call; SetCopyAside gives it a place of its own, which is returned.
  Status KeepCopy() const;
  std::string SetCopyAside(uint64_t round) const;

 private:
  Result<BaseStore> Recorded(const std::string& name) const;
  Result<BaseStore> OwnStore(Random& random, const std::string& name, OwnKind kind) const;
  Result<BaseStore> Fill(Random& random, BaseStore store, OwnKind kind) const;
  Status Keep(BaseStore& store) const;
  Status TakePool(BaseStore& store) const;
  Status AddPoolTruth(BaseStore& store) const;
  Status LayPool(const BaseStore& store) const;
};

// The broker's settings for it.
std::vector<std::string> DamageArguments(const BaseStore& store);

// What the store holds (its log paths lie in `work`), read with lib/store's own walk.
Result<Truth> ReadTruth(const store::StoreOptions& options, const std::string& work);

// All regular files below a folder, as paths relative to it, sorted.
std::vector<std::string> FilesBelow(const std::string& folder);

}  // namespace mq::crash
