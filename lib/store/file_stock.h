// FileStock: the commit log files ahead of the writer. Makes the next ones before they are needed, and prepares the
// pages that are written next, so that no append waits for either. Owned by the flusher, in mq-flushd alone; one
// thread.
//
// All in small pieces: a flush that becomes due meanwhile waits for one piece. Files are zero until they have their
// name, and afterwards their bytes are the broker's: pages are populated without changing one. Publishes
// `allocated_to`, and what went wrong; the broker takes sends back up when a file is there. Spec: mq-store(5), "Flush".
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/log.h"
#include "base/result.h"
#include "store/file_maker.h"
#include "store/layout.h"
#include "store/mapped_file.h"
#include "store/positions.h"
#include "store/store_options.h"

namespace mq::store {

class FileStock {
 public:
  struct Outcome {
    bool made = false;  // a new file has its name: ring the broker if it waits for one
    bool more = false;  // call again at once
  };

  // `options` may change live (its cleaning part) and outlives this.
  FileStock(const StoreOptions& options, Positions& positions, FileOps& file_ops);

  // A bounded piece of making a file, and of preparing pages unless the caller is `busy` otherwise. Failures are
  // published and logged here, and tried again after a second.
  Outcome Step(int64_t now_ms, bool busy);

  // One piece of the next file, when one is needed. True when it has got its name; `more`: call again at once.
  Result<bool> MakeStep(int64_t now_ms, bool* more);

  // Clean stop, after the last append: removes the files made ahead, as RocketMQ does. Its normal recovery
  // takes the third file from the end for one that holds records.
  Status RemoveSpare();

 private:
  Status FinishFile();
  std::string DirectoryFor(int64_t start);
  Result<bool> WarmStep(int64_t max_bytes);

  const StoreOptions& options_;
  StoreLayout layout_;
  const BrokerPage& broker_;
  FlushdPage& page_;
  FileOps& file_ops_;
  FileMaker maker_;
  std::shared_ptr<MappedFile> warm_file_;  // writable map for populating only
  int64_t warmed_to_ = 0;
  int64_t retry_make_ms_ = 0;
  int64_t retry_warm_ms_ = 0;
  log::RateLimit make_lines_{6};
  log::RateLimit warm_lines_{6};
};

}  // namespace mq::store
