#include "store/recovery.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/checkpoint.h"
#include "store/dispatched_marker.h"
#include "store/foreign_format.h"
#include "store/layout.h"
#include "store/log_evidence.h"
#include "store/log_files.h"
#include "store/log_tail.h"
#include "store/mapped_file.h"
#include "store/queue_numbers.h"
#include "store/record.h"
#include "store/record_search.h"

namespace mq::store {

namespace {

constexpr uint32_t kMessageMagicV2 = 0xDAA320AB;  // 5.x, topics over 127 bytes
// After a clean stop at most this much is walked again.
constexpr int64_t kCleanScanBytes = int64_t{128} << 20;
constexpr int64_t kCleanScanFiles = 3;
constexpr int64_t kProgressRecords = 1 << 16;

class LogRecovery {
 public:
  LogRecovery(const StoreOptions& options, bool clean, const RecoverProgress& progress, RecoverMode mode,
              PhysicalOffset durable)
      : options_(options),
        layout_(options.layout()),
        progress_(progress),
        mode_(mode),
        given_durable_(durable),
        search_(options, files_) {
    result_.clean = clean;
  }

  Result<RecoverResult> Run() {
    MQ_TRY(Recover());
    if (marker_ && marker_->offset > result_.end) DropMarker("it names a position behind the end of the log");
    if (!marker_ && mode_ == RecoverMode::kRepair) MQ_TRY(RemoveFile(layout_.Dispatched()));
    result_.marker = std::move(marker_);
    return std::move(result_);
  }

 private:
  Status Recover() {
    MQ_TRY(RefuseForeignFormats());
    MQ_ASSIGN(files_, ListLogFiles(layout_));
    MQ_ASSIGN(evidence_, ReadEvidence(layout_));
    result_.checkpoint_distrusted = evidence_.distrusted;
    if (files_.empty()) return BeginAnew();
    MQ_ASSIGN(result_.short_file_end, CheckLogFiles(options_, evidence_.said(), mode_, files_));
    if (files_.empty()) return Ok();
    result_.min = PhysicalOffset(files_.front().start);
    MissBegin();
    MQ_TRY(BelieveEntries());
    BelieveMarker();
    MQ_ASSIGN(PhysicalOffset start, ChooseStart());
    result_.scanned_from = start;
    MQ_TRY(Walk(start));
    PassKillPoint(KillPoint::kLogWalked);
    if (mode_ == RecoverMode::kRepair) MQ_TRY(Settle());
    PassKillPoint(KillPoint::kLogSettled);
    return Ok();
  }

  int64_t file_bytes() const { return options_.commit_log_file_bytes; }

  Status RefuseForeignFormats() {
    if (const auto foreign = FindForeignFormat(options_.root)) {
      return MakeError(ErrorCode::kCorruption, foreign->path + " " + foreign->what);
    }
    return Ok();
  }

  // Expiry says where the log begins before it takes a file.
  void MissBegin() {
    if (evidence_.log_min.value() < 0 || result_.min <= evidence_.log_min) return;
    result_.lost_log_begin = evidence_.log_min;
    if (mode_ != RecoverMode::kRepair) return;
    log::Err("store.recover", "the first files of the log are gone, and expiry has not removed them")
        .Field("directory", layout_.CommitLogDir())
        .Field("from", evidence_.log_min.value())
        .Field("to", result_.min.value());
  }

  void BelieveMarker() {
    const PhysicalOffset all(files_.back().start + file_bytes());
    marker_ = LoadBelievedMarker(options_, result_.min, all, &result_.marker_doubt);
    durable_ = std::max({evidence_.flushed, given_durable_, marker_ ? marker_->offset : PhysicalOffset(0)});
  }

  // Without a checkpoint the entries of the queues say at least how far there were records.
  Status BelieveEntries() {
    if (!evidence_.unknown) return Ok();
    MQ_ASSIGN(const PhysicalOffset end, EndOfEntries(options_, PhysicalOffset(files_.back().start + file_bytes())));
    given_durable_ = std::max(given_durable_, end);
    return Ok();
  }

  void DropMarker(const char* why) {
    marker_.reset();
    result_.marker_doubt = why;
    durable_ = std::max(evidence_.flushed, given_durable_);
  }

  // No file of the log is left. What is said of the old one must not be held against the new one.
  Status BeginAnew() {
    // Its queues begin at 0 with it.
    if (mode_ == RecoverMode::kRepair) MQ_TRY(RemoveFile(layout_.Numbers()));
    result_.lost_log_end = evidence_.said();
    if (mode_ != RecoverMode::kRepair) return Ok();
    // From here on there is one that says that nothing is durable: without it, nothing whole is ever cut.
    if (result_.lost_log_end.value() == 0) return evidence_.unknown ? ForgetFlushes() : Ok();
    log::Err("store.recover", "the log is gone, though its records were durable: it begins anew")
        .Field("directory", layout_.CommitLogDir())
        .Field("durable", result_.lost_log_end.value());
    return ForgetFlushes();
  }

  Status ForgetFlushes() {
    MQ_ASSIGN(auto checkpoint, CheckpointFile::Open(layout_.Checkpoint()));
    return checkpoint.Write({});
  }

  Result<PhysicalOffset> ChooseStart() {
    int64_t last = static_cast<int64_t>(files_.size()) - 1;  // last file that starts with a record
    std::optional<int64_t> time;
    for (; last > 0; --last) {
      MQ_ASSIGN(time, search_.FirstStoreTime(files_[static_cast<size_t>(last)]));
      if (time) break;
    }
    if (result_.clean) return ChooseCleanStart(last);
    const PhysicalOffset durable = evidence_.flushed.value() > 0 ? evidence_.flushed : PhysicalOffset(INT64_MAX);
    for (int64_t i = last; i > 0; --i) {
      // Times alone say nothing after a step of the clock.
      if (PhysicalOffset(files_[static_cast<size_t>(i)].start) > durable) continue;
      MQ_ASSIGN(time, search_.FirstStoreTime(files_[static_cast<size_t>(i)]));
      if (time && *time != 0 && *time <= evidence_.scan_timestamp)
        return PhysicalOffset(files_[static_cast<size_t>(i)].start);
    }
    return result_.min;
  }

  PhysicalOffset ChooseCleanStart(int64_t last) const {
    int64_t first = std::max<int64_t>(last - (kCleanScanFiles - 1), 0);
    if (!marker_) return PhysicalOffset(files_[static_cast<size_t>(first)].start);
    for (; first <= last; ++first) {
      const PhysicalOffset start(files_[static_cast<size_t>(first)].start);
      if (start > marker_->offset) continue;
      const bool close = marker_->offset - start <= kCleanScanBytes;
      // What has become of the marked record shows only to a walk that meets it.
      const bool damaged = marker_->offset - start <= file_bytes() && !HoldsMarkedRecord();
      if (close || damaged) return start;
    }
    return marker_->offset;
  }

  bool HoldsMarkedRecord() const {
    const PhysicalOffset all(files_.back().start + file_bytes());
    return CompareMarkedRecord(options_, *marker_, all) == MarkedRecord::kAsMarked;
  }

  // Walks records from `start` to the end of the log, which becomes result_.end.
  Status Walk(PhysicalOffset start) {
    const auto body_check = options_.check_crc_on_recover ? protocol::BodyCheck::kCrc : protocol::BodyCheck::kSkip;
    PhysicalOffset position = start;
    if (marker_ && marker_->offset == start) result_.last_store_timestamp = marker_->store_timestamp;
    while (!search_.AtEnd(position)) {
      const FileEntry& entry = search_.FileOf(position);
      MQ_ASSIGN(auto file, MappedFile::OpenReadOnly(search_.PathOf(entry), entry.start, entry.bytes));
      const std::string_view bytes(file.data(), static_cast<size_t>(file.bytes()));
      bool next_file = false;
      while (!next_file) {
        // A plan leaves a file as short as it is.
        const auto at = static_cast<size_t>(position.value() - entry.start);
        const std::string_view rest = bytes.substr(std::min(at, bytes.size()));
        const RecordCheck check = CheckRecord(rest, position, body_check);
        if (check.kind == RecordKind::kBad) {
          MQ_TRY(RefuseUnknownRecord(rest, position));
          MQ_ASSIGN(std::optional<PhysicalOffset> go_on, StepOverDamage(position, check));
          if (!go_on) {
            result_.end = position;
            return Ok();
          }
          next_file = go_on->value() >= file.end();
          position = *go_on;
          continue;
        }
        if (check.kind == RecordKind::kBlank) {
          auto hidden = FindRecordInBlank(rest, position, result_.last_store_timestamp);
          // A blank ends at the end of its file, and so does what is durable of it.
          if (!hidden && position < durable_ && durable_ < position + check.bytes) hidden = durable_;
          if (hidden) {
            // Nothing is lost by going on with them, wherever the last flush was.
            KeepDamage(position, *hidden, kHidesRecords);
            position = *hidden;
            continue;
          }
        }
        if (check.kind == RecordKind::kMessage) {
          // Somebody has written over the marked one who knew nothing of it.
          if (marker_ && position < marker_->last_record && marker_->last_record < position + check.bytes)
            DropMarker("the log holds another record where it points");
          ++result_.records;
          result_.last_store_timestamp = check.message.store_timestamp;
          if (result_.records % kProgressRecords == 0) Progress(position);
        }
        position += check.bytes;
        next_file = position.value() >= file.end();
      }
    }
    result_.end = position;
    return Ok();
  }

  void Progress(PhysicalOffset position) {
    if (!progress_) return;
    const int64_t all = files_.back().start + file_bytes() - result_.scanned_from.value();
    progress_("walking the commit log",
              static_cast<int>((position - result_.scanned_from) * 100 / std::max<int64_t>(all, 1)));
  }

  static Status RefuseUnknownRecord(std::string_view rest, PhysicalOffset position) {
    if (rest.size() < 8 || LoadBe32(rest.data() + 4) != kMessageMagicV2) return Ok();
    return MakeError(ErrorCode::kCorruption, "the commit log holds a record of RocketMQ 5.x format 2 at position " +
                                                 std::to_string(position.value()) + ", which this version cannot read");
  }

  // Where to go on behind what is no whole record at `position`; nothing when the log ends here.
  Result<std::optional<PhysicalOffset>> StepOverDamage(PhysicalOffset position, const RecordCheck& check) {
    MQ_ASSIGN(auto next, search_.NextRecord(position + 1));
    if (!next) {
      if (position >= durable_) return std::optional<PhysicalOffset>();  // the usual end, or a torn last record
      if (check.body_only && position + check.bytes <= durable_) return KeepRecord(position, check);
      // The last records are gone, but not their numbers: new ones are put behind where they lay.
      KeepDamage(position, durable_, check.reason);
      return std::optional(durable_);
    }
    MQ_ASSIGN(int64_t next_time, search_.StoreTimeAt(*next));
    // Without a position of the flush (RocketMQ's checkpoint) a record of the same millisecond counts as flushed:
    // nothing that was is ever cut.
    const bool flushed =
        evidence_.flushed.value() > 0 ? position < evidence_.flushed : next_time <= evidence_.durable_timestamp;
    const bool was_durable = result_.clean || evidence_.unknown || position < durable_ || flushed;
    if (!was_durable) {
      MQ_ASSIGN(result_.records_dropped, search_.CountRecords(*next));
      log::Warn("store.recover", "damage above the last durable flush: the log is cut there")
          .Field("offset", position.value())
          .Field("reason", check.reason)
          .Field("records_behind", result_.records_dropped);
      return std::optional<PhysicalOffset>();
    }
    if (check.body_only) return KeepRecord(position, check);
    KeepDamage(position, *next, check.reason);
    return next;
  }

  // Its lengths lead to the next one, and no reader is kept from it: whoever gets it has its checksum.
  std::optional<PhysicalOffset> KeepRecord(PhysicalOffset position, const RecordCheck& check) {
    log::Err("store.recover", "a record below the last durable flush has a damaged body: kept, and served as it is")
        .Field("file", search_.PathOf(search_.FileOf(position)))
        .Field("offset", position.value())
        .Field("to", (position + check.bytes).value())
        .Field("reason", check.reason);
    result_.kept_damage.push_back({position, position + check.bytes, check.reason, true});
    return position + check.bytes;
  }

  void KeepDamage(PhysicalOffset from, PhysicalOffset to, const char* reason) {
    log::Err("store.recover", "damage below the last durable flush: kept and skipped")
        .Field("file", search_.PathOf(search_.FileOf(from)))
        .Field("offset", from.value())
        .Field("to", to.value())
        .Field("reason", reason);
    result_.kept_damage.push_back({from, to, reason, false});
  }

  // Zeroes the tail and makes the log durable up to its end. May be killed and done again at any point.
  Status Settle() {
    const bool left_by_us = result_.clean && marker_ && marker_->offset == result_.end;
    for (const FileEntry& file : files_) {
      const int64_t end = file.start + file_bytes();
      if (end <= result_.scanned_from.value()) continue;
      if (end > result_.end.value() && !left_by_us) {
        MQ_ASSIGN(int64_t dropped,
                  ZeroTail(search_.PathOf(file), std::max<int64_t>(result_.end.value() - file.start, 0)));
        result_.bytes_dropped += dropped;
      }
      if (file.start < result_.end.value() && !result_.clean) {
        // Only what is kept: pages made ready behind the end need not reach the disk.
        MQ_ASSIGN(auto mapped, MappedFile::OpenReadOnly(search_.PathOf(file), file.start, file.bytes));
        MQ_TRY(mapped.Sync(0, std::min(end, result_.end.value()) - file.start));
      }
    }
    if (result_.bytes_dropped > 0) {
      log::Warn("store.recover", "bytes behind the last whole record were dropped")
          .Field("end", result_.end.value())
          .Field("bytes", result_.bytes_dropped)
          .Field("records", result_.records_dropped);
    }
    if (result_.clean) return Ok();
    for (const std::string& directory : layout_.WritableLogDirs()) MQ_TRY(FsyncDirectory(directory));
    return Ok();
  }

  const StoreOptions& options_;
  StoreLayout layout_;
  const RecoverProgress& progress_;
  RecoverMode mode_;
  PhysicalOffset given_durable_;
  std::vector<FileEntry> files_;
  RecordSearch search_;
  std::optional<DispatchedMarker> marker_;
  LogEvidence evidence_;
  PhysicalOffset durable_;  // the checkpoint's position, or the believed marker's, whichever is further
  RecoverResult result_;
};

}  // namespace

Result<RecoverResult> RecoverCommitLog(const StoreOptions& options, bool clean, const RecoverProgress& progress,
                                       RecoverMode mode, PhysicalOffset durable) {
  return LogRecovery(options, clean, progress, mode, durable).Run();
}

}  // namespace mq::store
