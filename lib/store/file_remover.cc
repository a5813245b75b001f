#include "store/file_remover.h"

#include "base/check.h"
#include "base/kill_point.h"

namespace mq::store {

void FileRemover::Begin(std::string path) {
  MQ_CHECK(!busy(), "one removal at a time");
  done_.store(false, std::memory_order_relaxed);
  thread_ = std::thread([this, path = std::move(path)] {
    result_ = file_ops_.Unlink(path);
    if (result_) PassKillPoint(KillPoint::kLogFileRemoved);
    if (result_) result_ = file_ops_.SyncDirectory(DirectoryOf(path));
    if (result_) PassKillPoint(KillPoint::kLogFileGone);
    done_.store(true, std::memory_order_release);
  });
}

std::optional<Status> FileRemover::Take() {
  if (!busy() || !done_.load(std::memory_order_acquire)) return std::nullopt;
  thread_.join();
  return std::move(result_);
}

void FileRemover::Wait() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace mq::store
