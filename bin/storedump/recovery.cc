// --plan: what the next start of a broker would do to the store; --rebuild: the derived part of it, now.
#include "base/file.h"
#include "base/log.h"
#include "conf/run.h"
#include "ctl/client.h"
#include "store/dump_plan.h"
#include "store/log_paths.h"
#include "store/plain_files.h"
#include "store/rebuild.h"
#include "store/store_lock.h"
#include "storedump/parts.h"

namespace mq::storedump {

namespace {

constexpr int kRefused = 8;  // as a broker that does not start

// Of a store at rest.
Result<store::StoreOptions> RestingStore(Context& context, const char* what_for) {
  const Options& options = context.options;
  if (const store::Positions* positions = context.live.any(); positions != nullptr && !context.live.Gone()) {
    return MakeError(ErrorCode::kHeldByOther,
                     "a broker runs on " + options.root + " (pid " +
                         std::to_string(positions->broker().pid.load(std::memory_order_acquire)) + ")")
        .WithHint(std::string(what_for) + " is for a store at rest: stop the broker, or take a copy");
  }
  store::StoreOptions store;
  store.root = options.root;
  store.log_paths = options.log_paths;
  MQ_TRY(store::TakeSizesFromFiles(store));
  if (options.queue_bytes > 0) store.consume_queue_file_bytes = options.queue_bytes;
  if (options.index_slots > 0) store.index_slots = static_cast<int32_t>(options.index_slots);
  if (options.index_entries > 0) store.index_entries = static_cast<int32_t>(options.index_entries);
  MQ_TRY(store::NormalizeOptions(store));
  // What recovery and dispatch would log is in what is printed.
  log::SetLevel(log::Level::kOff);
  return store;
}

}  // namespace

Result<int> Rebuild(Context& context) {
  const Options& options = context.options;
  MQ_ASSIGN(store::StoreOptions store, RestingStore(context, "a rebuild"));
  store.delay_levels_ms = options.delay_levels_ms;
  const bool in_place = options.rebuild_out.empty();
  Result<store::Derived> built = MakeError(ErrorCode::kInternal, "nothing was built");
  if (in_place) {
    auto lock = store::StoreLock::TryAcquire(options.layout());
    if (!lock) return ctl::NameHolder(std::move(lock).error(), options.layout().MqDir());
    built = store::RebuildInPlace(store, options.rebuild);
  } else {
    built = store::RebuildInto(store, options.rebuild, options.rebuild_out);
  }
  if (!built) return std::move(built).error();
  store::DumpRow(context.output.buffer(), options.rows)
      .Text("folder", in_place ? options.root : options.rebuild_out)
      .Int("from", built->from.value())
      .Int("to", built->to.value())
      .Int("records", built->records)
      .Int("gaps", static_cast<int64_t>(built->gaps));
  return 0;
}

Result<int> PrintPlan(Context& context) {
  const Options& options = context.options;
  // First of all, as a broker does.
  MQ_TRY(store::RefuseUnusable(options.layout()));
  if (!context.settings.Given("commit-log")) MQ_TRY(store::LoadLogPaths(options.root));
  MQ_ASSIGN(const store::StoreOptions store, RestingStore(context, "a plan"));
  MQ_ASSIGN(const store::RecoveryPlan plan, store::PlanRecovery(store));
  const bool empty = plan.log.end.value() == 0 && plan.log.lost_log_end.value() == 0;
  if (empty && !plan.refused && !PathExists(store.layout().CommitLogDir())) {
    return MakeError(ErrorCode::kNotFound,
                     "there is no commit log in " + options.root + ": a start makes a new store there");
  }
  const bool json = options.rows == store::RowStyle::kJson;
  for (const store::PlanStep& step : plan.steps) {
    if (json) {
      store::DumpRow(context.output.buffer(), options.rows)
          .Text("file", step.file)
          .Int("offset", step.byte)
          .Text("action", step.action)
          .Text("text", step.text);
    } else {
      context.output.buffer() +=
          step.file + ":" + std::to_string(step.byte) + ": " + std::string(step.action) + ": " + step.text + "\n";
    }
    MQ_TRY(context.output.Added());
  }
  MQ_TRY(context.output.Flush());
  conf::Notice(context.settings, std::string(plan.log.clean ? "stopped cleanly" : "not stopped cleanly") +
                                     "; walked from position " + std::to_string(plan.log.scanned_from.value()) +
                                     " to the end of the log at " + std::to_string(plan.log.end.value()) + ", " +
                                     std::to_string(plan.log.records) + " records");
  if (plan.refused) return kRefused;
  return plan.anything_lost ? 1 : 0;
}

}  // namespace mq::storedump
