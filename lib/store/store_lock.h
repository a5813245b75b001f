// lock, abort and mq/pid: who owns the store, and how it ended.
//
// StoreLock is an open-file-description lock (F_OFD_SETLK) on byte 0 of `lock`: it conflicts with the
// record lock of RocketMQ's own broker, and it lives as long as any descriptor of this open file
// description. The broker hands its descriptor to its helpers, so a new broker gets the lock only when
// the last old helper has let go: the fence against orphaned writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "store/layout.h"

namespace mq::store {

class StoreLock {
 public:
  // One try. kHeldByOther when somebody holds it. Writes "lock" into the file as RocketMQ does.
  static Result<StoreLock> TryAcquire(const StoreLayout& layout);
  // A helper's share, received over ctl.
  static StoreLock FromDescriptor(UniqueFd fd);

  int fd() const { return fd_.get(); }
  // Lets go of this share; the lock is free when the last share is gone.
  void Release() { fd_.Reset(); }

 private:
  explicit StoreLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

// Who has the store's lock file open, as far as /proc shows it to this user: this process is not among them. For
// messages and for how long to wait; never decides who may write.
struct LockHolder {
  int64_t pid = 0;
  std::string name;  // "mq-flushd"
  bool is_helper() const { return name == "mq-flushd" || name == "mq-reputd"; }
};
std::vector<LockHolder> FindLockHolders(const StoreLayout& layout);

// mq/pid, for messages only: never decides anything.
Status WritePid(const StoreLayout& layout, int64_t pid);
std::optional<int64_t> ReadPid(const StoreLayout& layout);

// abort: present while a broker runs. Created (durable) before recovery changes anything; removed
// (directory synced) as the last step of a clean stop.
bool AbortExists(const StoreLayout& layout);
Status CreateAbort(const StoreLayout& layout);
Status RemoveAbort(const StoreLayout& layout);

}  // namespace mq::store
