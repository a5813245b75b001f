// FileRemover: removes one file at a time on a thread of its own, so that whoever wants it gone never waits: to give
// back a gigabyte may take a filesystem long. Owned by the log cleaner in mq-flushd.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/result.h"

namespace mq::store {

class FileRemover {
 public:
  explicit FileRemover(FileOps& file_ops) : file_ops_(file_ops) {}
  ~FileRemover() { Wait(); }
  FileRemover(const FileRemover&) = delete;
  FileRemover& operator=(const FileRemover&) = delete;

  // Only when not busy.
  void Begin(std::string path);
  bool busy() const { return thread_.joinable(); }
  // What came of it, once it is over: then the file's name is gone and its directory synced.
  std::optional<Status> Take();
  // Until the removal under way, if any, is over.
  void Wait();

 private:
  FileOps& file_ops_;
  std::thread thread_;
  std::atomic<bool> done_{false};
  Status result_;
};

}  // namespace mq::store
