#include "store/index_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/kill_point.h"
#include "base/log.h"
#include "store/checkpoint.h"
#include "store/index_scan.h"
#include "store/log_walk.h"
#include "store/remove_name.h"

namespace mq::store {

namespace {

// Entries of a file that are compared with the log, besides its first and last.
constexpr int32_t kSamples = 30;

}  // namespace

Status IndexChecker::Start(const std::optional<MarkedIndex>& marked, IndexCheckMode mode) {
  mode_ = mode;
  MQ_ASSIGN(files_, ListIndexFiles(layout_));
  if (mode == IndexCheckMode::kRebuild) return RemoveFrom(0);
  if (marked) {
    MQ_TRY(FollowMarker(*marked));
  } else {
    MQ_TRY(VerifyAll());
  }
  next_ = unchecked_ = DecisiveFile();
  return Ok();
}

// The newest file, and the one before it as long as the newest holds keys of one record only: there may be more of it
// in front. In the same life also all that was made since the marker.
size_t IndexChecker::DecisiveFile() const {
  if (check_.files.empty()) return 0;
  size_t first = check_.files.size() - 1;
  if (mode_ == IndexCheckMode::kGoOn && marked_files_ > 0) first = std::min(first, marked_files_ - 1);
  const IndexHeader& header = check_.files[first].header;
  if (first > 0 && (header.count == 1 || header.begin == header.end)) --first;
  return first;
}

Result<bool> IndexChecker::Step(int64_t& budget) {
  while (next_ < check_.files.size()) {
    MarkedIndexFile& file = check_.files[next_];
    if (!file_) {
      const bool live = mode_ == IndexCheckMode::kGoOn && next_ + 1 >= marked_files_;
      const bool newest = next_ + 1 == check_.files.size();
      const auto extent = live     ? IndexFileCheck::Extent::kLive
                          : newest ? IndexFileCheck::Extent::kAtLeast
                                   : IndexFileCheck::Extent::kWhole;
      MQ_ASSIGN(file_, IndexFileCheck::Open(options_, log_, log_end_, file, extent));
    }
    MQ_ASSIGN(const bool over, file_->Step(budget));
    if (!over) return false;
    if (!file_->entries_sound()) {
      MQ_TRY(DropDamaged());
      continue;
    }
    if (file_->rest_damaged()) Lost(file.name, "an index file is damaged: put right from its entries");
    MQ_ASSIGN(file, file_->PutRight());
    PassKillPoint(KillPoint::kIndexFileChecked);
    file_.reset();
    ++next_;
  }
  MQ_TRY(Conclude());
  return true;
}

// From the file at hand on all are built again. The index then goes on behind another one, which decides now.
Status IndexChecker::DropDamaged() {
  const std::string name = check_.files[next_].name;
  file_.reset();
  check_.files.resize(next_);
  Lost(name, "an index file is damaged: built again from the log");
  const auto at = std::find_if(files_.begin(), files_.end(), [&](const auto& each) { return each.name == name; });
  MQ_TRY(RemoveFrom(static_cast<size_t>(at - files_.begin())));
  check_.position = PhysicalOffset(0);
  unchecked_ = std::min(unchecked_, DecisiveFile());
  if (unchecked_ < next_) next_ = unchecked_;
  return Ok();
}

Status IndexChecker::Conclude() {
  for (size_t i = 0; i < unchecked_ && !checked_; ++i) check_.unchecked.push_back(check_.files[i].name);
  MQ_TRY(FindResumePoint());
  check_.position = std::max({check_.position, check_.resume_record, log_min_});
  return Ok();
}

Status IndexChecker::RemoveFrom(size_t first) {
  if (first >= files_.size()) return Ok();
  for (size_t i = first; i < files_.size(); ++i) MQ_TRY(RemoveName(PathOf(i)));
  files_.resize(first);
  return FsyncDirectory(layout_.IndexDir());
}

// Kept for a person to look at, until others take their place. The disk is never filled with them.
Status IndexChecker::SetAsideFrom(size_t first, const char* why) {
  if (first >= files_.size()) return Ok();
  const std::string directory = layout_.IndexSetAsideDir();
  MQ_TRY(RemoveTree(directory));
  MQ_TRY(MakeDirectories(directory));
  log::Warn("store.index", why)
      .Field("first", files_[first].name)
      .Field("files", static_cast<uint64_t>(files_.size() - first))
      .Field("set_aside", directory);
  for (size_t i = first; i < files_.size(); ++i) {
    const std::string to = directory + "/" + files_[i].name;
    if (std::rename(PathOf(i).c_str(), to.c_str()) != 0) return ErrnoError(ErrorCode::kIo, "rename " + PathOf(i));
  }
  files_.resize(first);
  MQ_TRY(FsyncDirectory(directory));
  return FsyncDirectory(layout_.IndexDir());
}

void IndexChecker::Lost(const std::string& name, const char* what) {
  log::Warn("store.index", what).Field("file", name).Field("kept_files", static_cast<uint64_t>(check_.files.size()));
  check_.damaged.push_back(name);
}

// --- With a marker ---

Status IndexChecker::FollowMarker(const MarkedIndex& marked) {
  check_.position = marked.position;
  size_t at = 0;  // in files_
  for (size_t i = 0; i < marked.files.size(); ++i) {
    const MarkedIndexFile& file = marked.files[i];
    const bool found = at < files_.size() && files_[at].name == file.name;
    // Expired and trimmed after the marker.
    if (!found && check_.files.empty() && i + 1 < marked.files.size() && file.header.end < log_min_) continue;
    const bool kept = found && files_[at].bytes == IndexFileBytes(options_);
    if (!kept) {
      Lost(file.name, found ? "an index file is not as marked: built again from the log"
                            : "an index file is gone: built again from the log");
      check_.position = PhysicalOffset(0);
      return RemoveFrom(at);
    }
    check_.files.push_back(file);
    ++at;
  }
  marked_files_ = check_.files.size();
  return mode_ == IndexCheckMode::kGoOn ? GoOnWith(at) : RemoveFrom(at);
}

// Files made since the marker, in the same life: whole but for the last put.
Status IndexChecker::GoOnWith(size_t at) {
  for (; at < files_.size(); ++at) {
    auto scan = IndexScan::Open(options_, PathOf(at));
    if (!scan) {
      if (scan.error().code != ErrorCode::kCorruption) return std::move(scan).error();
      Lost(files_[at].name, "an index file has another size than the settings say: built again from the log");
      check_.position = PhysicalOffset(0);
      return RemoveFrom(at);
    }
    check_.files.push_back({files_[at].name, scan->header(), std::nullopt});
  }
  return Ok();
}

// --- Without a marker ---

Status IndexChecker::VerifyAll() {
  MQ_ASSIGN(const auto checkpoint, ReadCheckpoint(layout_.Checkpoint()));
  if (checkpoint) durable_time_ = checkpoint->index_timestamp;
  for (size_t at = 0; at < files_.size(); ++at) {
    auto scan = IndexScan::Open(options_, PathOf(at));
    if (!scan) {
      if (scan.error().code != ErrorCode::kCorruption) return std::move(scan).error();
      return SetAsideFrom(at, "index files have another size than the settings say: built again");
    }
    const int32_t claimed = scan->header().count;
    const int32_t sound = scan->SoundCount(claimed, log_end_);
    MQ_ASSIGN(const bool ours, SamplesAgree(*scan, sound));
    if (!ours || (sound == 1 && claimed > 1)) {
      return SetAsideFrom(at, "index files belong to another commit log: built again");
    }
    if (at > 0 && check_.files.back().header.count == 1) {
      // Only the last file may be one that waits for its first key.
      check_.files.pop_back();
      return SetAsideFrom(at - 1, "index files behind one that has lost its entries: built again");
    }
    if (sound > 1) {
      MQ_ASSIGN(const bool follows, FollowsOn(scan->Entry(1).position));
      if (!follows) return SetAsideFrom(at, "index files with keys missing in front of them: built again");
    }
    const bool crashed = !IsSaidDurable(scan->header()) && scan->EndsAsACrashLeavesIt(claimed);
    MQ_TRY(scan->RepairFromEntries(sound, sound < claimed, log_));
    check_.files.push_back({files_[at].name, scan->header(), std::nullopt});
    if (sound == claimed) continue;
    if (crashed) {
      log::Info("store.index", "an index file ends with entries that a crash has made void: they are put again")
          .Field("file", files_[at].name)
          .Field("entries", static_cast<int64_t>(claimed - sound));
    } else {
      Lost(files_[at].name, "an index file is damaged: built again from its last good entry on");
    }
    return SetAsideFrom(at + 1, "index files behind a damaged one: built again");
  }
  return Ok();
}

// By the checkpoint: then no crash takes an entry of the file.
bool IndexChecker::IsSaidDurable(const IndexHeader& header) const {
  return header.end_timestamp > 0 && header.end_timestamp <= durable_time_;
}

// After a power cut each file may be whole and one in front of it gone, or have an old count: whether the log has no
// key between the last entry kept so far and a file that begins with the record at `first`. A record may be filed
// twice (RocketMQ does that), never left out.
Result<bool> IndexChecker::FollowsOn(PhysicalOffset first) {
  PhysicalOffset last = log_min_;
  int32_t filed = 0;  // keys of the record at `last`
  if (!check_.files.empty()) {
    MQ_ASSIGN(const IndexScan scan, IndexScan::Open(options_, layout_.IndexFile(check_.files.back().name)));
    const int32_t count = scan.header().count;
    const PhysicalOffset record = scan.Entry(count - 1).position;
    while (filed < count - 1 && scan.Entry(count - 1 - filed).position == record) ++filed;
    if (record < log_min_) filed = 0;
    last = std::max(last, record);
  }
  LogWalk walk(log_, last);
  while (walk.position() < first) {
    MQ_ASSIGN(const protocol::MessageView* record, walk.Next(first));
    if (record == nullptr) break;
    if (!EntersIndex(record->sys_flag)) continue;
    int32_t keys = 0;
    ForEachIndexKey(record->properties, [&keys](std::string_view) { return ++keys > 0; });
    if (keys > (walk.record_position() == last ? filed : 0)) return false;
  }
  return true;
}

Result<bool> IndexChecker::SamplesAgree(const IndexScan& scan, int32_t count) {
  // Expired records cannot be compared any more.
  int32_t first = 1;
  int32_t high = count;
  while (first < high) {
    const int32_t middle = first + (high - first) / 2;
    if (scan.Entry(middle).position < log_min_) {
      first = middle + 1;
    } else {
      high = middle;
    }
  }
  if (first >= count) return true;
  const int32_t step = std::max((count - first) / kSamples, 1);
  for (int32_t number = first; number < count; number += step) {
    MQ_ASSIGN(const bool agrees, scan.AgreesWithLog(number, log_));
    if (!agrees) return false;
  }
  return scan.AgreesWithLog(count - 1, log_);
}

// --- Both ---

Status IndexChecker::FindResumePoint() {
  for (auto file = check_.files.rbegin(); file != check_.files.rend(); ++file) {
    MQ_ASSIGN(const IndexScan scan, IndexScan::Open(options_, layout_.IndexFile(file->name)));
    for (int32_t number = file->header.count - 1; number >= 1; --number) {
      const PhysicalOffset position = scan.Entry(number).position;
      if (check_.resume_record.value() < 0) check_.resume_record = position;
      if (position != check_.resume_record) return Ok();
      ++check_.resume_keys;
    }
  }
  return Ok();
}

}  // namespace mq::store
