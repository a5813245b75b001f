// What happens to a store: one damage of a kind, at places drawn at random.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "damage_store.h"

namespace mq::crash {

enum class DamageKind {
  kBits,        // up to 8 bits turned over
  kNoise,       // a stretch of other bytes
  kZeros,       // 512 to 8192 bytes of zeros
  kPage,        // 512 or 4096 bytes of another file of its kind
  kTruncated,   // cut off
  kExtended,    // bytes behind its end, zeros or not
  kSwapped,     // two files of a kind have each other's names
  kRemoved,     // a file is gone
  kFolder,      // a folder is gone
  kCheckpoint,  // the checkpoint is an older one, or of another store
  kGarbage,     // abort, lock, process id and sockets hold what nobody wrote there
  kDirectory,   // a folder in the place of a file
  kCount,
};
const char* NameOf(DamageKind kind);

struct Damage {
  DamageKind kind = DamageKind::kBits;
  std::vector<std::string> touched;  // files, below work()
  std::string text;                  // what was done, for people
};

// Damages the store in stores.work(), which is a copy of `store`.
Result<Damage> MakeDamage(Random& random, const DamageStores& stores, const BaseStore& store);

}  // namespace mq::crash
