#include "reputd/once.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "ctl/client.h"
#include "store/layout.h"
#include "store/positions.h"
#include "store/recovery.h"
#include "store/reput.h"
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
  if (!lock) {
    const auto holder = ctl::AskHolder(layout.MqDir(), 500);
    if (holder) lock.error().what += " (held by pid " + std::to_string(*holder) + ")";
    return std::move(lock).error();
  }
  MQ_TRY(layout.MakeDirectories());
  MQ_ASSIGN(auto positions, store::Positions::CreateForOneProcess());
  const bool clean = !store::AbortExists(layout);
  MQ_ASSIGN(auto found, store::RecoverCommitLog(options, clean, nullptr, store::RecoverMode::kLookOnly));
  if (!clean) MQ_TRY(SyncLog(layout));
  store::BrokerPage& page = positions.own_broker();
  page.boot_min.store(found.min.value());
  page.recovered_end.store(found.end.value());
  store::PublishWrote(page, found.end, found.last_store_timestamp);
  MQ_ASSIGN(auto reput, store::Reput::Open(options, positions, rebuild));
  MQ_TRY(reput->Finish());
  log::Info("reput.once", "consume queues and index are complete")
      .Field("from", reput->started_from().value())
      .Field("to", reput->dispatched().value())
      .Field("records", reput->records())
      .Field("gaps", reput->anomalies().gaps);
  return Ok();
}

}  // namespace mq::reputd
