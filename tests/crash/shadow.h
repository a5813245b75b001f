// What the preloaded layer (layer.cc) and the laboratory (disk.h) share: the shadow directory and the control page.
//
//   SHADOW/live/INODE      a second name of every file that was made below the store: what a read finds now, kept also
//   when
//                          the store unlinks it, so that no inode is used twice
//   SHADOW/durable/INODE   the bytes a disk would hold: a page is copied here when a sync of it succeeds
//   SHADOW/names/INODE     the names in a directory as of its last sync: "INODE TYPE NAME" a line, TYPE f or d
//   SHADOW/control         ControlPage, mapped by everybody
//
// Only fsync, fdatasync and msync make anything durable. sync_file_range, fallocate, ftruncate, rename, link, unlink
// and closing do not, whatever a kernel may do on its own: the cut decides at random what it did (disk.h).
#pragma once

#include <atomic>
#include <cstdint>

namespace mq::crash {

inline constexpr const char* kStoreVariable = "MQ_CRASH_STORE";    // absolute path of the store
inline constexpr const char* kShadowVariable = "MQ_CRASH_SHADOW";  // absolute path of the shadow directory
inline constexpr const char* kSlowVariable = "MQ_CRASH_SLOW";      // where to wait, and how long (slow.cc)

inline constexpr int kAnyPoint = -1;
inline constexpr int kNoPoint = -2;
inline constexpr int kMaxPoints = 256;

struct ControlPage {
  std::atomic<int> armed;      // a KillPoint, kAnyPoint or kNoPoint
  std::atomic<int> countdown;  // the process dies when it falls to 0
  std::atomic<int> fired;      // the point at which one has died, + 1; 0: none
  std::atomic<uint64_t> passed[kMaxPoints];
};

}  // namespace mq::crash
