// The part of damage_store.h that is about a transient pool which a killed broker has left in memory.
#include <unistd.h>

#include "base/file.h"
#include "daemons.h"
#include "damage_store.h"
#include "store/pool_name.h"
#include "store/transient_pool.h"

namespace mq::crash {

namespace {

constexpr int64_t kReadyMs = 20000;
constexpr int64_t kStopMs = 20000;

}  // namespace

void DamageStores::RemovePool() const {
  const auto name = store::MakePoolName(store::StoreLayout(root()));
  if (!name) return;
  ::unlink(name->path.c_str());
  for (int i = 1; ::unlink((name->path + ".aside" + (i == 1 ? "" : "." + std::to_string(i))).c_str()) == 0; ++i)
    continue;
}

Status DamageStores::TakePool(BaseStore& store) const {
  MQ_ASSIGN(const store::PoolName name, store::ReadPoolName(store.options.layout()));
  MQ_ASSIGN(store.pool, ReadFile(name.path));
  return Ok();
}

// A pool belongs to one store directory, and a copy is another one: it is made to be that one's.
Status DamageStores::LayPool(const BaseStore& store) const {
  const store::StoreLayout layout = store.options.layout();
  MQ_ASSIGN(store::PoolName name, store::ReadPoolName(layout));
  MQ_ASSIGN(const store::PoolName fresh, store::MakePoolName(layout));
  name.path = fresh.path;
  std::string bytes = store.pool;
  auto* header = reinterpret_cast<store::PoolHeader*>(bytes.data());
  header->device = fresh.device;
  header->inode = fresh.inode;
  header->born_ns = fresh.born_ns;
  MQ_TRY(store::WritePoolName(layout, name));
  return WriteFileAtomically(name.path, bytes);
}

// What a start without damage makes of files and pool is the truth; what was durable before it stays.
Status DamageStores::AddPoolTruth(BaseStore& store) const {
  MQ_TRY(Lay(store));
  Daemons daemons({programs, "", root(), "", log()});
  MQ_TRY(daemons.StartNameServer());
  MQ_TRY(daemons.Start(DamageArguments(store)));
  MQ_ASSIGN(const bool ready, daemons.WaitReady(kReadyMs));
  if (!ready) return MakeError(ErrorCode::kInternal, "the broker of " + store.name + " did not start again");
  MQ_ASSIGN(const int status, daemons.Stop(kStopMs));
  if (status != 0) return MakeError(ErrorCode::kInternal, "the broker of " + store.name + " did not stop cleanly");
  MQ_ASSIGN(Truth whole, ReadTruth(store.options, work()));
  if (whole.log_end <= store.truth.log_end) {
    return MakeError(ErrorCode::kInternal, "the pool of " + store.name + " held nothing");
  }
  store.truth.pool_from = store.truth.log_end;
  store.truth.records = std::move(whole.records);
  store.truth.queues = std::move(whole.queues);
  store.truth.log = std::move(whole.log);
  store.truth.starts = std::move(whole.starts);
  store.truth.log_end = whole.log_end;
  return Ok();
}

}  // namespace mq::crash
