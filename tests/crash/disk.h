// Disk: the store as a disk holds it. Reads what the layer recorded (shadow.h) and builds what a machine finds that
// lost its power: for each 4 KiB page that was not synced since its last change the durable or the newest bytes, or
// sectors of both; each directory entry that was not synced kept or lost; each size that was not synced the old or the
// new one.
//
// Everything lies below one directory, which must be on a file system with unique inode numbers (tmpfs) because second
// names of files are kept. Only while no process works on the store.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "base/mapped_region.h"
#include "base/result.h"
#include "shadow.h"

namespace mq::crash {

using Random = std::mt19937_64;

// A number from 0 to limit - 1, the same on every machine.
inline uint64_t Below(Random& random, uint64_t limit) { return random() % limit; }
inline bool Percent(Random& random, uint64_t percent) { return Below(random, 100) < percent; }

struct CutFigures {
  int64_t pages_lost = 0;   // not synced, and the durable bytes were taken
  int64_t pages_mixed = 0;  // sectors of both
  int64_t pages_kept = 0;   // not synced, and the newest bytes were taken
  int64_t names_lost = 0;
  int64_t sizes_lost = 0;
};

class Disk {
 public:
  // `base` is made anew; store and shadow lie below it.
  static Result<Disk> Create(const std::string& base);

  const std::string& base() const { return base_; }
  std::string root() const { return base_ + "/store"; }
  std::string shadow() const { return base_ + "/shadow"; }
  ControlPage& control() { return *reinterpret_cast<ControlPage*>(control_.data()); }

  // Everything that is there now is durable.
  Status Settle();
  // Nothing below `position` of these files (of `file_bytes` each, named by their start) would be lost now. The error
  // names the first byte that would.
  Status CheckDurable(const std::string& folder, int64_t file_bytes, int64_t position) const;
  // The power goes and comes: the store becomes what the disk holds, and all of that is durable.
  Result<CutFigures> CutPower(Random& random);
  // An empty store.
  Status Clear();

 private:
  struct Entry {
    uint64_t inode = 0;
    bool folder = false;
    bool operator==(const Entry&) const = default;
  };
  using Names = std::map<std::string, Entry>;
  struct Cut;

  Status SettleFolder(const std::string& path);
  Result<Names> NamesNow(const std::string& path) const;
  Names DurableNames(uint64_t inode) const;
  Status ComposeFolder(Cut& cut, uint64_t inode, const std::string& now, const std::string& out);
  Status ComposeFile(Cut& cut, uint64_t inode, const std::string& now, const std::string& out);

  std::string base_;
  MappedRegion control_;
};

}  // namespace mq::crash
