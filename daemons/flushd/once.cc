#include "flushd/once.h"

#include "base/file.h"
#include "base/log.h"
#include "ctl/client.h"
#include "store/flusher.h"
#include "store/layout.h"
#include "store/positions.h"
#include "store/recovery.h"
#include "store/store_lock.h"
#include "store/transient_pool.h"

namespace mq::flushd {

Status FlushOnce(const store::StoreOptions& options) {
  const store::StoreLayout layout = options.layout();
  if (!PathExists(layout.CommitLogDir())) {
    return MakeError(ErrorCode::kIo, "there is no store at " + options.root);
  }
  auto lock = store::StoreLock::TryAcquire(layout);
  if (!lock) return ctl::NameHolder(std::move(lock).error(), layout.MqDir());
  MQ_ASSIGN(auto positions, store::Positions::CreateForOneProcess());
  // Its bytes are in the log files afterwards, synced, and the pool stays for the broker that repairs the log's end.
  MQ_ASSIGN(const auto left, store::CommitLeftPool(options, !store::AbortExists(layout)));
  MQ_ASSIGN(auto found, store::RecoverCommitLog(options, !store::AbortExists(layout) && !left.found, nullptr,
                                                store::RecoverMode::kLookOnly));
  store::BrokerPage& page = positions.own_broker();
  // Nothing is known to be durable: all of the log is synced.
  page.boot_min.store(found.min.value());
  page.recovered_end.store(found.min.value());
  store::PublishWrote(page, found.end, found.last_store_timestamp);
  MQ_ASSIGN(auto flusher, store::Flusher::Open(options, positions));
  MQ_TRY(flusher->FlushAll());
  log::Info("flush.once", "the log is durable").Field("from", found.min.value()).Field("to", found.end.value());
  return Ok();
}

}  // namespace mq::flushd
