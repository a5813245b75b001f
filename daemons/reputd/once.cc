#include "reputd/once.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "ctl/client.h"
#include "store/layout.h"
#include "store/rebuild.h"
#include "store/recovery.h"
#include "store/store_lock.h"

namespace mq::reputd {

namespace {

// The marker may only name durable bytes, and after a kill nobody has flushed the last ones.
Status SyncLog(const store::StoreLayout& layout) {
  MQ_ASSIGN(auto files, store::ListLogFiles(layout));
  for (const store::FileEntry& file : files) {
    const std::string path = layout.CommitLogFile(store::PhysicalOffset(file.start));
    MQ_ASSIGN(UniqueFd fd, OpenFile(path, O_RDONLY | O_CLOEXEC));
    if (::fdatasync(fd.get()) != 0) return ErrnoError(ErrorCode::kIo, "sync " + path);
  }
  return Ok();
}

}  // namespace

Status DispatchOnce(const store::StoreOptions& options, bool rebuild) {
  const store::StoreLayout layout = options.layout();
  if (!PathExists(layout.CommitLogDir())) {
    return MakeError(ErrorCode::kIo, "there is no store at " + options.root);
  }
  auto lock = store::StoreLock::TryAcquire(layout);
  if (!lock) return ctl::NameHolder(std::move(lock).error(), layout.MqDir());
  MQ_TRY(layout.MakeDirectories());
  const bool clean = !store::AbortExists(layout);
  MQ_ASSIGN(auto found, store::RecoverCommitLog(options, clean, nullptr, store::RecoverMode::kLookOnly));
  if (!clean) MQ_TRY(SyncLog(layout));
  MQ_ASSIGN(const auto derived, store::DeriveAtRest(options, found, rebuild));
  log::Info("reput.once", "consume queues and index are complete")
      .Field("from", derived.from.value())
      .Field("to", derived.to.value())
      .Field("records", derived.records)
      .Field("gaps", derived.gaps);
  return Ok();
}

}  // namespace mq::reputd
