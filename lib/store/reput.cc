#include "store/reput.h"

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "base/strings.h"
#include "store/queue_check.h"
#include "store/tags_code.h"

namespace mq::store {

namespace {

constexpr int64_t kMarkerRetryMs = 20;
// Queues whose files are looked at in one step.
constexpr size_t kTrimQueues = 64;

int64_t NextLimit(const std::map<std::string, PhysicalOffset, std::less<>>& removals, PhysicalOffset limit) {
  for (const auto& [topic, position] : removals) limit = std::min(limit, position);
  return limit.value();
}

// Those that the marker does not know: it stays where it is until they are kept.
KnownNumbers UnknownTo(const std::optional<DispatchedMarker>& marker, const KnownNumbers& numbers) {
  KnownNumbers marked, unknown;
  if (marker) AddMarked(marked, *marker);
  for (const auto& [name, number] : numbers) {
    if (AddNumber(marked, name, number)) AddNumber(unknown, name, number);
  }
  return unknown;
}

// From here on a kill loses none of them, whatever is cut or removed of the queue files.
Status AddAndStore(const StoreLayout& layout, KnownNumbers& numbers, const KnownNumbers& found) {
  bool grown = false;
  for (const auto& [name, number] : found) grown |= AddNumber(numbers, name, number);
  return grown ? SaveNumbers(layout, numbers) : Ok();
}

}  // namespace

Reput::Reput(const StoreOptions& options, Positions& positions, PhysicalOffset start, Tombstones tombstones)
    : options_(options),
      layout_(options.root),
      positions_(positions),
      page_(positions.own_reputd()),
      log_(options_, &positions),
      walk_(log_, start),
      queues_(options_),
      tombstones_(std::move(tombstones)),
      started_from_(start) {
  for (const auto& [topic, position] : tombstones_.positions()) {
    if (position >= start) pending_removals_.emplace(topic, position);
  }
  walk_.SetOnSkipped([this](const SkippedStretch& stretch) { TellSkipped(stretch); });
}

Result<std::unique_ptr<Reput>> Reput::Open(const StoreOptions& options, Positions& positions, bool rebuild) {
  const BrokerPage& broker = positions.broker();
  const StoreLayout layout(options.root);
  const PhysicalOffset log_min = LoadLogMin(positions);
  const PhysicalOffset recovered_end(broker.recovered_end.load(std::memory_order_acquire));
  const uint32_t version = broker.tombstones.load(std::memory_order_acquire);
  MQ_ASSIGN(Tombstones tombstones, Tombstones::Load(layout));

  // In the same life of the positions the log may have been written on: the marker may name more than the
  // recovered end.
  ReputdPage& page = positions.own_reputd();
  const bool same_life = page.queues_checked.load(std::memory_order_acquire) != 0;
  const PhysicalOffset log_end = same_life ? LoadReadable(positions) : recovered_end;
  std::string why = "a rebuild was asked for";
  std::optional<DispatchedMarker> marker;
  if (!rebuild) marker = LoadBelievedMarker(options, log_min, log_end, &why);
  if (!marker && log_end > log_min)
    log::Info("store.reput", "queues are derived from the whole log").Field("reason", why);

  const QueueCheckMode mode = same_life ? QueueCheckMode::kLookOnly : QueueCheckMode::kCut;
  MQ_ASSIGN(KnownNumbers numbers, LoadNumbers(layout, tombstones));
  if (!same_life && broker.log_damaged.load(std::memory_order_acquire) != 0) {
    MQ_ASSIGN(KnownNumbers given, NumbersOfEntries(options, recovered_end, tombstones, marker));
    MQ_TRY(AddAndStore(layout, numbers, UnknownTo(marker, given)));
  }
  MQ_ASSIGN(QueueCheck check, CheckQueues(options, log_min, marker, tombstones, mode));
  KnownNumbers lost;
  for (const auto& [name, end] : check.lost) AddNumber(lost, name, {end, marker->offset});
  MQ_TRY(AddAndStore(layout, numbers, lost));

  PassKillPoint(KillPoint::kQueuesChecked);
  std::unique_ptr<Reput> reput(new Reput(options, positions, check.start, std::move(tombstones)));
  reput->tombstones_loaded_ = version;
  reput->queues_.Start(check.queues);
  reput->numbers_ = std::move(numbers);
  reput->numbers_until_ = marker ? std::max(recovered_end, marker->offset) : recovered_end;
  reput->numbers_stored_ = PathExists(layout.Numbers());
  if (marker) reput->believed_ = marker->offset;
  if (marker && check.start == marker->offset) {
    reput->marked_ = marker->offset;
    reput->last_record_ = marker->last_record;
    reput->last_store_timestamp_ = marker->store_timestamp;
    reput->last_body_crc_ = marker->body_crc;
    page.durable_dispatched.store(
        std::max(page.durable_dispatched.load(std::memory_order_relaxed), marker->offset.value()),
        std::memory_order_release);
  }
  reput->log_min_ = log_min;
  if (marker) reput->trimmed_ = reput->marked_log_min_ = marker->log_min;
  if (marker && marker->index) reput->marked_index_ = marker->index->position;
  reput->index_checks_ = page.index_checks.load(std::memory_order_relaxed);
  if (options.index_enable) {
    // The index is checked later than the queues: only what was published says that it was, in this life.
    const bool index_checked = same_life && page.indexed.load(std::memory_order_relaxed) > 0;
    IndexCheckMode index_mode = index_checked ? IndexCheckMode::kGoOn : IndexCheckMode::kRollBack;
    if (rebuild) index_mode = IndexCheckMode::kRebuild;
    // Entries for positions behind the recovered end are of records that are gone, whatever lies there now.
    reput->index_.emplace(reput->options_, reput->log_, marker ? marker->index : std::nullopt, index_mode, log_min,
                          index_checked ? log_end : recovered_end,
                          index_checked && page.index_unsure.load(std::memory_order_relaxed) == 0);
    // Files that are built again have other names than the marker's: it is written anew once they are there.
    reput->marked_index_ = std::min(reput->marked_index_, reput->index_->position());
  }
  page.queues_checked.store(1, std::memory_order_release);
  log::Info("store.reput", "dispatch starts")
      .Field("from", check.start.value())
      .Field("to", log_end.value())
      .Field("queues_kept", static_cast<uint64_t>(check.queues.size()))
      .Field("queues_lost", check.rebuilt_queues);
  return reput;
}

PhysicalOffset Reput::limit() const {
  const PhysicalOffset readable = LoadReadable(positions_);
  if (options_.flush_disk_type == FlushDiskType::kAsync) return readable;
  return std::min(readable, LoadFlushed(positions_));
}

// What recovery has looked at it has told. After a restart in the same life the replay meets again what is told
// already: the walk only goes up, so nothing at or below the last one is news.
void Reput::TellSkipped(const SkippedStretch& stretch) {
  const BrokerPage& broker = positions_.broker();
  const bool recovery_looked = stretch.from.value() >= broker.recovered_from.load(std::memory_order_relaxed) &&
                               stretch.from.value() < broker.recovered_end.load(std::memory_order_relaxed);
  const uint32_t told = page_.log_skipped.load(std::memory_order_relaxed);
  const bool is_told = told > 0 && stretch.from.value() <= page_.log_skipped_at.load(std::memory_order_relaxed);
  if (recovery_looked || is_told) return;
  page_.log_skipped_at.store(stretch.from.value(), std::memory_order_relaxed);
  page_.log_skipped.store(told + 1, std::memory_order_release);
}

Status Reput::DispatchRecord(const protocol::MessageView& message) {
  if (!EntersQueue(message.sys_flag) || message.queue_id < 0 || message.queue_offset.value() < 0) return Ok();
  if (!tombstones_.empty() && message.physical_offset < tombstones_.Of(message.topic)) return Ok();
  if (!IsSafeTopicDirectory(message.topic)) return Ok();
  const QueueEntry entry{message.physical_offset, message.size, QueueTagsCode(message, options_.delay_levels_ms)};
  return queues_.GetOrCreate(message.topic, message.queue_id).Put(message.queue_offset, entry, queues_.anomalies());
}

Status Reput::Dispatch(PhysicalOffset to, PhysicalOffset stop, int64_t max_records) {
  if (undone_) {
    Slice slice;
    MQ_ASSIGN(protocol::MessageView message, log_.ReadRecord(*undone_, &slice));
    MQ_TRY(DispatchRecord(message));
    undone_.reset();
    if (index_) index_->Dispatch(message, walk_.position());
  }
  for (int64_t i = 0; i < max_records; ++i) {
    MQ_ASSIGN(const protocol::MessageView* message, walk_.Next(to, stop));
    if (message == nullptr) break;
    ++records_;
    last_record_ = walk_.record_position();
    last_store_timestamp_ = message->store_timestamp;
    last_body_crc_ = message->body_crc;
    if (Status done = DispatchRecord(*message); !done) {
      undone_ = last_record_;
      return done;
    }
    if (index_) index_->Dispatch(*message, walk_.position());
  }
  return numbers_.empty() || walk_.position() < numbers_until_ ? Ok() : KeepNumbers();
}

// Records that are lost keep their numbers: without entries the next start would know nothing of them.
Status Reput::KeepNumbers() {
  DropDeleted(numbers_, tombstones_);
  for (const auto& [name, number] : numbers_) {
    QueueWriter& queue = queues_.GetOrCreate(name.topic, name.queue_id);
    MQ_TRY(queue.KeepNumbers(number.end, number.known_at, queues_.anomalies()));
  }
  numbers_.clear();
  return Ok();
}

// Never lowers it: after a restart in the same life the replay runs below what is published already.
bool Reput::Publish() {
  const int64_t dispatched = undone_ ? undone_->value() : walk_.position().value();
  if (dispatched <= page_.dispatched.load(std::memory_order_relaxed)) return false;
  page_.dispatched.store(dispatched, std::memory_order_release);
  return true;
}

bool Reput::PublishIndexed() {
  if (!index_) return false;
  const int64_t indexed = index_->position().value();
  if (indexed <= page_.indexed.load(std::memory_order_relaxed)) return false;
  page_.indexed.store(indexed, std::memory_order_release);
  return true;
}

// A query has met what cannot be.
void Reput::FollowIndexChecks() {
  if (!index_ || index_->unsure() > 0) return;
  page_.index_checks.store(index_checks_, std::memory_order_release);
  const uint32_t requests = positions_.broker().index_check_requests.load(std::memory_order_acquire);
  if (requests == index_checks_) return;
  if (index_->CheckAgain()) index_checks_ = requests;
}

// Before `indexed`: who sees that sees also which files cannot be believed yet. True when they can be from now on.
bool Reput::PublishIndexState() {
  if (!index_) return false;
  const auto& damaged = index_->damaged();
  if (damaged.size() > index_damaged_) {
    const auto name = ParseInt64(damaged.back());
    page_.index_damaged_file.store(name ? *name : 0, std::memory_order_relaxed);
    page_.index_damaged.fetch_add(static_cast<uint32_t>(damaged.size() - index_damaged_), std::memory_order_release);
    index_damaged_ = damaged.size();
  }
  const uint32_t unsure = index_->unsure();
  const uint32_t before = page_.index_unsure.exchange(unsure, std::memory_order_release);
  page_.index_failing.store(index_->failing() ? 1 : 0, std::memory_order_relaxed);
  return before > 0 && unsure == 0;
}

Status Reput::LoadNewTombstones() {
  const uint32_t version = positions_.broker().tombstones.load(std::memory_order_acquire);
  if (version == tombstones_loaded_) return Ok();
  MQ_ASSIGN(Tombstones loaded, Tombstones::Load(layout_));
  for (const auto& [topic, position] : loaded.positions()) {
    if (tombstones_.Of(topic) < position) pending_removals_.insert_or_assign(topic, position);
  }
  tombstones_ = std::move(loaded);
  tombstones_loaded_ = version;
  return Ok();
}

Result<bool> Reput::ApplyTombstones() {
  if (undone_) return false;
  for (auto it = pending_removals_.begin(); it != pending_removals_.end();) {
    if (it->second > walk_.position()) {
      ++it;
      continue;
    }
    MQ_TRY(queues_.RemoveTopic(it->first));
    PassKillPoint(KillPoint::kTopicRemoved);
    waiting_marker_.reset();  // it names queues that are gone
    log::Info("store.reput", "queues of a deleted topic removed").Field("topic", it->first);
    it = pending_removals_.erase(it);
  }
  if (!pending_removals_.empty() || page_.tombstones_applied.load(std::memory_order_relaxed) == tombstones_loaded_) {
    return false;
  }
  page_.tombstones_applied.store(tombstones_loaded_, std::memory_order_release);
  return true;
}

// Files that are on their way out are let go of, and what they held needs no entry any more.
void Reput::FollowLogMin() {
  const PhysicalOffset log_min = LoadLogMin(positions_);
  if (log_min == log_min_) return;
  log_min_ = log_min;
  log_.ForgetRemoved();
  if (undone_ && *undone_ < log_min) undone_.reset();
  if (walk_.position() >= log_min) return;
  log::Warn("store.reput", "records have expired before they were dispatched")
      .Field("from", walk_.position().value())
      .Field("to", log_min.value());
  walk_.SkipTo(log_min);
}

void Reput::TrimStep(ReputOutcome& outcome) {
  const uint32_t requests = positions_.broker().clean_queues_requests.load(std::memory_order_acquire);
  if (!trimming_) {
    // Not `min`: a file below it that a kill or a power cut leaves there keeps its queue entries and keys.
    const PhysicalOffset removed = LoadLogRemoved(positions_);
    if (removed <= trimmed_ && requests == trim_requests_) return;
    trim_requests_ = requests;
    trimming_ = removed;
    queues_.BeginTrim();
  }
  if (queues_.Trim(*trimming_, kTrimQueues)) {
    outcome.more = true;
    return;
  }
  PassKillPoint(KillPoint::kQueuesTrimmed);
  if (index_) index_->Trim(*trimming_);
  PassKillPoint(KillPoint::kTrimUnpublished);
  trimmed_ = *trimming_;
  trimming_.reset();
  page_.trimmed.store(std::max(page_.trimmed.load(std::memory_order_relaxed), trimmed_.value()),
                      std::memory_order_release);
  outcome.trimmed = true;
}

Result<ReputOutcome> Reput::Step(int64_t now_ms, int64_t max_records) {
  MQ_ASSIGN(ReputOutcome outcome, DispatchStep(now_ms, max_records));
  MQ_TRY(FlushStep(now_ms));
  outcome.next_step_ms = waiting_marker_ ? kMarkerRetryMs : options_.queue_flush_interval_ms;
  return outcome;
}

Result<ReputOutcome> Reput::DispatchStep(int64_t now_ms, int64_t max_records) {
  ReputOutcome outcome;
  // `wrote` first: a record of a topic that was made again is visible only after its tombstone is.
  const PhysicalOffset whole = limit();
  FollowLogMin();
  MQ_TRY(LoadNewTombstones());
  // Where the queues of a deleted topic go first. In a log that another broker has cut it may be inside of a record.
  const PhysicalOffset stop(NextLimit(pending_removals_, whole));
  Status dispatched = Dispatch(whole, stop, max_records);
  if (index_) index_->CatchUp(undone_ ? *undone_ : walk_.position(), max_records, now_ms);
  if (index_) index_->Audit(now_ms);
  FollowIndexChecks();
  PassKillPoint(KillPoint::kDispatchedUnpublished);
  outcome.advanced = PublishIndexState();
  outcome.advanced |= PublishIndexed();
  outcome.advanced |= Publish();
  page_.gaps.store(queues_.anomalies().gaps, std::memory_order_relaxed);
  const int why = dispatched ? 0 : dispatched.error().sys_errno != 0 ? dispatched.error().sys_errno : EIO;
  page_.queue_error.store(static_cast<uint32_t>(why), std::memory_order_release);
  MQ_TRY(std::move(dispatched));
  MQ_ASSIGN(outcome.tombstones_applied, ApplyTombstones());
  TrimStep(outcome);
  outcome.more |= walk_.position() < whole || (index_ && index_->more(now_ms));
  outcome.auditing = index_ && index_->auditing(now_ms);
  return outcome;
}

Status Reput::FinishAudit() {
  for (;;) {
    MQ_ASSIGN(const ReputOutcome outcome, DispatchStep(last_flush_ms_, 1 << 16));
    if (!outcome.more && !outcome.auditing) return Ok();
  }
}

Status Reput::Finish() {
  for (;;) {
    MQ_ASSIGN(ReputOutcome outcome, Step(last_flush_ms_, 1 << 16));
    if (!outcome.more) break;
  }
  MQ_TRY(FlushThoroughly());
  return WriteMarkerIfCovered();
}

}  // namespace mq::store
