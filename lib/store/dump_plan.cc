#include "store/dump_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/json_file.h"
#include "store/consume_queue.h"
#include "store/dispatched_marker.h"
#include "store/dump_file.h"
#include "store/dump_index.h"
#include "store/dump_queue.h"
#include "store/index_file_check.h"
#include "store/layout.h"
#include "store/log_tail.h"
#include "store/log_walk.h"
#include "store/plain_files.h"
#include "store/queue_check.h"
#include "store/store_lock.h"
#include "store/tombstones.h"
#include "store/transient_pool.h"

namespace mq::store {

namespace {

std::string Count(int64_t number, std::string_view what) {
  return std::to_string(number) + " " + std::string(what) + (number == 1 ? "" : "s");
}

class Planner {
 public:
  explicit Planner(const StoreOptions& options) : options_(options), layout_(options.layout()) {}

  Result<RecoveryPlan> Run() {
    MQ_TRY(RefuseUnusable(layout_));
    MQ_ASSIGN(plan_.log, RecoverCommitLog(options_, !AbortExists(layout_), nullptr, RecoverMode::kPlan));
    MQ_TRY(PlanPool());
    MQ_TRY(MeasureTail());
    PlanLog();
    MQ_TRY(PlanQueues());
    MQ_TRY(PlanIndex());
    MQ_TRY(PlanConfig());
    return std::move(plan_);
  }

 private:
  std::string FileOf(PhysicalOffset position) const {
    return layout_.CommitLogFile(PhysicalOffset(position.value() - ByteOf(position)));
  }
  int64_t ByteOf(PhysicalOffset position) const { return position.value() % options_.commit_log_file_bytes; }

  void Add(std::string file, int64_t byte, std::string_view action, std::string text) {
    plan_.steps.push_back({std::move(file), byte, action, std::move(text), false});
  }
  void AddOfLog(PhysicalOffset position, std::string_view action, std::string text) {
    plan_.steps.push_back({FileOf(position), ByteOf(position), action, std::move(text), true});
    plan_.anything_lost = true;
  }

  // What it holds comes before everything else: the rest of the plan is about the log with it.
  Status PlanPool() {
    MQ_ASSIGN(const LeftPool left, LookAtLeftPool(options_, plan_.log.end));
    if (left.found) {
      std::string text =
          Count(left.records, "message") + " that killed processes left in the transient pool go into the log";
      if (left.records > 0) text += ", up to position " + std::to_string(left.to);
      Add(left.path, 0, "commit", std::move(text));
    }
    if (!left.damage.empty()) {
      Add(left.path, 0, "keep", left.damage);
      plan_.anything_lost = true;
    }
    if (!left.loss.empty()) {
      Add(left.path, 0, left.found ? "lost" : "distrust", left.loss);
      plan_.anything_lost = true;
    }
    if (!left.found) return Ok();
    if (PhysicalOffset(left.to) <= plan_.log.end) return Ok();
    plan_.log.records += left.records;
    plan_.log.records_dropped = 0;
    plan_.log.end = PhysicalOffset(left.to);
    return Ok();
  }

  // What lies behind the log's end, once the pool is in it.
  Status MeasureTail() {
    MQ_ASSIGN(const auto files, ListLogFiles(layout_));
    for (const FileEntry& file : files) {
      if (file.start + file.bytes <= plan_.log.end.value()) continue;
      const int64_t from = std::max<int64_t>(plan_.log.end.value() - file.start, 0);
      MQ_ASSIGN(const int64_t dropped, TailBytes(layout_.CommitLogFile(PhysicalOffset(file.start)), from));
      plan_.log.bytes_dropped += dropped;
    }
    return Ok();
  }

  void PlanLog() {
    const RecoverResult& log = plan_.log;
    if (const PhysicalOffset end = log.short_file_end; end.value() > 0) {
      Add(layout_.CommitLogFile(
              PhysicalOffset((end.value() - 1) / options_.commit_log_file_bytes * options_.commit_log_file_bytes)),
          0, "fill", "too short: filled up with zeros");
    }
    if (log.checkpoint_distrusted) {
      Add(layout_.Checkpoint(), 0, "distrust", "in the future or damaged: the log is walked from its first file");
    }
    if (log.lost_log_end.value() > 0) {
      Add(layout_.CommitLogDir(), 0, "lost",
          "no log file is left, and records up to position " + std::to_string(log.lost_log_end.value()) +
              " were durable: the log begins anew");
      plan_.anything_lost = true;
    }
    if (log.lost_log_begin.value() >= 0) {
      Add(layout_.CommitLogDir(), 0, "lost",
          "the first files are gone, and not by expiry: what lay from position " +
              std::to_string(log.lost_log_begin.value()) + " to " + std::to_string(log.min.value()));
      plan_.anything_lost = true;
    }
    for (const DamagedStretch& stretch : log.kept_damage) {
      const int64_t bytes = stretch.to - stretch.from;
      AddOfLog(stretch.from, "keep",
               (stretch.served ? "a record of " + Count(bytes, "byte") + " served as it is: "
                               : Count(bytes, "damaged byte") + " skipped: ") +
                   stretch.reason);
    }
    if (log.bytes_dropped == 0) return;
    std::string text = Count(log.bytes_dropped, "byte") + " behind the last whole record overwritten with zeros";
    if (log.records_dropped > 0) text += ", " + Count(log.records_dropped, "whole record") + " among them";
    AddOfLog(log.end, "cut", std::move(text));
  }

  Status PlanQueues() {
    marker_ = plan_.log.marker;
    MQ_ASSIGN(const Tombstones tombstones, Tombstones::Load(layout_));
    MQ_ASSIGN(const QueueCheck check,
              CheckQueues(options_, plan_.log.min, marker_, tombstones, QueueCheckMode::kLookOnly));
    MQ_ASSIGN(const std::vector<QueueName> names, ListQueues(layout_));
    for (const QueueName& name : names) MQ_TRY(PlanQueue(name));
    if (check.start >= plan_.log.end) return Ok();
    MQ_TRY(PlanSkipped(check.start));
    std::string text = "entries of the log from position " + std::to_string(check.start.value()) + " on";
    if (check.rebuilt_queues > 0) {
      text += ", because " + Count(static_cast<int64_t>(check.rebuilt_queues), "queue") + " lost files or entries";
    } else if (!marker_) {
      text += " (" + layout_.Dispatched() + ": " + plan_.log.marker_doubt + ")";
    }
    Add(layout_.ConsumeQueueDir(), 0, "derive", std::move(text));
    return Ok();
  }

  // Damage that recovery does not look at, and the dispatch from there on does.
  Status PlanSkipped(PhysicalOffset from) {
    LogReader log(options_, nullptr, plan_.log.end);
    LogWalk walk(log, from);
    std::vector<SkippedStretch> skipped;
    walk.SetOnSkipped([&skipped](const SkippedStretch& stretch) {
      if (!skipped.empty() && skipped.back().from == stretch.from) skipped.pop_back();
      skipped.push_back(stretch);
    });
    for (;;) {
      MQ_ASSIGN(const protocol::MessageView* message, walk.Next(plan_.log.scanned_from));
      if (message == nullptr) break;
    }
    for (const SkippedStretch& stretch : skipped) {
      AddOfLog(stretch.from, "keep", Count(stretch.to - stretch.from, "damaged byte") + " skipped: " + stretch.reason);
    }
    return Ok();
  }

  Status PlanQueue(const QueueName& name) {
    MQ_ASSIGN(DumpQueue queue, DumpQueue::Open(layout_, name));
    MQ_ASSIGN(const int64_t end, queue.End());
    int64_t index = end;
    while (index > queue.first()) {
      MQ_ASSIGN(const auto entry, queue.Entry(index - 1));
      if (!entry || !entry->IsRecord() || entry->physical_offset < plan_.log.end) break;
      --index;
    }
    if (index < end) {
      Add(queue.PathOf(index), queue.ByteOf(index), "cut",
          Count(end - index, "queue unit") + " behind the end of the log");
    }
    return Ok();
  }

  Status PlanIndex() {
    if (!options_.index_enable) return Ok();
    const auto files = ListIndexFiles(layout_);
    if (!files) {
      // A broker serves without its index, and says so.
      Add(layout_.IndexDir(), 0, "derive", "nothing of it while it cannot be read: " + files.error().what);
      return Ok();
    }
    for (const IndexFileEntry& file : *files) {
      auto index = DumpIndex::Open(layout_.IndexFile(file.name), options_.index_slots);
      if (!index) {
        Add(layout_.IndexFile(file.name), 0, "derive", "no index file of this broker's numbers: its keys are put anew");
        continue;
      }
      int64_t number = index->end();
      while (number > 1) {
        MQ_ASSIGN(const IndexEntry entry, index->Entry(number - 1));
        if (entry.position < plan_.log.end) break;
        --number;
      }
      if (number < index->end()) {
        Add(index->path(), index->EntryByte(number), "cut",
            Count(index->end() - number, "key") + " of records behind the end of the log");
      }
    }
    if (!marker_ || !marker_->index) {
      Add(layout_.IndexDir(), 0, "derive", "keys that a look at every index file and the log finds missing");
      return Ok();
    }
    LogReader log(options_, nullptr, plan_.log.end);
    for (const MarkedIndexFile& file : marker_->index->files) MQ_TRY(PlanMarkedIndexFile(file, log));
    if (marker_->index->position < plan_.log.end) {
      Add(layout_.IndexDir(), 0, "derive",
          "keys of the log from position " + std::to_string(marker_->index->position.value()) + " on");
    }
    return Ok();
  }

  // As mq-reputd looks at it.
  Status PlanMarkedIndexFile(const MarkedIndexFile& file, LogReader& log) {
    const std::string path = layout_.IndexFile(file.name);
    if (!PathExists(path)) {
      Add(path, 0, "derive", "is missing: its keys are put anew");
      return Ok();
    }
    const bool newest = &file == &marker_->index->files.back();
    auto check = IndexFileCheck::Open(options_, log, plan_.log.end, file,
                                      newest ? IndexFileCheck::Extent::kAtLeast : IndexFileCheck::Extent::kWhole);
    for (bool over = !check; !over;) {
      int64_t budget = int64_t{1} << 20;
      MQ_ASSIGN(over, check->Step(budget));
    }
    if (!check || !check->entries_sound()) {
      Add(path, 0, "derive", "is damaged: its keys are put anew");
    } else if (check->rest_damaged()) {
      Add(path, 0, "derive", "is damaged: put right from its entries");
    }
    return Ok();
  }

  Status PlanConfig() {
    // The tables that a broker reads.
    constexpr std::pair<const char*, const char*> kTables[] = {{"topics.json", "topicConfigTable"},
                                                               {"subscriptionGroup.json", "subscriptionGroupTable"},
                                                               {"consumerOffset.json", "offsetTable"}};
    for (const auto& [name, table] : kTables) {
      const std::string path = JoinPath(layout_.ConfigDir(), name);
      const auto state = json::LookAtFile(path, json::HasObject(table));
      if (!state) {
        plan_.refused = true;
        Add(path, 0, "refuse", state.error().what);
      } else if (!state->why_backup.empty()) {
        Add(path, 0, "fall-back",
            state->why_backup == "missing" ? "missing: its .bak takes its place"
                                           : "damaged or empty: set aside, and its .bak takes its place");
      }
    }
    return Ok();
  }

  StoreOptions options_;
  StoreLayout layout_;
  std::optional<DispatchedMarker> marker_;
  RecoveryPlan plan_;
};

}  // namespace

Result<RecoveryPlan> PlanRecovery(const StoreOptions& options) { return Planner(options).Run(); }

Status TakeSizesFromFiles(StoreOptions& options) {
  const StoreLayout layout = options.layout();
  std::vector<int64_t> sizes;
  MQ_ASSIGN(const std::vector<FileEntry> log, ListLogFiles(layout));
  for (const FileEntry& file : log) sizes.push_back(file.bytes);
  if (const int64_t usual = UsualSize(sizes); usual > 0) options.commit_log_file_bytes = usual;
  sizes.clear();
  MQ_ASSIGN(const std::vector<QueueName> names, ListQueues(layout));
  for (const QueueName& name : names) {
    MQ_ASSIGN(const std::vector<FileEntry> files, ListDumpFiles(layout.QueueDir(name.topic, name.queue_id)));
    for (const FileEntry& file : files) sizes.push_back(file.bytes);
  }
  if (const int64_t usual = UsualSize(sizes); usual > 0) options.consume_queue_file_bytes = usual;
  const auto indexes = ListIndexFiles(layout);
  if (!indexes) return Ok();  // a broker serves without them
  for (const IndexFileEntry& file : *indexes) {
    const auto index = DumpIndex::Open(layout.IndexFile(file.name), 0);
    if (!index) continue;
    options.index_slots = static_cast<int32_t>(index->slots());
    options.index_entries = static_cast<int32_t>(index->entries());
    break;
  }
  return Ok();
}

}  // namespace mq::store
