#include "store/dump_verify.h"

#include <algorithm>
#include <ctime>

#include "base/file.h"
#include "store/dump_log.h"
#include "store/dump_verify_config.h"
#include "store/dump_verify_files.h"
#include "store/dump_verify_index.h"
#include "store/dump_verify_own.h"
#include "store/dump_verify_queues.h"
#include "store/dump_verify_records.h"
#include "store/foreign_format.h"

namespace mq::store {

namespace {

// How often and how long what looks torn at the end is looked at again where somebody may be writing it.
constexpr int kLooks = 3;
constexpr long kPauseNs = 10L * 1000 * 1000;

struct Verifiers {
  RecordVerifier& records;
  QueueVerifier& queues;
  IndexVerifier& index;
};

// Feeds all records. `may_be_written`: by somebody whose positions are not known.
Status WalkLog(DumpLog& log, Verifiers to, bool may_be_written, VerifyReport& report) {
  for (int looks = 0;;) {
    MQ_ASSIGN(const std::optional<LogItem> item, log.Next());
    if (!item) return Ok();
    switch (item->kind) {
      case LogItemKind::kRecord:
        ++report.records;
        to.records.OnRecord(*item);
        MQ_TRY(to.queues.OnRecord(*item));
        MQ_TRY(to.index.OnRecord(*item, log.min()));
        looks = 0;
        break;
      case LogItemKind::kBlank:
        break;
      case LogItemKind::kDamage:
        to.records.OnDamage(*item);
        break;
      case LogItemKind::kTornTail:
        if (may_be_written && looks++ < kLooks) {
          const timespec pause = {0, kPauseNs};
          ::nanosleep(&pause, nullptr);
          MQ_TRY(log.Refresh());
          break;
        }
        to.records.OnDamage(*item);
        return Ok();
    }
  }
}

void CheckPositions(const Positions& positions, const FaultSink& sink, const std::string& root) {
  const int64_t wrote = positions.broker().wrote.load(std::memory_order_acquire);
  // Loaded before `wrote` grew further: both may only be too small here.
  const int64_t flushed = LoadFlushed(positions).value();
  const int64_t dispatched = positions.reputd().dispatched.load(std::memory_order_acquire);
  const int64_t now = positions.broker().wrote.load(std::memory_order_acquire);
  if (flushed > now || dispatched > now) {
    sink({root + "/mq/ctl.sock", 0, Severity::kError, "I-11",
          "flushed " + std::to_string(flushed) + " or dispatched " + std::to_string(dispatched) +
              " is ahead of what is written, " + std::to_string(std::max(wrote, now))});
  }
}

// Where there are no records to compare them with.
void VerifyConfigAlone(const VerifyOptions& options, const FaultSink& sink) {
  ConfigVerifier config(options, sink);
  config.Load();
  config.CheckCheckpoint(std::nullopt);
}

}  // namespace

std::string_view SeverityName(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

Result<VerifyReport> VerifyStore(const VerifyOptions& options, const FaultSink& sink) {
  VerifyReport report;
  const FaultSink counted = [&](const Fault& fault) {
    ++report.faults;
    sink(fault);
  };
  const StoreLayout layout(options.root, options.log_paths);
  VerifyLogPaths(layout, counted);
  auto opened = DumpLog::Open(layout, protocol::BodyCheck::kCrc);
  if (!opened && opened.error().code == ErrorCode::kNotFound) {
    counted({layout.CommitLogDir(), 0, Severity::kError, "I-1", "there is no such folder, so this is no store"});
    // What there is says why perhaps.
    VerifyPlainFiles(layout, counted);
    VerifyMarker(layout, counted);
    VerifyNumbers(layout, counted);
    MQ_TRY(VerifyTombstones(layout, counted));
    VerifyConfigAlone(options, counted);
    return report;
  }
  if (!opened) {
    VerifyConfigAlone(options, counted);
    return std::move(opened).error();
  }
  DumpLog& log = *opened;
  if (const auto foreign = FindForeignFormat(options.root)) {
    counted({foreign->path, 0, Severity::kError, "5.x", foreign->what + "; a broker refuses the store"});
  }
  MQ_TRY(VerifyNames(options, log, counted));
  ConfigVerifier config(options, counted);
  config.Load();
  QueueVerifier::Scope scope;
  scope.topics = config.topics();
  scope.unclean = PathExists(layout.Abort());
  if (options.positions != nullptr) {
    // Dispatched first: what is in the queues is then surely below the end of the walk.
    scope.live = true;
    scope.dispatched = PhysicalOffset(options.positions->reputd().dispatched.load(std::memory_order_acquire));
    log.set_limit(LoadReadable(*options.positions));
    CheckPositions(*options.positions, counted, options.root);
  } else if (scope.unclean) {
    VerifyPool(options, counted);
    counted({layout.Abort(), 0, Severity::kWarning, "abort",
             "no clean stop: a broker is running, or was killed and recovers at its next start"});
  }
  VerifyPlainFiles(layout, counted);
  VerifyMarker(layout, counted);
  VerifyNumbers(layout, counted);
  MQ_ASSIGN(Tombstones tombstones, VerifyTombstones(layout, counted));
  RecordVerifier records(options, log, counted);
  QueueVerifier queues(options, scope, std::move(tombstones), counted);
  IndexVerifier index(options, scope.unclean, counted);
  MQ_TRY(index.Open());
  MQ_TRY(WalkLog(log, {records, queues, index}, scope.unclean && !scope.live, report));
  const PhysicalOffset end = log.position();
  report.log_end = end.value();
  records.Finish();
  MQ_TRY(queues.Finish(log));
  MQ_TRY(index.Finish(log, end, config.index_time()));
  config.Check(queues, records.has_records(), records.newest_time(), log.min(),
               scope.live ? std::nullopt : std::optional(end));
  return report;
}

}  // namespace mq::store
