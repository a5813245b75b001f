#include "store/dump_verify.h"

#include <algorithm>

#include "base/file.h"
#include "base/strings.h"
#include "protocol/names.h"
#include "protocol/properties.h"
#include "store/dump_log.h"
#include "store/dump_verify_files.h"
#include "store/dump_verify_index.h"
#include "store/dump_verify_queues.h"
#include "store/foreign_format.h"

namespace mq::store {

namespace {

struct Walk {
  bool has_records = false;
  int64_t newest_time = 0;
  PhysicalOffset end;
};

void SayDamage(const DumpLog& log, const LogItem& item, const FaultSink& sink) {
  std::string text = item.kind == LogItemKind::kTornTail ? "torn tail: " : "";
  text += item.reason;
  if (item.kind == LogItemKind::kTornTail) {
    text += "; no record follows (position " + std::to_string(item.position.value()) + ")";
  } else {
    text += "; the next record is at position " + std::to_string(item.position.value() + item.bytes);
  }
  sink({log.PathOf(item.position), log.ByteOf(item.position), Severity::kError,
        item.kind == LogItemKind::kTornTail ? "I-2" : "I-3", std::move(text)});
}

// What RocketMQ takes for the end of the log though it is a sound record.
void CheckPoison(const DumpLog& log, const LogItem& item, const FaultSink& sink) {
  if (item.message.topic != protocol::kScheduleTopic) return;
  const auto level = protocol::FindProperty(item.message.properties, protocol::property::kDelay);
  if (!level || ParseInt64(*level)) return;
  sink({log.PathOf(item.position), log.ByteOf(item.position), Severity::kError, "rocketmq",
        "the record's DELAY is no number: RocketMQ takes it for the end of the log after a crash"});
}

Result<Walk> WalkLog(const VerifyOptions& options, DumpLog& log, QueueVerifier& queues, IndexVerifier& index,
                     VerifyReport& report, const FaultSink& sink) {
  Walk walk;
  for (;;) {
    MQ_ASSIGN(const std::optional<LogItem> item, log.Next());
    if (!item) break;
    switch (item->kind) {
      case LogItemKind::kRecord:
        ++report.records;
        walk.has_records = true;
        walk.newest_time = std::max(walk.newest_time, item->message.store_timestamp);
        MQ_TRY(queues.OnRecord(*item));
        MQ_TRY(index.OnRecord(*item, log.min()));
        if (options.for_rocketmq) CheckPoison(log, *item, sink);
        break;
      case LogItemKind::kBlank:
        if (item->claimed_bytes != item->bytes) {
          sink({log.PathOf(item->position), log.ByteOf(item->position), Severity::kError, "I-2",
                "the blank names " + std::to_string(item->claimed_bytes) + " bytes where " +
                    std::to_string(item->bytes) + " are left of the file"});
        }
        break;
      case LogItemKind::kDamage:
      case LogItemKind::kTornTail:
        SayDamage(log, *item, sink);
        break;
    }
    if (item->kind == LogItemKind::kTornTail) break;
  }
  walk.end = log.position();
  return walk;
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

}  // namespace

std::string_view SeverityName(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

Result<VerifyReport> VerifyStore(const VerifyOptions& options, const FaultSink& sink) {
  VerifyReport report;
  const FaultSink counted = [&](const Fault& fault) {
    ++report.faults;
    sink(fault);
  };
  const StoreLayout layout(options.root);
  MQ_ASSIGN(DumpLog log, DumpLog::Open(layout, protocol::BodyCheck::kCrc));
  if (const auto foreign = FindForeignFormat(options.root)) {
    counted({foreign->path, 0, Severity::kError, "5.x", foreign->what + "; a broker refuses the store"});
  }
  MQ_TRY(VerifyNames(options, log, counted));
  QueueVerifier::Scope scope;
  scope.topics = ConfiguredTopics(layout);
  scope.unclean = PathExists(layout.Abort());
  if (options.positions != nullptr) {
    // Dispatched first: what is in the queues is then surely below the end of the walk.
    scope.live = true;
    scope.dispatched = PhysicalOffset(options.positions->reputd().dispatched.load(std::memory_order_acquire));
    log.set_limit(LoadWrote(options.positions->broker()).wrote);
    CheckPositions(*options.positions, counted, options.root);
  } else if (scope.unclean) {
    counted({layout.Abort(), 0, Severity::kWarning, "abort",
             "no clean stop: a broker is running, or was killed and recovers at its next start"});
  }
  MQ_ASSIGN(Tombstones tombstones, Tombstones::Load(layout));
  QueueVerifier queues(options, scope, std::move(tombstones), counted);
  IndexVerifier index(options, scope.unclean, counted);
  MQ_TRY(index.Open());
  MQ_ASSIGN(const Walk walk, WalkLog(options, log, queues, index, report, counted));
  report.log_end = walk.end.value();
  MQ_TRY(queues.Finish(log));
  MQ_TRY(index.Finish(walk.end));
  MQ_TRY(VerifyConfig(options, queues, walk.has_records, walk.newest_time, counted));
  return report;
}

}  // namespace mq::store
