// --plan: what the next start of a broker would do to the store.
#include "base/log.h"
#include "conf/run.h"
#include "store/dump_plan.h"
#include "storedump/parts.h"

namespace mq::storedump {

Result<int> PrintPlan(Context& context) {
  const Options& options = context.options;
  if (const store::Positions* positions = context.live.any(); positions != nullptr && !context.live.Gone()) {
    return MakeError(ErrorCode::kHeldByOther,
                     "a broker runs on " + options.root + " (pid " +
                         std::to_string(positions->broker().pid.load(std::memory_order_acquire)) + ")")
        .WithHint("a plan is for a store at rest: stop the broker, or plan for a copy");
  }
  store::StoreOptions store;
  store.root = options.root;
  store.log_paths = options.log_paths;
  MQ_TRY(store::TakeSizesFromFiles(store));
  if (options.index_slots > 0) store.index_slots = static_cast<int32_t>(options.index_slots);
  MQ_TRY(store::NormalizeOptions(store));
  // What recovery would log is in the plan.
  log::SetLevel(log::Level::kOff);
  MQ_ASSIGN(const store::RecoveryPlan plan, store::PlanRecovery(store));
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
  return plan.anything_lost ? 1 : 0;
}

}  // namespace mq::storedump
